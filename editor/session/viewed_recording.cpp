#include "editor/session/viewed_recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "editor/edits/changes_json.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/support/named_scene.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/describe.hpp"

namespace torsor::editor {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json description_of(const Recording& recording) {
  return recording.description.empty() ? Json::object() : Json::parse(recording.description);
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Overrides parameters_of(const Json& description) {
  Overrides out;
  for (const auto& [name, value] : description.at("experiment").at("parameters").items())
    out[name] = text_of(value);
  return out;
}

// Returns the scene of a recording.
fs::path scene_of(const Json& description, const fs::path& recording) {
  constexpr const char* remedy = "give its scene or robot: torsor view RUN SCENE|ROBOT";
  if (!description.contains("scene"))
    throw Error(
        fmt::format("{}: the recording does not name its scene; {}", recording.string(), remedy));
  const fs::path scene = description["scene"].get<std::string>();
  if (const auto found = find_named_scene(scene, recording)) return *found;
  throw Error(fmt::format("{}: its scene '{}' was not found; start in the folder of the run, or {}",
                          recording.string(), scene.string(), remedy));
}

// Returns the first difference of two descriptions, "dt was 0.001 and is 0.002", or "".
std::string first_difference(const Json& was, const Json& is, const std::string& path) {
  if (was == is) return "";
  if (was.is_object() && is.is_object()) {
    for (const auto& [key, value] : was.items()) {
      if (path.empty() &&
          (key == "duration" || key == "record" || key == "record_interval" || key == "compare"))
        continue;  // these settings do not change the states
      const std::string inner = path.empty() ? key : path + "." + key;
      if (!is.contains(key)) return fmt::format("{} no longer exists", inner);
      if (const std::string found = first_difference(value, is[key], inner); !found.empty())
        return found;
    }
    return "";
  }
  if (was.is_array() && is.is_array() && was.size() == is.size())
    for (size_t k = 0; k < was.size(); ++k)
      if (const std::string found = first_difference(was[k], is[k], fmt::format("{}[{}]", path, k));
          !found.empty())
        return found;
  const std::string before = was.dump(), now = is.dump();
  if (before.size() + now.size() > 80) return fmt::format("{} has changed", path);
  return fmt::format("{} was {} and is {}", path, before, now);
}

// A column of a recording, and the index of its value in an array of the state.
struct Source {
  size_t column, entry;
};

// Returns the columns of a signal, or nothing if it was not recorded. first: index of its first
// value in the array of the state. Throws Error if only some columns were recorded.
std::vector<Source> sources(const Recording& recording, const Model& model,
                            const std::string& signal, size_t first) {
  std::vector<Source> out;
  const std::vector<Column> columns = Recorder(model, {signal}).columns();
  for (size_t k = 1; k < columns.size(); ++k) {
    const auto at = std::ranges::find(recording.columns, columns[k].name, &Column::name);
    if (at == recording.columns.end()) {
      if (out.empty()) return {};
      throw Error(fmt::format("it has {}, but not {}: it was recorded with another robot",
                              columns[1].name, columns[k].name));
    }
    out.push_back({size_t(at - recording.columns.begin()), first + k - 1});
  }
  return out;
}

struct StateColumns {
  std::vector<Source> q, v, motor_q, motor_v;
};

// Returns the columns of all recorded state signals, in the order of the robots. Reports missing
// signals. Throws Error if no positions were recorded.
StateColumns state_columns(const Recording& recording, const Model& model,
                           std::vector<Problem>& problems) {
  StateColumns out;
  std::vector<std::string> missing;
  const std::vector<std::string> signals = Recorder::signals(model);
  size_t motors = 0;
  const auto append = [&](std::vector<Source>& to, const std::string& signal, size_t first) {
    const std::vector<Source> found = sources(recording, model, signal, first);
    to.insert(to.end(), found.begin(), found.end());
    if (found.empty()) missing.push_back(signal);
  };
  for (const Robot& robot : model.robots) {
    if (robot.n_q == 0) continue;
    append(out.q, robot.name + ".q", size_t(robot.first_q));
    append(out.v, robot.name + ".v", size_t(robot.first_v));
    const std::string motor_q = robot.name + ".motor_q";
    if (std::ranges::find(signals, motor_q) == signals.end()) continue;
    append(out.motor_q, motor_q, motors);
    append(out.motor_v, robot.name + ".motor_v", motors);
    motors += Recorder(model, {motor_q}).columns().size() - 1;
  }
  if (out.q.empty())
    throw Error(
        fmt::format("it has no positions to show: record \"{}\" in its scene", missing.at(0)));
  for (const std::string& signal : missing)
    problems.push_back({Problem::Kind::warning,
                        fmt::format("{} was not recorded and keeps its initial value: quantities "
                                    "computed from it differ from those of the run",
                                    signal)});
  return out;
}

// Reports missing rows and numbers that are not finite, which are shown unchanged. The interval of
// rows is the smallest time between two of them, except the last row, which may follow sooner.
void report_missing_data(const Recording& recording, const StateColumns& columns,
                         std::vector<Problem>& problems) {
  const size_t width = recording.columns.size(), rows = recording.rows();
  const auto say = [&](std::string text) {
    problems.push_back({Problem::Kind::warning, std::move(text)});
  };
  const auto time = [&](size_t i) { return recording.values[i * width]; };
  double interval = std::numeric_limits<double>::infinity();
  for (size_t i = 1; i + 1 < rows; ++i) interval = std::min(interval, time(i) - time(i - 1));
  int gaps = 0, no_numbers = 0;
  for (size_t i = 1; i < rows; ++i) {
    const long long absent = std::llround((time(i) - time(i - 1)) / interval) - 1;
    if (absent > 0 && gaps++ == 0)
      say(fmt::format("after t = {:.6g} s, {} missing: the row before is shown instead",
                      time(i - 1), absent == 1 ? "1 row is" : fmt::format("{} rows are", absent)));
  }
  for (size_t i = 0; i < rows; ++i)
    for (const auto* part : {&columns.q, &columns.v, &columns.motor_q, &columns.motor_v})
      for (const Source& source : *part)
        if (!std::isfinite(recording.values[i * width + source.column]) && no_numbers++ == 0)
          say(fmt::format("row {}, t = {:.6g} s: {} is not a finite number", i + 1, time(i),
                          recording.columns[source.column].name));
  if (gaps > 1) say(fmt::format("rows are missing at {} times", gaps));
  if (no_numbers > 1) say(fmt::format("{} numbers of the states are not finite", no_numbers));
}

// Reports the parts of the state that recordings never contain.
void report_unknown_state(const Snapshot& start, std::vector<Problem>& problems) {
  std::vector<std::string> parts;
  if (!start.held.empty()) parts.emplace_back("torques held by sampled controls");
  if (!start.memory.empty()) parts.emplace_back("states of friction models and forces");
  if (!start.modes.empty()) parts.emplace_back("which joints stick or touch a stop");
  if (parts.empty()) return;
  problems.push_back(
      {Problem::Kind::note,
       fmt::format(
           "not recorded, initial values are used: {}; quantities computed from them differ from "
           "those of the run, except tau and vdot where they were recorded",
           fmt::join(parts, ", "))});
}

}  // namespace

ViewedRecording view_recording(const SessionOptions& options) {
  if (options.sample) throw Error("--sample is only for the scene of a study");
  if (!options.overrides.empty())
    throw Error("--set is only for scenes; a recording has the parameters of its run");
  auto recording = std::make_shared<Recording>(read_recording(options.file));
  if (recording->rows() == 0)
    throw Error(fmt::format("{}: the recording is empty", options.file.string()));
  ViewedRecording out{std::move(recording), options};
  out.scene.file = options.model;
  if (!options.model.empty()) return out;
  const Json description = description_of(*out.recording);
  out.scene.file = scene_of(description, options.file);
  out.scene.is_named_by_user = false;
  try {
    if (is_script(out.scene.file)) out.scene.overrides = parameters_of(description);
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: the description of the run cannot be read: {}",
                            options.file.string(), error.what()));
  }
  return out;
}

