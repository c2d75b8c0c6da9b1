// torsor import FILE: writes a robot file as a Lua module.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "torsor/cli/exchange/robot_writing.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::cli {

namespace {

struct ImportOptions {
  RobotOptions robot;
  WriteOptions write;
};

void import_robot(const ImportOptions& options) {
  const std::filesystem::path file = options.robot.file;
  require_robot_extension(file, fmt::format("torsor import reads {} files", robot_extensions()));
  if (std::filesystem::path(options.write.out).extension() != ".lua")
    throw Error(fmt::format("'{}': torsor import writes .lua files", options.write.out));
  const ReadRobot read = read_whole_robot(options.robot, find_plugins({}));
  WriteOptions write = options.write;
  write.source = options.robot.file;
  write_robot(export_robot(read.robot, *robot_target("lua"),
                           {write.out,
                            fmt::format("Robot '{}', which torsor import has read from {}",
                                        read.robot.name, file.filename().string()),
                            read.losses}),
              write);
}

}  // namespace

void add_import_command(CLI::App& app) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Write a robot file as a Lua module");
  command->add_option("FILE", options->robot.file, "a robot file: " + robot_extensions())
      ->required();
  command->add_option("--out", options->write.out, "Lua file to write")
      ->type_name("FILE")
      ->required();
  add_force_flag(*command, options->write.force);
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
