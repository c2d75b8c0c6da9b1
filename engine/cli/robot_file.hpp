#pragma once
// The file that a command computes with, a robot in URDF or Lua or a scene, and the options that belong to
// it.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/scripting/script.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

struct RobotOptions {
  std::string file;
  std::vector<std::string> settings;
  std::vector<double> gravity;
  bool strict = false, floating_base = false;
};

// The file as the positional argument `name`, and --set. The options must outlive the parsing.
void add_file_options(CLI::App& command, RobotOptions& options, const char* name, const char* help);
// Those, --gravity, --strict and --floating-base.
void add_robot_options(CLI::App& command, RobotOptions& options, const char* name, const char* help);

// Throw Error for a file of another kind, and for an option that means nothing for this one.
RobotDescription read_robot(const RobotOptions& options);
// A scene with the forces of these plugins.
std::variant<Experiment, RobotDescription> read_scene_or_robot(const RobotOptions& options,
                                                               const Registry& plugins);
// The robot, or all of a scene, whatever their inertia.
std::vector<RobotDescription> read_robots(const RobotOptions& options);

// That of --gravity. Throws Error where it is not finite.
std::optional<Vec3<double>> given_gravity(const RobotOptions& options);

}  // namespace torsor::cli
