// torsor lint: checks a robot for physically implausible values.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/formats/lint/lint.hpp"

namespace torsor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct LintOptions {
  RobotOptions file;
  bool json = false, all = false;
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
    return fmt::format("{}, {}, {}", counted(size_t(errors), "error"),
                       counted(size_t(warnings), "warning"), counted(size_t(notes), "note"));
  }
};

Json as_json(const Finding& finding) {
  Json numbers = Json::array();
  for (const auto& [name, value, unit] : finding.numbers)  // JSON cannot represent infinity: null
    numbers.push_back({{"name", name}, {"value", value}, {"unit", unit}});
  return {{"severity", name(finding.severity)},
          {"rule", finding.rule},
          {"source", finding.source},
          {"subject", finding.subject},
          {"what", finding.what},
          {"numbers", numbers},
          {"advice", finding.advice}};
}

constexpr size_t most_lines = 3;  // without --all, a rule with more findings is summarized

// Returns the subjects of the findings, each with its number of findings, as in "12 <collision>, 3
// <gazebo>".
std::string counted_subjects(const std::vector<const Finding*>& findings) {
  std::vector<std::pair<std::string, int>> counts;
  for (const Finding* finding : findings) {
    const auto found =
        std::ranges::find(counts, finding->subject, &std::pair<std::string, int>::first);
    if (found == counts.end())
      counts.emplace_back(finding->subject, 1);
    else
      ++found->second;
  }
  std::string out;
  for (const auto& [subject, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, subject);
  return out;
}

// Returns the output lines for the findings of one rule. All notes are summarized in one line. If
// there are many errors or warnings, the first is shown in full. The others are listed as their
// subjects only.
std::string lines_of_rule(const std::vector<const Finding*>& findings) {
  const Finding& first = *findings.front();
  if (first.severity == Severity::note)
    return fmt::format("{}: note: {} without effect: {} (see --all)\n", first.source,
                       counted(findings.size(), "word"), counted_subjects(findings));
  std::string out;
  if (findings.size() <= most_lines) {
    for (const Finding* finding : findings) out += as_line(*finding) + "\n";
    return out;
  }
  std::vector<std::string> others;
  for (size_t k = 1; k < findings.size(); ++k) others.push_back(findings[k]->subject);
  return fmt::format("{}; the same for {} more: {} (--all lists them)\n", as_line(first),
                     others.size(), fmt::join(others, ", "));
}

std::string as_text(const LintOptions& options, const std::vector<Finding>& findings,
                    const Counts& counts) {
  std::string out;
  std::vector<std::vector<const Finding*>> rules;
  for (const Finding& finding : findings) {
    if (options.all) {
      out += as_line(finding) + "\n";
      continue;
    }
    const auto same = [&](const auto& rule) {
      return rule[0]->rule == finding.rule && rule[0]->severity == finding.severity;
    };
    const auto found = std::ranges::find_if(rules, same);
    (found == rules.end() ? rules.emplace_back() : *found).push_back(&finding);
  }
  for (const auto& rule : rules) out += lines_of_rule(rule);
  return out + fmt::format("{}: {}\n", options.file.file, counts.in_words());
}

std::string as_json(const LintOptions& options, const std::vector<Finding>& findings,
                    const Counts& counts) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(as_json(finding));
  const Json json{{"file", options.file.file},
                  {"errors", counts.errors},
                  {"warnings", counts.warnings},
                  {"notes", counts.notes},
                  {"findings", list}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void run(const LintOptions& options) {
  std::vector<Finding> findings;
  const std::vector<RobotDescription> robots = read_robots(options.file);
  MeshAccess meshes{std::filesystem::path(options.file.file).parent_path()};
  for (const std::string& package : options.file.packages) add_package(package, meshes);
  for (const RobotDescription& robot : robots)
    for (Finding& finding : lint(robot, &meshes)) {
      if (robots.size() > 1)
        finding.subject = fmt::format("robot '{}', {}", robot.name, finding.subject);
      findings.push_back(std::move(finding));
    }
  sort_for_reading(findings);
  const Counts counts(findings);
  const std::string out =
      options.json ? as_json(options, findings, counts) : as_text(options, findings, counts);
  std::fputs(out.c_str(), stdout);  // flush_output() reports write errors
  if (counts.errors > 0) throw CheckFailed();
}

}  // namespace

void add_lint_command(CLI::App& app) {
  const auto options = std::make_shared<LintOptions>();
  CLI::App* command = app.add_subcommand(
      "lint", "Check a robot for physically implausible values: inertias, units, axes, limits");
  add_scene_or_robot_argument(*command, options->file);
  add_set_option(*command, options->file.settings);
  add_floating_base_option(*command, options->file.floating_base);
  add_package_option(*command, options->file.packages);
  add_allow_plugins_option(*command, options->file.allow_plugins);
  command->add_flag("--all", options->all,
                    "list every finding instead of one line for many of one kind");
  add_json_flag(*command, options->json);
  command->footer(
      "Prints one line for each finding: errors first, then warnings, then notes. An error is a "
      "value that cannot be simulated or that no robot can have, an unknown element or attribute, "
      "or one that affects the motion and is not supported. A warning is probably a mistake. A "
      "note is an element or attribute that does not affect the motion. The exit status is 1 if "
      "there is an error.\n"
      "Example: torsor lint scripts/robots/iiwa.lua");
  command->callback([options] { run(*options); });
}

}  // namespace torsor::cli
