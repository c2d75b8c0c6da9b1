// torsor import FILE: writes a robot file as a Lua module.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "torsor/cli/exchange/robot_options.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::cli {

namespace {

struct ImportOptions {
  RobotOptions robot;
  std::string out;
  bool force = false;
};

void import_robot(const ImportOptions& options) {
  const std::filesystem::path file = options.robot.file;
  require_robot_extension(file, fmt::format("torsor import reads {} files", robot_extensions()));
  if (std::filesystem::path(options.out).extension() != ".lua")
    throw Error(fmt::format("'{}': torsor import writes .lua files", options.out));
  const Registry plugins = find_plugins({});
  const RobotSource source = robot_source(options.robot, plugins);
  const ReadRobot read = read_whole_robot(source);
  const ExportedRobot exported =
      converted(read, &plugins, *robot_target("lua"), options.out,
                fmt::format("Robot '{}', which torsor import has read from {}", read.robot.name,
                            file.filename().string()));
  write_and_print(exported, read, options.out, options.force);
}

}  // namespace

void add_import_command(CLI::App& app) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Write a robot file as a Lua module");
  command->add_option("FILE", options->robot.file, "a robot file: " + robot_extensions())
      ->required();
  command->add_option("--out", options->out, "Lua file to write")->type_name("FILE")->required();
  add_force_flag(*command, options->force);
  add_robot_file_options(*command, options->robot);
  command->footer(
      "The module has the form of those in scripts/robots, and can be edited. Its dynamics are "
      "those "
      "of the file. Prints what the file has and the module has not, or has differently, one line "
      "for each kind; the module begins with the same list.\n"
      "Example: torsor import scenes/urdf_arm.urdf --out urdf_arm.lua");
  command->callback([options] { import_robot(*options); });
}

}  // namespace torsor::cli
