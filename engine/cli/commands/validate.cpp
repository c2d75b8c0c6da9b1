// torsor validate FILE [ROBOT...]: tests the plugins in a file and prints a table of the results.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/validation_page.hpp"
#include "torsor/cli/support/progress.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/loading/search_paths.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"
#include "torsor/validation/allocation_counter.hpp"
#include "torsor/validation/validator.hpp"

namespace torsor::cli {

namespace {

using namespace validation;

struct ValidateOptions {
  std::filesystem::path file;
  std::vector<std::string> robots;
  RobotOptions reading;  // options that apply to the robot files
  std::string id, only, html;
  uint64_t seed = 1;
  double time_limit = 10;
  bool json = false, json_lines = false;
};

const char* word(validation::Outcome outcome) {
  constexpr const char* words[] = {"ok", "FAIL", "-"};
  return words[int(outcome)];
}

size_t count(const PluginReport& plugin, validation::Outcome outcome) {
  return size_t(std::ranges::count(plugin.lines, outcome, &Line::outcome));
}

void print(const Report& report) {
  for (const PluginReport& plugin : report.plugins) {
    fmt::print(
        "{}{}\n",
        plugin.id.empty() ? report.file.string()
                          : fmt::format("{} {}: {}", plugin.id, plugin.version, plugin.summary),
        plugin.family.empty() ? ""
                              : fmt::format(" (for robots of the family '{}')", plugin.family));
    std::string group;
    for (const Line& line : plugin.lines) {
      if (line.group != group) fmt::print("  {}\n", group = line.group);
      fmt::print("    {:<4}  {:<22}  {}\n", word(line.outcome), line.check, line.text);
    }
    fmt::print("  {} passed, {} failed, {} not applicable\n",
               count(plugin, validation::Outcome::passed),
               count(plugin, validation::Outcome::failed),
               count(plugin, validation::Outcome::not_applicable));
  }
  for (const PluginReport& plugin : report.plugins)
    for (const Line& line : plugin.lines)
      if (line.outcome == validation::Outcome::failed && line.check != "loads") {
        fmt::print("to repeat the first failed check: {}\n", again(report, plugin, line));
        return;
      }
}

nlohmann::ordered_json to_json(const Line& line) {
  constexpr const char* outcomes[] = {"passed", "failed", "not applicable"};
  return {{"group", line.group},
          {"check", line.check},
          {"outcome", outcomes[int(line.outcome)]},
          {"text", line.text},
          {"seconds", line.seconds}};
}

void print_line(const PluginReport& plugin, const Line& line) {
  nlohmann::ordered_json json{{"plugin", plugin.id}};
  json.update(to_json(line));
  fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Report& report) {
  nlohmann::ordered_json plugins = nlohmann::ordered_json::array();
  for (const PluginReport& plugin : report.plugins) {
    nlohmann::ordered_json checks = nlohmann::ordered_json::array();
    for (const Line& line : plugin.lines) checks.push_back(to_json(line));
    plugins.push_back({{"id", plugin.id},
                       {"version", plugin.version},
                       {"summary", plugin.summary},
                       {"family", plugin.family},
                       {"checks", checks}});
  }
  return {{"file", report.file.string()},
          {"seed", report.seed},
          {"passed", report.passed()},
          {"plugins", plugins}};
}

// Throws Error if the file cannot contain a plugin.
void require_plugin_file(const std::filesystem::path& file) {
  std::string why = why_no_file(file);
  if (why.empty() && robot_format(file)) why = "this is a robot, not a plugin";
  if (why.empty() && is_recording(file)) why = "this is a recording, not a plugin";
  if (!why.empty())
    throw Error(fmt::format("{}: {}; give a .so or .lua file with a plugin", file.string(), why));
}

// Throws Error if the file could not be loaded as a plugin because it is a scene or a robot.
void require_no_scene(const Report& report, const Registry& plugins) {
  const bool is_read = report.plugins.size() != 1 || report.plugins[0].lines.size() != 1 ||
                       report.plugins[0].lines[0].outcome != validation::Outcome::failed;
  if (is_read || !is_script(report.file)) return;
  bool is_robot = false;
  try {
    is_robot =
        std::holds_alternative<RobotDescription>(load_scene_or_robot(report.file, {}, &plugins));
  } catch (const Error&) {
    return;  // the file is neither; the report contains the reason
  }
  throw Error(fmt::format("{}: this is a {}, not a plugin; give a .so or .lua file with a plugin",
                          report.file.string(), is_robot ? "robot" : "scene"));
}

Report try_file(const ValidateOptions& options) {
  require_plugin_file(options.file);
  Subject subject{.file = options.file,
                  .load_script = load_plugin_script,
                  .shipped = std::make_shared<const Registry>(std::vector{built_in_plugin_path()}),
                  .seed = options.seed};
  for (const std::string& robot : options.robots) {
    RobotOptions file = options.reading;
    file.file = robot;
    subject.robots.push_back(read_robot_description(file, *subject.shipped));
  }
  if (can_count_allocations()) subject.allocations = {allocations, live_allocations};
  Progress progress;
  size_t done = 0;
  const double all = double(check_names().size());
  Report report = validate(subject, {.only = options.only,
                                     .plugin = options.id,
                                     .time_limit = options.time_limit,
                                     .progress =
                                         [&](const std::string& plugin, const std::string& check) {
                                           if (progress.due())
                                             progress.show(std::min(1.0, double(done) / all),
                                                           plugin + ": " + check);
                                           ++done;
                                         },
                                     .done = options.json_lines ? print_line : nullptr});
  progress.clear();
  require_no_scene(report, *subject.shipped);
  report.robots = options.robots;
  return report;
}

void run(const ValidateOptions& options) {
  if (!options.html.empty()) require_writable(options.html);
  const Report report = try_file(options);
  if (options.json)
    fmt::print("{}\n", to_json(report).dump(2, ' ', false,
                                            nlohmann::ordered_json::error_handler_t::replace));
  else if (!options.json_lines)
    print(report);
  if (!options.html.empty()) write_file(options.html, validation_page(report));
  if (!report.passed()) throw CheckFailed(fmt::format("{}: a check failed", options.file.string()));
}

}  // namespace

void add_validate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "validate", "Test the plugins of a file: physics, memory, threads, parameters, speed");
  const auto options = std::make_shared<ValidateOptions>();
  command->add_option("FILE", options->file, "plugin file (.so or .lua)")->required();
  command->add_option(
      "ROBOT", options->robots,
      fmt::format("robots to test the plugins on, instead of random ones: {} or .lua files; needed "
                  "by plugins made for one family of robots",
                  robot_extensions()));
  add_robot_file_options(*command, options->reading);
  add_allow_plugins_option(*command, options->reading.allow_plugins);
  command->add_option("--id", options->id, "plugin of the file to test, by id; by default, all")
      ->type_name("ID");
  command->add_option("--only", options->only, "check to run, by name; by default, all")
      ->type_name("CHECK");
  command->add_option("--seed", options->seed, "seed of the random numbers")
      ->check(number_between(0, 0x1p53))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit, "time limit of each check, s")
      ->check(number_between(0.01, 3600))
      ->type_name("S")
      ->capture_default_str();
  command->add_option("--html", options->html, "HTML page to write with the report")
      ->type_name("FILE");
  add_json_flag(*command, options->json);
  command
      ->add_flag("--json-lines", options->json_lines,
                 "print each check as one line of JSON as soon as it is done, instead of text")
      ->excludes(command->get_option("--json"));
  command->footer(
      "Each check runs in its own process: a crash or a hang is one line of the report. The exit "
      "status is 1 if a check fails.\n"
      "Example: torsor validate scripts/plugins/newton_euler_lua.lua --only inertia --html "
      "report.html");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
