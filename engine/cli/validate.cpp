// torsor validate FILE: tries every plugin of a file, and says in one table what holds and what does not.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/cli/command.hpp"
#include "torsor/cli/progress.hpp"
#include "torsor/cli/robot_file.hpp"
#include "torsor/cli/validation_page.hpp"
#include "torsor/scripting/plugin_script.hpp"
#include "torsor/simulation/output_file.hpp"
#include "torsor/validation/allocation_counter.hpp"
#include "torsor/validation/validator.hpp"

namespace torsor::cli {

namespace {

using namespace validation;

struct ValidateOptions {
  std::filesystem::path file;
  std::vector<std::string> robots;
  std::string plugin, only, html;
  uint64_t seed = 1;
  double time_limit = 10;
  bool json = false, json_lines = false;
};

const char* word(Outcome outcome) {
  constexpr const char* words[] = {"ok", "FAIL", "-"};
  return words[int(outcome)];
}

size_t count(const PluginReport& plugin, Outcome outcome) {
  return size_t(std::ranges::count(plugin.lines, outcome, &Line::outcome));
}

void print(const Report& report) {
  for (const PluginReport& plugin : report.plugins) {
    fmt::print("{}{}\n",
               plugin.id.empty() ? report.file.string()
                                 : fmt::format("{} {}: {}", plugin.id, plugin.version, plugin.summary),
               plugin.family.empty() ? "" : fmt::format(" (for robots of the family '{}')", plugin.family));
    std::string group;
    for (const Line& line : plugin.lines) {
      if (line.group != group) fmt::print("  {}\n", group = line.group);
      fmt::print("    {:<4}  {:<22}  {}\n", word(line.outcome), line.check, line.text);
    }
    fmt::print("  {} passed, {} failed, {} do not apply\n", count(plugin, Outcome::passed),
               count(plugin, Outcome::failed), count(plugin, Outcome::not_applicable));
  }
  for (const PluginReport& plugin : report.plugins)
    for (const Line& line : plugin.lines)
      if (line.outcome == Outcome::failed && line.check != "loads") {
        fmt::print("again: {}\n", again(report, plugin, line));
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

Report try_file(const ValidateOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.file, error))
    throw Error(
        fmt::format("the plugin file '{}' cannot be read; give a file (*.so or *.lua) that holds a plugin",
                    options.file.string()));
  Subject subject{.file = options.file,
                  .load_script = load_plugin_script,
                  .shipped = std::make_shared<const Registry>(std::vector{built_in_plugin_path()}),
                  .seed = options.seed};
  for (const std::string& robot : options.robots) {
    RobotOptions file;
    file.file = robot;
    subject.robots.push_back(read_robot(file));
  }
  if (can_count_allocations()) subject.allocations = {allocations, live_allocations};
  Progress progress;
  size_t done = 0;
  const double all = double(check_names().size());
  Report report =
      validate(subject, {.only = options.only,
                         .plugin = options.plugin,
                         .time_limit = options.time_limit,
                         .progress =
                             [&](const std::string& plugin, const std::string& check) {
                               if (progress.due())
                                 progress.show(std::min(1.0, double(done) / all), plugin + ": " + check);
                               ++done;
                             },
                         .done = options.json_lines ? print_line : nullptr});
  progress.clear();
  report.robots = options.robots;
  return report;
}

void run(const ValidateOptions& options) {
  if (!options.html.empty()) require_writable(options.html);
  const Report report = try_file(options);
  if (options.json)
    fmt::print("{}\n", to_json(report).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else if (!options.json_lines)
    print(report);
  if (!options.html.empty()) write_file(options.html, validation_page(report));
  if (!report.passed()) throw CheckFailed(fmt::format("{} does not pass", options.file.string()));
}

}  // namespace

void add_validate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "validate", "Try the plugins of a file: physics, memory, threads, parameters, speed");
  const auto options = std::make_shared<ValidateOptions>();
  command->add_option("FILE", options->file, "Plugin file (*.so or *.lua)")->required();
  command
      ->add_option("--robot", options->robots,
                   "A robot to try it on in place of random ones (.lua, .urdf), for plugins made for some; "
                   "may be repeated")
      ->allow_extra_args(false);
  command->add_option("--seed", options->seed, "of the first random robot")->capture_default_str();
  command->add_option("--plugin", options->plugin, "one plugin of the file by its id");
  command->add_option("--only", options->only, "one check by its name");
  command->add_option("--time-limit", options->time_limit, "s, of each check")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  command->add_option("--html", options->html, "file for the report as a page");
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON instead of a table");
  command
      ->add_flag("--json-lines", options->json_lines,
                 "Print each check as a line of JSON once it is done, instead of a table")
      ->excludes(json);
  command->footer(
      "Each check runs in a process of its own: a crash or a hang is one line. Exit status 1 where one "
      "fails.\n"
      "Example: torsor validate build/my_solver.so --html report.html");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
