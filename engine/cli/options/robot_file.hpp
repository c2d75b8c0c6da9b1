#pragma once
// The robot or scene that a command computes with, and the options that belong to it.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/scripting/scene/script.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace torsor::cli {

struct RobotOptions {
  std::string file;
  std::vector<std::string> settings;
  std::vector<double> gravity;
  bool strict = false, floating_base = false;
  bool allow_plugins = false;  // --allow-plugins
};

// Add a positional argument, ROBOT or SCENE|ROBOT, with the same meaning in every command. The
// options must outlive the parsing.
CLI::Option* add_robot_argument(CLI::App& command, RobotOptions& options);
CLI::Option* add_scene_or_robot_argument(CLI::App& command, RobotOptions& options);
// Adds --set, --gravity, --strict and --floating-base.
void add_robot_options(CLI::App& command, RobotOptions& options);
// Adds --strict and --floating-base.
void add_urdf_options(CLI::App& command, RobotOptions& options);
// Adds --gravity, which given_gravity() reads.
void add_gravity_option(CLI::App& command, RobotOptions& options);

// A model for a command's computation.
struct GivenRobot {
  std::shared_ptr<const Model> model;
  // Gravity and plugins of the scene that contains the model; empty for a robot file
  std::optional<Vec3<double>> gravity_W = std::nullopt;
  std::shared_ptr<const Registry> plugins = nullptr;  // includes the plugins of the scene
};

// Reads a robot, or the only robot of a scene, at its place in the scene's world. Throws Error for
// another kind of file, a scene with several robots, and an option that does not apply to the file.
GivenRobot read_robot(const RobotOptions& options, const Registry& plugins);
// Reads the description of a robot, or of the only robot of a scene. Throws Error as read_robot.
RobotDescription read_robot_description(const RobotOptions& options, const Registry& plugins);
// Reads a scene, whose forces come from these plugins, or a robot.
std::variant<Experiment, RobotDescription> read_scene_or_robot(const RobotOptions& options,
                                                               const Registry& plugins);
// Reads a robot, or all robots of a scene, without checking their inertias.
std::vector<RobotDescription> read_robots(const RobotOptions& options);

// Returns the gravity of --gravity, if it was given.
std::optional<Vec3<double>> given_gravity(const RobotOptions& options);

}  // namespace torsor::cli
