#pragma once
// The robot or scene that a command works on, and the options for reading it.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/control/control.hpp"
#include "torsor/model/model.hpp"
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
  std::vector<std::string> packages = {};  // of --package
  bool strict = false, floating_base = false, collisions = false;
  bool allow_plugins = false;  // value of --allow-plugins
};

// Add a positional argument ROBOT or SCENE|ROBOT. `options` must exist until the command line has
// been parsed.
CLI::Option* add_robot_argument(CLI::App& command, RobotOptions& options);
// Adds a positional argument ROBOT that may be repeated.
CLI::Option* add_robots_argument(CLI::App& command, std::vector<std::string>& files);
CLI::Option* add_scene_or_robot_argument(CLI::App& command, RobotOptions& options);
// Adds --set, --gravity, --strict, --floating-base and --package.
void add_robot_options(CLI::App& command, RobotOptions& options);
// Adds --strict, --floating-base and --package.
void add_robot_file_options(CLI::App& command, RobotOptions& options);
// Adds --gravity. given_gravity() returns its value.
void add_gravity_option(CLI::App& command, RobotOptions& options);

// The model of a command, with the data of its scene.
struct GivenRobot {
  std::shared_ptr<const Model> model;
  // Gravity of the scene or of the robot file, {x, y, z} in world axes, m/s^2. Empty if the file
  // has none.
  std::optional<Vec3<double>> gravity_W = std::nullopt;
  // Plugins of the scene, including those passed to read_robot(). Null for a robot file.
  std::shared_ptr<const Registry> plugins = nullptr;
  std::vector<Control> controls = {};  // controls of the scene
  // Start position of the scene, [n_q], and the flags [n_v] of the dof that keep theirs when loops
  // are closed. Empty if the model is from a robot file.
  std::vector<double> q = {};
  std::vector<char> held = {};
};

// Reads a robot file, or a scene with exactly one robot. In a scene, the robot has its base pose in
// the world. Throws Error in these cases:
// - The file is neither a robot nor a scene.
// - The scene has more than one robot.
// - An option does not apply to this kind of file.
GivenRobot read_robot(const RobotOptions& options, const Registry& plugins);
// Reads a robot file, or a scene with exactly one robot, and returns the description of the robot.
// Throws Error under the same conditions as read_robot().
RobotDescription read_robot_description(const RobotOptions& options, const Registry& plugins);
// Throws Error if an option does not apply to this kind of file, or if the file is neither a robot
// nor a script.
void require_robot_options(const RobotOptions& options);
// Reads a scene or a robot. plugins: plugins that the scene may use, in addition to its own.
std::variant<Experiment, RobotDescription> read_scene_or_robot(const RobotOptions& options,
                                                               const Registry& plugins);
// Reads a robot, or all robots of a scene. Accepts physically implausible inertias.
std::vector<RobotDescription> read_robots(const RobotOptions& options);

// Returns the value of --gravity, {x, y, z} in world axes, m/s^2, or nullopt if the option was not
// given.
std::optional<Vec3<double>> given_gravity(const RobotOptions& options);

}  // namespace torsor::cli
