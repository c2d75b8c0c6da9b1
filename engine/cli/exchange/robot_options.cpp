#include "torsor/cli/exchange/robot_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/formats/packages/named_file.hpp"

namespace torsor::cli {

void add_force_flag(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "replace existing files");
}

RobotSource robot_source(const RobotOptions& options, const Registry& plugins) {
  require_robot_options(options);
  MeshAccess access;
  for (const std::string& package : options.packages) add_package(package, access);
  return {.file = options.file,
          .overrides = read_settings(options.settings),
          .strict = options.strict,
          .floating_base = options.floating_base,
          .packages = access.packages,
          .permission = command_permission(options.allow_plugins),
          .plugins = &plugins,
          .run_programs = true};
}

void write_and_print(const ExportedRobot& robot, const ReadRobot& read,
                     const std::filesystem::path& out, bool force) {
  const auto present = existing(output_paths(robot, read, out));
  if (!force && !present.empty())
    throw Error(fmt::format("'{}' exists; choose another name (--out), or replace it (--force)",
                            present.front().string()));
  for (const std::filesystem::path& file : write_robot(robot, read, out))
    fmt::print("{}\n", file.string());
  fmt::print("{}", report_text(robot));
}

}  // namespace torsor::cli
