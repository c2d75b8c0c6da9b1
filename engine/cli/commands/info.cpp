// torsor info RUN: lists the contents of a recording and its origin: the scene, the solver and the
// version of Torsor.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/cli/pages/signals.hpp"
#include "torsor/cli/support/load_recording.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/run/change.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct RecordedSignal {
  std::string name;
  std::vector<Column> columns;
};

// Returns the signals of a recording with their columns. A column belongs to the longest signal
// name that is a prefix of the column name. If the recording lists no signals (a CSV file without
// its .json file), the signal is the column name without its last part.
std::vector<RecordedSignal> signals_of(const Recording& recording) {
  std::vector<RecordedSignal> out;
  std::unordered_map<std::string, size_t> places;
  const auto place_of = [&](const std::string& name) {
    const auto [place, is_new] = places.emplace(name, out.size());
    if (is_new) out.push_back({name, {}});
    return place->second;
  };
  for (const std::string& name : recording.signals) place_of(name);
  for (size_t k = 1; k < recording.columns.size(); ++k) {
    const std::vector<std::string> prefixes = prefixes_of(recording.columns[k].name);
    const auto signal =
        std::find_if(prefixes.rbegin(), prefixes.rend(),
                     [&](const std::string& prefix) { return places.contains(prefix); });
    const std::string& name = signal != prefixes.rend()
                                  ? *signal
                                  : prefixes[prefixes.size() > 1 ? prefixes.size() - 2 : 0];
    out[place_of(name)].columns.push_back(recording.columns[k]);
  }
  return out;
}

// Returns a value of the recording's description. Returns null if the value is missing, for example
// in the recording of a real robot.
Json value_at(const Json& description, const char* pointer) {
  const Json::json_pointer place(pointer);
  return description.contains(place) ? description.at(place) : Json();
}

Json description_of(const Recording& recording) {
  return recording.description.empty() ? Json::object() : Json::parse(recording.description);
}

Json report(const std::string& file, const Recording& recording) {
  const Json description = description_of(recording);
  Json out{{"recording", file}, {"complete", nullptr}, {"error", nullptr}};
  if (!recording.description.empty()) out["complete"] = recording.error.empty();
  if (!recording.error.empty()) out["error"] = recording.error;
  static constexpr std::pair<const char*, const char*> places[] = {
      {"scene", "/scene"},
      {"torsor", "/torsor"},
      {"solver", "/solver"},
      {"constraint_solver", "/experiment/constraint_solver"},
      {"integrator", "/experiment/integrator"},
      {"dt", "/experiment/dt"},
      {"duration", "/experiment/duration"},
      {"parameters", "/experiment/parameters"},
      {"energy_error", "/energy_error"},
      {"warnings", "/warnings"}};
  for (const auto& [name, place] : places) out[name] = value_at(description, place);
  const size_t rows = recording.rows(), width = recording.columns.size();
  out["rows"] = rows;
  out["first_time"] = rows > 0 ? Json(recording.values[0]) : Json();
  out["last_time"] = rows > 0 ? Json(recording.values[(rows - 1) * width]) : Json();
  out["signals"] = Json::array();
  for (const auto& [name, columns] : signals_of(recording)) {
    Json listed = Json::array();
    for (const Column& column : columns)
      listed.push_back({{"name", column.name}, {"unit", column.unit}, {"frame", column.frame}});
    out["signals"].push_back({{"name", name}, {"columns", listed}});
  }
  return out;
}

// Returns the different strings, in order of first appearance.
std::string different(const std::vector<Column>& columns, std::string Column::*text) {
  std::vector<std::string> out;
  for (const Column& column : columns)
    if (!(column.*text).empty() && !std::ranges::count(out, column.*text))
      out.push_back(column.*text);
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string in_digits(const Json& value) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : text_of(value);
}

