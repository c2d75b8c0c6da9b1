#include "torsor/cli/robot_file.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "torsor/cli/arguments.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/settings.hpp"
#include "torsor/model/urdf.hpp"

namespace torsor::cli {

void add_file_options(CLI::App& command, RobotOptions& options, const char* name, const char* help) {
  command.add_option(name, options.file, help)->required();
  command.add_option("--set", options.settings, "NAME=VALUE of a parameter of a Lua file; may be repeated")
      ->take_all();
}

void add_robot_options(CLI::App& command, RobotOptions& options, const char* name, const char* help) {
  add_file_options(command, options, name, help);
  command.add_option("--gravity", options.gravity, "x,y,z in m/s^2, instead of the file's or (0, 0, -9.81)")
      ->delimiter(',')
      ->expected(3);
  command.add_flag("--strict", options.strict, "refuse a URDF with an inertia that no body has");
  add_floating_base_option(command, options.floating_base);
}

namespace {

bool is_lua(const RobotOptions& options) {
  if (std::filesystem::path(options.file).extension() != ".lua") return false;
  if (options.strict) throw Error("--strict is for URDF files; a robot in Lua says allow_nonphysical itself");
  if (options.floating_base)
    throw Error("--floating-base is for URDF files; a robot in Lua has a floating joint of its own");
  return true;
}

RobotDescription read_urdf_robot(const RobotOptions& options) {
  if (std::filesystem::path(options.file).extension() != ".urdf")
    throw Error(fmt::format("'{}': a robot is a .urdf or a .lua file", options.file));
  if (!options.settings.empty()) throw Error("--set is for robots in Lua; a URDF file has no parameters");
  return read_urdf(options.file, {.strict = options.strict, .floating_base = options.floating_base});
}

}  // namespace

RobotDescription read_robot(const RobotOptions& options) {
  return is_lua(options) ? load_robot(options.file, read_settings(options.settings))
                         : read_urdf_robot(options);
}

std::variant<Experiment, RobotDescription> read_scene_or_robot(const RobotOptions& options,
                                                               const Registry& plugins) {
  if (is_lua(options)) return load_scene_or_robot(options.file, read_settings(options.settings), &plugins);
  return read_urdf_robot(options);
}

std::vector<RobotDescription> read_robots(const RobotOptions& options) {
  if (is_lua(options)) {
    const Registry plugins = find_plugins({});
    return load_robots(options.file, read_settings(options.settings), &plugins);
  }
  return {read_urdf_robot(options)};
}

std::optional<Vec3<double>> given_gravity(const RobotOptions& options) {
  if (options.gravity.empty()) return std::nullopt;
  for (const double g : options.gravity)
    if (!std::isfinite(g)) throw Error("--gravity: its values must be finite numbers");
  return Vec3<double>{options.gravity[0], options.gravity[1], options.gravity[2]};
}

}  // namespace torsor::cli
