// torsor ik ROBOT --frame F --position x,y,z: the joint positions at which a frame stands where it is wanted.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/cli/arguments.hpp"
#include "torsor/cli/command.hpp"
#include "torsor/cli/robot_file.hpp"
#include "torsor/cli/say.hpp"
#include "torsor/dynamics/inverse_kinematics.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct IkOptions {
  RobotOptions robot;
  std::string frame;
  std::vector<double> position, rpy, start;
  bool json = false;
};

void require_finite(const char* option, const std::vector<double>& values) {
  for (const double x : values)
    if (!std::isfinite(x)) throw Error(fmt::format("{}: its values must be finite numbers", option));
}

PoseTarget read_target(const IkOptions& options, const Model& model) {
  require_finite("--position", options.position);
  require_finite("--rpy", options.rpy);
  PoseTarget out{model.frames[size_t(model.frame(options.frame))], Pose<double>::identity()};
  if (options.position.empty() && options.rpy.empty())
    throw Error("nothing is said of where the frame is wanted: give --position, --rpy or both");
  if (options.rpy.empty()) out.components = position_components;
  if (options.position.empty()) out.components = orientation_components;
  if (!options.rpy.empty())
    out.X_WF.R = (rotation_z(options.rpy[2]) * rotation_y(options.rpy[1]) * rotation_x(options.rpy[0])).R;
  if (!options.position.empty()) out.X_WF.p = {options.position[0], options.position[1], options.position[2]};
  return out;
}

std::vector<double> read_start(const IkOptions& options, const Model& model) {
  if (options.start.empty()) return start_within_limits(model);
  require_finite("--start", options.start);
  if (int(options.start.size()) != model.n_q)
    throw Error(fmt::format("--start has {} values; the joints of '{}' have {}: {}", options.start.size(),
                            model.robots.front().name, model.n_q, fmt::join(model.coordinate_names(), ", ")));
  return options.start;
}

Json report(const Model& model, const PoseTarget& target, const SearchResult& result) {
  Json residual = Json::object(), limits = Json::array();
  for (size_t k = 0; k < 6; ++k)
    if (target.components[k]) residual[component_names[k]] = result.residual[k];
  for (const auto& [joint, upper] : result.limits)
    limits.push_back({{"joint", model.joints[size_t(joint)].name}, {"side", upper ? "upper" : "lower"}});
  Json out{{"frame", target.frame.name},
           {"stop", name(result.end)},
           {"text", explain(model, target, result)},
           {"iterations", result.iterations},
           {"error", result.error()},
           {"residual", residual},
           {"coordinates", model.coordinate_names()},
           {"q", result.q},
           {"limits", limits}};
  if (result.end == SearchEnd::singular || result.end == SearchEnd::out_of_reach)
    out["task_direction"] = result.task_direction;
  if (result.end == SearchEnd::singular) {
    out["columns"] = model.column_names();
    out["joint_direction"] = result.joint_direction;
  }
  return out;
}

void print_positions(const Model& model, const std::vector<double>& q) {
  const std::vector<std::string> names = model.coordinate_names();
  for (const Joint& joint : model.joints)
    for (size_t k = 0; k < traits(joint.kind).coordinates.size(); ++k) {
      const size_t i = size_t(joint.q_index) + k;
      fmt::print("  {:<24} {:>20.15g} {}\n", names[i], q[i], traits(joint.kind).coordinates[k].unit);
    }
}

void solve(const IkOptions& options) {
  const std::shared_ptr<const Model> model = build(read_robot(options.robot));
  for (const std::string& warning : model->warnings) say("warning: " + warning);
  const PoseTarget target = read_target(options, *model);
  const SearchResult result = solve_inverse_kinematics(model, target, read_start(options, *model));
  const std::string text = explain(*model, target, result);
  if (options.json) {
    const std::string json =
        report(*model, target, result).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    std::fputs(json.c_str(), stdout);
  } else {
    fmt::print("{}\n", result.end == SearchEnd::found ? text : "the nearest that was found:");
    print_positions(*model, result.q);
  }
  if (result.end != SearchEnd::found) throw CheckFailed(text);
}

}  // namespace

void add_ik_command(CLI::App& app) {
  auto options = std::make_shared<IkOptions>();
  CLI::App* command =
      app.add_subcommand("ik", "Find joint positions at which a frame stands where it is wanted");
  add_file_options(*command, options->robot, "ROBOT",
                   "a .urdf file, or a .lua file that returns a robot or a module with build");
  add_floating_base_option(*command, options->robot.floating_base);
  command->add_option("--frame", options->frame, "a link, or a frame of one's own")->required();
  const auto add_vector = [&](const char* name, std::vector<double>& values, const char* help) {
    return command->add_option(name, values, help)->delimiter(',');
  };
  add_vector("--position", options->position,
             "x,y,z of its origin in the robot's base frame, m; any where left out")
      ->expected(3);
  add_vector("--rpy", options->rpy, "roll,pitch,yaw of its axes there, rad; any where left out")->expected(3);
  add_vector(
      "--start", options->start,
      "q of all joints, separated by commas; where left out 0, or the middle of limits that exclude it");
  command->add_flag("--json", options->json, "print JSON");
  command->footer(
      "The solution is the one that the start leads to, the same each time; no other start is tried. Joints "
      "stay\n"
      "within their limits, and those that mimic others follow them. Where there is none, the exit status is "
      "1 and\n"
      "the reason is said: out of reach, at which limits, singular along which direction.\n"
      "Example: torsor ik scripts/robots/iiwa.lua --frame link7 --position 0.3,0.4,0.35 --start "
      "0,0.4,0,-1.2,0,0.9,0");
  command->callback([options] { solve(*options); });
}

}  // namespace torsor::cli