// Returns the id of a constraint solver and its parameters, or "" for the default.
std::string constraint_solver_text(const Json& choice) {
  if (choice.is_null()) return "";
  std::string out = choice["id"], parameters;
  for (const Json& each : choice["parameters"])
    parameters += fmt::format("{}{} = {}", parameters.empty() ? "" : ", ", text_of(each["name"]),
                              text_of(each["value"]));
  if (parameters.empty()) return without_kind(out) == ConstraintSolverChoice{}.id ? "" : out;
  return out + " with " + parameters;
}

void print_run(const Json& report) {
  fmt::print("recording    {}\n", text_of(report["recording"]));
  const Json& complete = report["complete"];
  fmt::print("complete     {}\n", complete.is_null()     ? "unknown (no description)"
                                  : complete.get<bool>() ? "yes"
                                                         : "no: " + text_of(report["error"]));
  if (report["scene"].is_null()) {
    fmt::print("made by      unknown: the file has no description\n");
  } else {
    fmt::print("scene        {}, run by torsor {}\n", text_of(report["scene"]),
               text_of(report["torsor"]));
    const Json level = value_at(report, "/solver/processor_level");
    fmt::print("solver       {} {}{}, {} at dt = {} s, duration {} s\n",
               text_of(value_at(report, "/solver/id")),
               text_of(value_at(report, "/solver/version")),
               level.is_null() ? "" : fmt::format(" for {}", text_of(level)),
               text_of(report["integrator"]), text_of(report["dt"]), text_of(report["duration"]));
    if (const std::string constraints = constraint_solver_text(report["constraint_solver"]);
        !constraints.empty())
      fmt::print("constraints  {}\n", constraints);
    std::string parameters;
    for (const auto& [name, value] : report["parameters"].items())
      parameters += fmt::format("{}{} = {}", parameters.empty() ? "" : ", ", name, text_of(value));
    fmt::print("parameters   {}\n", parameters.empty() ? "none" : parameters);
  }
  if (report["energy_error"].is_object())
    fmt::print("energy error {} J at t = {} s\n",
               in_digits(value_at(report, "/energy_error/error_J")),
               in_digits(value_at(report, "/energy_error/time_s")));
  for (const Json& warning : report["warnings"]) fmt::print("warning      {}\n", text_of(warning));
  fmt::print("rows         {}, t = {} s to {} s\n\n", text_of(report["rows"]),
             in_digits(report["first_time"]), in_digits(report["last_time"]));
}

void print_signals(const std::vector<RecordedSignal>& signals) {
  std::vector<Cells> rows{{"signal", "unit", "frame", "columns", ""}};
  for (const auto& [name, columns] : signals) {
    std::string own;
    for (const Column& column : columns) {
      std::string rest = column.name.substr(std::min(name.size(), column.name.size()));
      if (rest.starts_with(".")) rest.erase(0, 1);
      if (!rest.empty()) own += (own.empty() ? "" : " ") + rest;
    }
    rows.push_back({name, different(columns, &Column::unit), different(columns, &Column::frame),
                    std::to_string(columns.size()), own});
  }
  print_table(rows, 5, "");
}

void show(const std::string& file, bool json) {
  const Recording recording = load_recording(file);
  const Json all = report(file, recording);
  if (json) {
    std::fputs((all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n").c_str(), stdout);
    return;
  }
  print_run(all);
  print_signals(signals_of(recording));
}

}  // namespace

void add_info_command(CLI::App& app) {
  struct Options {
    std::string run;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "List what a recording contains and what made it");
  command->add_option("RUN", options->run, "recording, a .h5 or .csv file")->required();
  add_json_flag(*command, options->json);
  command->footer(
      "Shows the scene, solver and parameters, whether the run ended properly, the rows and their "
      "time span, and each signal with its units, frame and columns. A recording that is still "
      "being written can be listed too.\n"
      "Example: torsor info recordings/iiwa_free_swing.h5");
  command->callback([options] { show(options->run, options->json); });
}

}  // namespace torsor::cli
