// torsor explain SCENE|ROBOT: prints the intermediate results of a recursive solver at one state,
// body by body. The solver itself reports them.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/explain_page.hpp"
#include "torsor/cli/support/states.hpp"
#include "torsor/run/run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::cli {

namespace {

struct ExplainOptions {
  RobotOptions file;
  std::string states, solver = "newton_euler", body;
  double time = 0;
  bool timed = false, json = false, latex = false;
  std::vector<std::filesystem::path> plugins;
};

// A state and the inputs for which the recursion is explained.
struct Instance {
  State state;
  std::vector<double> vdot, tau;
  std::string where;
};

std::vector<Instance> given_states(const ExplainOptions& options, const RobotDescription& robot) {
  const std::shared_ptr<const Model> model = build(robot);
  for (const std::string& warning : model->warnings) print_message("warning: " + warning);
  std::vector<Instance> out;
  StatesFile file;
  if (!options.states.empty()) file = read_states(options.states, *model);
  if (options.states.empty()) {
    StateEntry& at_rest = file.states.emplace_back();
    at_rest.q = neutral(*model);
    at_rest.v = at_rest.vdot = at_rest.tau = std::vector<double>(size_t(model->n_v));
  }
  for (size_t k = 0; k < file.states.size(); ++k) {
    const StateEntry& entry = file.states[k];
    const std::string where = options.states.empty()
                                  ? "at rest in the zero position"
                                  : fmt::format("in states[{}] of {}", k, options.states);
    Instance& at = out.emplace_back(Instance{State(model), entry.vdot, entry.tau, where});
    if (robot.gravity_W) at.state.set_gravity(*robot.gravity_W);
    if (file.gravity_W) at.state.set_gravity(*file.gravity_W);
    if (const auto gravity_W = given_gravity(options.file)) at.state.set_gravity(*gravity_W);
    at.state.set_q(entry.q);
    at.state.v = entry.v;
    at.state.set_world_motion(entry.V_W, entry.Vdot_W);
    for (const auto& [frame, F] : entry.wrenches)
      at.state.add_wrench(model->frames[size_t(frame)], F);
  }
  return out;
}

// Simulates the scene until the given time. Returns the state there, with vdot and the torques that
// are passed to solvers.
Instance at_time(const ExplainOptions& options, Experiment experiment) {
  if (const auto gravity_W = given_gravity(options.file)) experiment.gravity_W = *gravity_W;
  if (!(options.time >= 0) || options.time > experiment.duration)
    throw Error(fmt::format("--time {:g}: the run of the scene is from 0 to {:g} s", options.time,
                            experiment.duration));
  const long long steps = options.time > 0 ? step_count(options.time, experiment.dt, "--time") : 0;
  Run run(experiment);
  const auto ignore = [](std::span<const double>) {};
  run.begin(ignore);
  while (run.simulation().steps() < steps) run.advance(ignore);
  Simulation& simulation = run.simulation();
  const std::span<const double> vdot = simulation.acceleration();
  Instance out{
      simulation.state(), {vdot.begin(), vdot.end()}, {}, fmt::format("at {:g} s", options.time)};
  const std::span<const double> tau = simulation.joint_torque();
  out.tau.assign(tau.begin(), tau.end());
  return out;
}

std::vector<Instance> instances(const ExplainOptions& options,
                                const std::variant<Experiment, RobotDescription>& file) {
  if (const auto* robot = std::get_if<RobotDescription>(&file)) {
    if (options.timed)
      throw Error("--time applies to scenes; this is a robot: give its states with --states");
    return given_states(options, *robot);
  }
  if (!options.states.empty())
    throw Error("--states applies to robots; this is a scene: give a time of its run with --time");
  return {at_time(options, std::get<Experiment>(file))};
}

// Returns the index of the body to which the link belongs. Returns 0, which means all bodies, if no
// name is given.
int chosen_body(const std::string& name, const Tracer& tracer) {
  if (name.empty()) return 0;
  std::vector<std::string> names;
  for (const Link& link : tracer.model().links) {
    names.push_back(link.name);
    if (link.name != name) continue;
    const int body = tracer.model().frames[size_t(link.frame)].body;
    if (body == 0)
      throw Error(fmt::format(
          "--body: link '{}' is fixed to the world, so the recursion does not reach it", name));
    if (const std::string& carried = tracer.link_name(body); carried != name)
      print_message(fmt::format("--body: link '{}' is part of the body of '{}', which is explained",
                                name, carried));
    return body;
  }
  throw Error(fmt::format("--body: there is no link '{}'{}", name, did_you_mean(name, names)));
}

void explain_file(const ExplainOptions& options) {
  const Registry registry = require_plugins(options.plugins);
  const auto file = read_scene_or_robot(options.file, registry);
  const auto* experiment = std::get_if<Experiment>(&file);
  const Registry& plugins = experiment && experiment->plugins ? *experiment->plugins : registry;
  const std::vector<Instance> all = instances(options, file);
  if (all.empty())
    print_message(fmt::format("{} has no states; there is nothing to explain", options.states));
  std::string out;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Instance& at : all) {
    const PluginInfo& solver = plugins.find<Solver>(options.solver);
    Tracer tracer(plugins.object(solver.id, at.state.model_ptr()), at.state.model_ptr());
    if (tracer.steps().empty())
      throw Error(
          fmt::format("{}: no body moves, so a solver has nothing to compute", options.file.file));
    const int body = chosen_body(options.body, tracer);
    const Status status = tracer.trace(at.state, tracer.of_forward() ? at.tau : at.vdot);
    if (!status) throw Error(fmt::format("{}: {}", at.where, tracer.explain(status)));
    const Explained page{tracer, body, fmt::format("{} {}", options.file.file, at.where)};
    if (options.json)
      json.push_back(explain_json(page));
    else
      out += options.latex ? explain_latex(page) : (out.empty() ? "" : "\n") + explain_text(page);
  }
  if (options.json)
    out = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::fputs(out.c_str(), stdout);
}

}  // namespace

