// torsor ik ROBOT --frame F --position X,Y,Z: solves the inverse kinematics. Finds joint positions
// at which a frame has the given pose.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/mechanics/inverse_kinematics.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct IkOptions {
  RobotOptions robot;
  std::string frame;
  std::vector<double> position, rpy, start;
  int starts = 20;
  bool json = false;
};

PoseTarget read_target(const IkOptions& options, const Model& model) {
  PoseTarget out{model.frames[size_t(model.frame(options.frame))], Pose<double>::identity()};
  if (options.position.empty() && options.rpy.empty())
    throw Error("no target is given: give --position, --rpy or both");
  if (options.rpy.empty()) out.components = position_components;
  if (options.position.empty()) out.components = orientation_components;
  if (!options.rpy.empty())
    out.X_WF.R =
        (rotation_z(options.rpy[2]) * rotation_y(options.rpy[1]) * rotation_x(options.rpy[0])).R;
  if (!options.position.empty())
    out.X_WF.p = {options.position[0], options.position[1], options.position[2]};
  return out;
}

std::vector<double> read_start(const IkOptions& options, const Model& model) {
  if (options.start.empty()) return start_within_limits(model);
  if (int(options.start.size()) != model.n_q)
    throw Error(fmt::format("--start has {} values; the joints of '{}' have {}: {}",
                            options.start.size(), model.robots.front().name, model.n_q,
                            fmt::join(model.coordinate_names(), ", ")));
  return options.start;
}

Json report(const Model& model, const PoseTarget& target, const SearchResult& result, int searches,
            const std::string& text) {
  Json residual = Json::object(), limits = Json::array();
  for (size_t k = 0; k < 6; ++k)
    if (target.components[k]) residual[component_names[k]] = result.residual[k];
  for (const auto& [joint, upper] : result.limits)
    limits.push_back(
        {{"joint", model.joints[size_t(joint)].name}, {"side", upper ? "upper" : "lower"}});
  Json out{{"frame", target.frame.name},
           {"stop", name(result.end)},
           {"text", text},
           {"starts", searches},
           {"iterations", result.iterations},
           {"error", result.error()},
           {"residual", residual},
           {"coordinates", model.coordinate_names()},
           {"q", result.q},
           {"limits", limits}};
  if (result.end == SearchEnd::singular || result.end == SearchEnd::out_of_reach)
    out["task_direction"] = result.task_direction;
  if (result.end == SearchEnd::singular) {
    out["columns"] = model.dof_names();
    out["joint_direction"] = result.joint_direction;
  }
  return out;
}

void print_positions(const Model& model, const std::vector<double>& q) {
  const std::vector<std::string> names = model.coordinate_names();
  for (const Joint& joint : model.joints)
    for (size_t k = 0; k < traits(joint.kind).coordinates.size(); ++k) {
      const size_t i = size_t(joint.q_index) + k;
      fmt::print("  {:<24} {:>20.15g} {}\n", names[i], q[i],
                 traits(joint.kind).coordinates[k].unit);
    }
}

void solve(const IkOptions& options) {
  const std::shared_ptr<const Model> model = read_robot(options.robot, find_plugins({})).model;
  for (const std::string& warning : model->warnings) print_message("warning: " + warning);
  const PoseTarget target = read_target(options, *model);
  const auto [result, searches] =
      solve_from_several_starts(model, target, read_start(options, *model), options.starts);
  const std::string text =
      describe_end(*model, target, result) +
      (searches > 1 ? fmt::format("; {} starts were tried (--starts)", searches) : "");
  if (options.json) {
    const std::string json = report(*model, target, result, searches, text)
                                 .dump(-1, ' ', false, Json::error_handler_t::replace) +
                             "\n";
    std::fputs(json.c_str(), stdout);
  } else {
    if (result.end == SearchEnd::found)
      fmt::print("{}\n", text);
    else if (!model->joints.empty())
      fmt::print("the nearest positions that were found:\n");
    print_positions(*model, result.q);
  }
  if (result.end != SearchEnd::found) throw CheckFailed(text);
}

}  // namespace

void add_ik_command(CLI::App& app) {
  auto options = std::make_shared<IkOptions>();
  CLI::App* command = app.add_subcommand(
      "ik", "Find joint positions that bring a frame to a given pose (inverse kinematics)");
  add_robot_argument(*command, options->robot);
  command->add_option("--frame", options->frame, "link or frame to place")
      ->type_name("NAME")
      ->required();
  add_numbers_option(
      *command, "--position", options->position, 3, "X,Y,Z",
      "position of the frame's origin in the robot's base frame, m; by default, free");
  add_numbers_option(*command, "--rpy", options->rpy, 3, "ROLL,PITCH,YAW",
                     "orientation of the frame in the base frame, rad; by default, free");
  add_numbers_option(
      *command, "--start", options->start, 0, "Q,...",
      "q of all joints to start from; by default 0, or the middle of limits that exclude 0");
  command
      ->add_option(
          "--starts", options->starts,
          "number of starts to try: --start, then random positions, the same ones each time")
      ->check(number_between(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  add_set_option(*command, options->robot.settings);
  add_robot_file_options(*command, options->robot);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  add_json_flag(*command, options->json);
  command->footer(
      "The search finds the solution that its start leads to, the same one each time. Joint limits "
      "and mimic joints are respected. If no solution is found, the exit status is 1, and the "
      "positions are those nearest to the target. The message names the reason: the target is out "
      "of reach, joints are at their limits, or the configuration is singular.\n"
      "Example: torsor ik scripts/robots/iiwa.lua --frame link7 --position 0.3,0.4,0.35 --start "
      "0,0.4,0,-1.2,0,0.9,0");
  command->callback([options] { solve(*options); });
}

}  // namespace torsor::cli