void follow_recording(const Recording& recording, const fs::path& scene, bool given,
                      Experiment& experiment, std::vector<Problem>& problems) {
  const Json description = description_of(recording);
  if (!description.contains("experiment")) return;
  try {
    const Json was = description["experiment"], is = Json::parse(describe(experiment).dump());
    if (const std::string difference = given ? "" : first_difference(was, is, "");
        !difference.empty())
      problems.push_back({Problem::Kind::warning,
                          fmt::format("{}: the scene has changed since the recording: {}; the "
                                      "recorded states are shown with the scene as it is now",
                                      scene.string(), difference)});
    experiment.dt = was.at("dt");
    const std::string solver = description.at("solver").at("id");
    for (const PluginInfo& plugin : experiment.plugins->plugins())
      if (plugin.id == solver) experiment.solver = solver;
  } catch (const Json::exception& error) {
    throw Error(fmt::format("the description of the run cannot be read: {}", error.what()));
  }
}

std::vector<Change> edits_of(const Recording& recording, Player& player, const fs::path& file,
                             std::vector<Problem>& problems) {
  const Json description = description_of(recording);
  if (!description.contains("edits")) return {};
  std::vector<Change> out;
  try {
    out = changes_of(nlohmann::json(description["edits"]));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("its edits cannot be read: {}", error.what()));
  }
  if (!std::ranges::is_sorted(out, {}, &Change::step)) throw Error("its edits are out of order");
  const double dt = player.simulation().dt();
  std::erase_if(out, [&](const Change& edit) {
    if (std::holds_alternative<StateChange>(edit.what)) return false;  // the rows include it
    const Change here{player.simulation().steps(), edit.what};
    try {
      player.apply({&here, 1});
      return false;
    } catch (const Error& error) {
      problems.push_back({Problem::Kind::warning,
                          fmt::format("{}: the edit at t = {:.6g} s cannot be applied: {}; "
                                      "quantities computed after it differ from those of the run",
                                      file.string(), double(edit.step) * dt, error.what())});
      return true;
    }
  });
  return out;
}

