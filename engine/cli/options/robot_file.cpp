#include "torsor/cli/options/robot_file.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "torsor/base/input_file.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::cli {

namespace {
std::string robot_help() {
  return fmt::format(
      "a {} file, a .lua file that returns a robot or a table with a function build, or a scene "
      "with one robot",
      robot_extensions());
}
}  // namespace

CLI::Option* add_robot_argument(CLI::App& command, RobotOptions& options) {
  return command.add_option("ROBOT", options.file, robot_help())->required();
}
CLI::Option* add_robots_argument(CLI::App& command, std::vector<std::string>& files) {
  return command.add_option("ROBOT", files, robot_help())->required();
}

CLI::Option* add_scene_or_robot_argument(CLI::App& command, RobotOptions& options) {
  return command
      .add_option("SCENE|ROBOT", options.file,
                  fmt::format("a scene, which is a .lua file that returns an experiment, or a "
                              "robot, which is a {} or .lua file",
                              robot_extensions()))
      ->required();
}

void add_gravity_option(CLI::App& command, RobotOptions& options) {
  add_numbers_option(command, "--gravity", options.gravity, 3, "X,Y,Z",
                     "gravity in m/s^2, instead of that of the file or (0, 0, -9.81)");
}

void add_robot_options(CLI::App& command, RobotOptions& options) {
  add_set_option(command, options.settings);
  add_gravity_option(command, options);
  add_robot_file_options(command, options);
}

void add_robot_file_options(CLI::App& command, RobotOptions& options) {
  command.add_flag(
      "--strict", options.strict,
      fmt::format("make these errors in a {} file: unknown elements and attributes, unsupported "
                  "ones that affect the motion, impossible inertias, <mimic> of a missing joint",
                  robot_extensions()));
  add_floating_base_option(command, options.floating_base);
  add_package_option(command, options.packages);
}

namespace {

bool is_lua(const RobotOptions& options) {
  if (!is_script(options.file)) return false;
  if (options.strict)
    throw Error(
        fmt::format("--strict applies to {} files only; in Lua, set allow_nonphysical of the robot",
                    robot_extensions()));
  if (options.floating_base)
    throw Error(fmt::format(
        "--floating-base applies to {} files only; in Lua, give the robot a floating joint",
        robot_extensions()));
  if (options.collisions)
    throw Error(
        fmt::format("--collisions applies to {} files only; in Lua, give the links "
                    "collisions, or torsor.urdf or torsor.mjcf the option collisions = true",
                    robot_extensions()));
  if (!options.packages.empty())
    throw Error(fmt::format("--package applies to {} files only", robot_extensions()));
  return true;
}

// Throws Error if the file is not a robot file or a Lua file.
void require_robot_name(const std::filesystem::path& file) {
  if (robot_format(file)) return;  // errors in the file are reported when it is read
  if (const std::string why = why_no_file(file); !why.empty())
    throw Error(
        fmt::format("{}: {}; give a {} or .lua file", file.string(), why, robot_extensions()));
  if (is_recording(file))
    throw Error(fmt::format(
        "{}: this is a recording; give a {} or .lua file; torsor info, plot and view take "
        "recordings",
        file.string(), robot_extensions()));
  require_robot_extension(
      file, fmt::format("this is neither a {} nor a .lua file; give the file of a robot",
                        robot_extensions()));
}

void require_robot_file(const RobotOptions& options) {
  require_robot_name(options.file);
  if (!options.settings.empty())
    throw Error(fmt::format("--set applies to Lua files only: a {} file has no parameters",
                            robot_format(options.file)->name));
}

RobotDescription read_description(const RobotOptions& options) {
  require_robot_file(options);
  RobotFileOptions out{.strict = options.strict,
                       .floating_base = options.floating_base,
                       .collisions = options.collisions,
                       .run_programs = true};
  for (const std::string& package : options.packages) add_package(package, out.meshes);
  out.meshes.permission = [ask = command_permission(options.allow_plugins)](
                              const std::filesystem::path& file, const std::string& source) {
    return ask(access_request(AccessRequest::Kind::file, file, source));
  };
  return read_robot_file(options.file, out);
}

std::variant<Experiment, RobotDescription> read_file(const RobotOptions& options,
                                                     const Registry& plugins,
                                                     const Permission& permission) {
  if (is_lua(options))
    return load_scene_or_robot(options.file, read_settings(options.settings), &plugins, permission);
  return read_description(options);
}

template <class Robots>  // Robots: a list whose entries have a name
void require_one(const RobotOptions& options, const Robots& robots) {
  if (robots.size() == 1) return;
  std::string names;
  for (const auto& robot : robots) names += (names.empty() ? "" : ", ") + robot.name;
  throw Error(
      fmt::format("{}: this command needs one robot, and the scene has {}{}{}; give the file of "
                  "one robot, or use compare, explain, run or edit, which take scenes",
                  options.file, robots.size(), names.empty() ? "" : ": ", names));
}

}  // namespace

GivenRobot read_robot(const RobotOptions& options, const Registry& plugins) {
  const auto file = read_scene_or_robot(options, plugins);
  const auto* experiment = std::get_if<Experiment>(&file);
  if (const auto* robot = std::get_if<RobotDescription>(&file))
    return {build(*robot), robot->gravity_W};
  require_one(options, experiment->model->robots);
  return {experiment->model,         experiment->gravity_W, experiment->plugins,
          experiment->load.controls, experiment->q,         experiment->held};
}

void require_robot_options(const RobotOptions& options) {
  if (!is_lua(options)) require_robot_file(options);
}

RobotDescription read_robot_description(const RobotOptions& options, const Registry& plugins) {
  // Both loads below use the same permission object, so that the user is asked only once.
  const Permission permission = command_permission(options.allow_plugins);
  auto file = read_file(options, plugins, permission);
  if (auto* robot = std::get_if<RobotDescription>(&file)) return std::move(*robot);
  std::vector<RobotDescription> robots =
      load_robots(options.file, read_settings(options.settings), &plugins, permission);
  require_one(options, robots);
  return std::move(robots.front());
}

std::variant<Experiment, RobotDescription> read_scene_or_robot(const RobotOptions& options,
                                                               const Registry& plugins) {
  return read_file(options, plugins, command_permission(options.allow_plugins));
}

std::vector<RobotDescription> read_robots(const RobotOptions& options) {
  if (is_lua(options)) {
    const Registry plugins = find_plugins({});
    return load_robots(options.file, read_settings(options.settings), &plugins,
                       command_permission(options.allow_plugins));
  }
  return {read_description(options)};
}

std::optional<Vec3<double>> given_gravity(const RobotOptions& options) {
  if (options.gravity.empty()) return std::nullopt;
  return Vec3<double>{options.gravity[0], options.gravity[1], options.gravity[2]};
}

}  // namespace torsor::cli
