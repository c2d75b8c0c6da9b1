// torsor lint: what a description of a robot says that no robot has, or hardly any.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/cli/arguments.hpp"
#include "torsor/cli/command.hpp"
#include "torsor/cli/robot_file.hpp"
#include "torsor/model/lint.hpp"

namespace torsor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct LintOptions {
  RobotOptions file;
  bool json = false;
};

struct Counts {
  int errors = 0, warnings = 0, notes = 0;

  explicit Counts(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings)
      ++(finding.severity == Severity::error     ? errors
         : finding.severity == Severity::warning ? warnings
                                                 : notes);
  }
  std::string in_words() const {
    const auto of = [](int n, const char* what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    return fmt::format("{}, {}, {}", of(errors, "error"), of(warnings, "warning"), of(notes, "note"));
  }
};

Json as_json(const Finding& finding) {
  Json numbers = Json::array();
  for (const auto& [name, value, unit] : finding.numbers)  // JSON has no infinity: null
    numbers.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  return {{"severity", name(finding.severity)},
          {"rule", finding.rule},
          {"source", finding.source},
          {"subject", finding.subject},
          {"what", finding.what},
          {"numbers", numbers},
          {"advice", finding.advice}};
}

void print(const LintOptions& options, const std::vector<Finding>& findings, const Counts& counts) {
  std::string out;
  if (options.json) {
    Json list = Json::array();
    for (const Finding& finding : findings) list.push_back(as_json(finding));
    const Json json{{"file", options.file.file},
                    {"errors", counts.errors},
                    {"warnings", counts.warnings},
                    {"notes", counts.notes},
                    {"findings", list}};
    out = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  } else {
    for (const Finding& finding : findings) out += as_line(finding) + "\n";
    out += fmt::format("{}: {}\n", options.file.file, counts.in_words());
  }
  std::fputs(out.c_str(), stdout);  // what fails there is found when the program ends
}

void run(const LintOptions& options) {
  std::vector<Finding> findings;
  const std::vector<RobotDescription> robots = read_robots(options.file);
  for (const RobotDescription& robot : robots)
    for (Finding& finding : lint(robot)) {
      if (robots.size() > 1) finding.subject = fmt::format("robot '{}', {}", robot.name, finding.subject);
      findings.push_back(std::move(finding));
    }
  sort_by_line(findings);
  const Counts counts(findings);
  print(options, findings, counts);
  if (counts.errors > 0) throw CheckFailed(fmt::format("{}: {}", options.file.file, counts.in_words()));
}

}  // namespace

void add_lint_command(CLI::App& app) {
  const auto options = std::make_shared<LintOptions>();
  CLI::App* command = app.add_subcommand(
      "lint", "Check a robot for physically implausible values: inertias, units, axes, limits");
  add_scene_or_robot_argument(*command, options->file);
  add_set_option(*command, options->file.settings);
  add_json_flag(*command, options->json);
  command->footer(
      "Prints one line for each finding, by file and line, and a count. Errors are impossible or cannot be "
      "simulated; warnings are probably mistakes; notes say what is known and not used. The exit status is 1 "
      "if there is an error.\n"
      "Example: torsor lint scripts/robots/iiwa.lua");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
