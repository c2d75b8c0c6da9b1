// torsor export ROBOT --to FORMAT: writes a robot in a format of other programs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "torsor/cli/exchange/robot_options.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"

namespace torsor::cli {

namespace {

struct ExportOptions {
  RobotOptions robot;
  std::string out, to;
  bool force = false, lossy = false;
};

std::vector<std::string> target_names() {
  std::vector<std::string> out;
  for (const RobotTarget& target : robot_targets()) out.emplace_back(target.name);
  return out;
}

void export_to(const ExportOptions& options) {
  const std::filesystem::path file = options.robot.file;
  const RobotTarget& format = *robot_target(options.to);
  std::filesystem::path out = options.out;
  if (out.empty()) out = file.stem().string() + std::string(format.extension);
  const Registry plugins = find_plugins({});
  const RobotSource source = robot_source(options.robot, plugins);
  const ReadRobot read = read_whole_robot(source);
  const ExportedRobot exported =
      converted(read, &plugins, format, out,
                fmt::format("Robot '{}', which torsor export has read from {}", read.robot.name,
                            file.filename().string()));
  if (!options.lossy) require_same_mechanism(exported, format, file, "--lossy");
  write_and_print(exported, read, out, options.force);
}

}  // namespace

void add_export_command(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  const std::string names = fmt::format("{}", fmt::join(target_names(), ", "));
  CLI::App* command = app.add_subcommand("export", "Write a robot in a format of other programs");
  add_robot_argument(*command, options->robot);
  command->add_option("--to", options->to, "format: " + names)
      ->type_name("FORMAT")
      ->required()
      ->check(one_of(target_names()));
  command
      ->add_option("--out", options->out,
                   "file to write; by default the name of ROBOT with the extension of the format, "
                   "in the current folder")
      ->type_name("FILE");
  add_force_flag(*command, options->force);
  command->add_flag("--lossy", options->lossy,
                    "write the file even if it cannot express the mechanism");
  add_set_option(*command, options->robot.settings);
  add_robot_file_options(*command, options->robot);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  command->footer(
      "Prints what the robot has and the file has not, or has differently, one line for each kind: "
      "first what changes the mechanism, then forces, contacts, and what has no effect on the "
      "motion. If the mass matrix, with the inertias of rotors, or the degrees of freedom would "
      "change, writes nothing and exits with status 2, unless --lossy is given.\n"
      "Example: torsor export scripts/robots/scara.lua --to urdf --out scara.urdf");
  command->callback([options] { export_to(*options); });
}

}  // namespace torsor::cli