Timeline timeline_of(const Recording& recording, const std::vector<Change>& edits,
                     const Experiment& experiment, const Snapshot& start,
                     std::vector<Problem>& problems) {
  const StateColumns columns = state_columns(recording, *experiment.model, problems);
  const size_t width = recording.columns.size(), rows = recording.rows();
  report_unknown_state(start, problems);
  Snapshot state = start;
  const auto put = [&](const std::vector<Source>& from, const double* row,
                       std::vector<double>& to) {
    for (const auto [column, entry] : from) to.at(entry) = row[column];
  };
  report_missing_data(recording, columns, problems);
  std::optional<Timeline> timeline;
  auto edit = edits.begin();
  for (size_t i = 0; i < rows; ++i) {
    const double* row = &recording.values[i * width];
    const long long step = std::llround(row[0] / experiment.dt);
    if (timeline && step <= state.step)
      throw Error(fmt::format(
          "row {} is at {} s, which is not a whole number of steps of {} s after the row before",
          i + 1, row[0], experiment.dt));
    state.step = step;
    put(columns.q, row, state.q);
    put(columns.v, row, state.v);
    put(columns.motor_q, row, state.motor_q);
    put(columns.motor_v, row, state.motor_v);
    if (timeline)
      timeline->append(state);
    else  // room for all rows, so none is thinned out
      timeline.emplace(state, (rows + edits.size() + 2) * Timeline(state).row_bytes());
    for (; edit != edits.end() && edit->step <= step; ++edit)
      timeline->change({step, edit->what}, state);
  }
  return *std::move(timeline);
}

std::optional<std::vector<double>> recorded_now(const SessionState& now, const char* signal) {
  if (!now.scene->recording) return std::nullopt;
  const Recording& recording = *now.scene->recording;
  const std::vector<RecordedSignal> all = recorded_signals(recording);
  const double* row =
      &recording.values[now.timeline.index_at(now.state.step) * recording.columns.size()];
  std::vector<double> out;
  for (const Robot& robot : now.scene->model().robots) {
    if (robot.n_v == 0) continue;
    const auto found =
        std::ranges::find(all, fmt::format("{}.{}", robot.name, signal), &RecordedSignal::name);
    if (found == all.end() || found->count != size_t(robot.n_v)) return std::nullopt;
    out.insert(out.end(), row + found->first, row + found->first + found->count);
  }
  return out;
}

std::vector<RecordedSignal> recorded_signals(const Recording& recording) {
  std::vector<RecordedSignal> out;
  for (size_t c = 1; c < recording.columns.size(); ++c) {
    const std::string& column = recording.columns[c].name;
    const auto owner = std::ranges::find_if(recording.signals, [&](const std::string& signal) {
      return column == signal || column.starts_with(signal + ".");
    });
    const std::string& name = owner == recording.signals.end() ? column : *owner;
    if (out.empty() || out.back().name != name)
      out.push_back({name, c, 1});
    else
      ++out.back().count;
  }
  return out;
}

}  // namespace torsor::editor