void add_explain_command(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Print a solver's recursion at one state, body by body: equations and numbers");
  add_scene_or_robot_argument(*command, options->file);
  command
      ->add_option(
          "--states", options->states,
          "for a robot: JSON file of states (see torsor eval --help), or - for standard input; by "
          "default, the zero position at rest")
      ->type_name("FILE");
  CLI::Option* time = command
                          ->add_option("--time", options->time,
                                       "for a scene: time of its run, s; by default, its start")
                          ->type_name("S");
  add_solver_option(*command, options->solver);
  command
      ->add_option(
          "--body", options->body,
          "link to explain, with all inputs of its quantities; by default, all links in short")
      ->type_name("LINK");
  add_robot_options(*command, options->file);
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->file.allow_plugins);
  add_json_flag(*command, options->json);
  CLI::Option* json = command->get_option("--json");
  command->add_flag("--latex", options->latex, "print LaTeX instead of text")->excludes(json);
  command->footer(
      "The solver itself reports what it computes, through torsor.solver.trace/1 of the plugin "
      "interface. 'torsor plugins solver' lists which solvers provide a trace.\n"
      "newton_euler: velocities and accelerations outward, wrenches inward; inverse dynamics of "
      "the given vdot. articulated_body: velocities outward, articulated inertias inward, "
      "accelerations outward; forward dynamics of the given tau. lie_group: Jacobians and motions "
      "of the bodies, then M, C and g as sums over them. lagrange_christoffel: Jacobians, sums of "
      "inertias, then the inertia matrix and Christoffel symbols. planar_lagrange: the equation in "
      "absolute and in relative angles. The last three end in inverse dynamics of vdot.\n"
      "Numbers are in the axes of the named link, about its origin, six-vectors angular part "
      "first. Fe is applied BY the environment. For a scene, vdot and tau are those of its run; "
      "tau includes motors, friction and all other joint torques.\n"
      "Example: torsor explain scripts/robots/double_pendulum.lua --solver articulated_body --body "
      "rod2");
  command->callback([options, time] {
    options->timed = time->count() > 0;
    explain_file(*options);
  });
}

}  // namespace torsor::cli
