// torsor linearise ROBOT --states FILE --dt S: linearises time steps of the simulation, and the
// response of a motion of many steps to its torques, as JSON for other programs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/base/memory.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/support/states.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/planning/absolute_angles.hpp"
#include "torsor/planning/batch.hpp"
#include "torsor/planning/step_dynamics.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;
using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

struct LineariseOptions {
  RobotOptions robot;
  std::string solver = "newton_euler", states, integrator = "euler";
  double dt = 0;
  std::optional<double> duration;  // s; empty: one step
  bool absolute_angles = false;
  std::vector<std::filesystem::path> plugins;
};

Json rows(const MatrixXd& A) {
  Json out = Json::array();
  for (Index i = 0; i < A.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < A.cols(); ++j) row.push_back(A(i, j));
    out.push_back(std::move(row));
  }
  return out;
}

// Returns P with (P z)_i = z_order[i].
MatrixXd permutation(std::span<const int> order) {
  MatrixXd P = MatrixXd::Zero(Index(order.size()), Index(order.size()));
  for (size_t i = 0; i < order.size(); ++i) P(Index(i), order[i]) = 1;
  return P;
}

LinearMotion linearise(StepDynamics& dynamics, const StateEntry& entry, size_t count,
                       const std::string& where) {
  VectorXd x(Index(entry.q.size() + entry.v.size()));
  std::copy(entry.v.begin(), entry.v.end(), std::copy(entry.q.begin(), entry.q.end(), x.data()));
  const VectorXd u = Eigen::Map<const VectorXd>(entry.tau.data(), Index(entry.tau.size()));
  try {
    return torsor::linearise(dynamics, x, count, [&](size_t) -> const VectorXd& { return u; });
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

// Returns q and v of a state. q has the order of the model.
Json state_json(const VectorXd& x, Index n_q, std::span<const int> order) {
  Json q = Json::array(), v = Json::array();
  for (const double value : x.head(n_q)) q.push_back(value);
  for (const int k : order) v.push_back(x[n_q + k]);
  return {{"q", q}, {"v", v}};
}

Json result(const LinearMotion& motion, const MatrixXd* L, bool batch, Index n_q,
            std::span<const int> order) {
  Json out = Json::object();
  if (!batch) {
    out["A"] = rows(motion.steps[0].A), out["B"] = rows(motion.steps[0].B);
    out.update(state_json(motion.x[1], n_q, order));
    return out;
  }
  const MatrixXd S = batch_response(motion.steps);
  if (L) out["S_u"] = rows(S);
  out["S_tau"] = rows(L ? relative_response(S, *L) : S);
  out["S_x"] = rows(free_response(motion.steps));
  out["states"] = Json::array();
  for (const VectorXd& x : motion.x) out["states"].push_back(state_json(x, n_q, order));
  return out;
}

void require_plain_state(const StateEntry& entry, const std::string& where) {
  const auto moves = [](const Twist<double>& V) { return dot(V.w, V.w) + dot(V.v, V.v) != 0; };
  if (!entry.wrenches.empty() || moves(entry.V_W) || moves(entry.Vdot_W))
    throw Error(where + ": has wrenches or a moving base, which linearised steps do not include");
}

Integrator read_integrator(const std::string& given) {
  if (const auto found = integrator(given)) return *found;
  const std::vector<std::string> names = integrator_names();
  throw Error(fmt::format("--integrator {}: unknown; use one of {}{}", given,
                          fmt::join(names, ", "), did_you_mean(given, names)));
}

Step read_step(const LineariseOptions& options) {
  if (!(options.dt > 0 && std::isfinite(options.dt)))
    throw Error(
        fmt::format("--dt {:g}: the step must be a positive number of seconds", options.dt));
  return linearised_step(read_integrator(options.integrator), options.dt);
}

// A number is eight bytes in a matrix and about a hundred as JSON and text.
void reserve_results(const LineariseOptions& options, const Model& model, size_t states,
                     size_t count) {
  const double n = model.n_v, T = double(count), matrices = options.absolute_angles ? 2 : 1;
  reserve_memory(fmt::format("{}: the response over {} steps", options.robot.file, count),
                 110.0 * double(states) * matrices * 2 * n * n * (T + 1) * (T + 1));
}

// Returns the indices of the dof in the order of the file.
std::vector<int> dof_order(const StatesFile& file, const Model& model) {
  std::vector<int> out;
  for (const int j : file.joints)
    for (int k = 0; k < traits(model.joints[size_t(j)].kind).n_v; ++k)
      out.push_back(model.joints[size_t(j)].v_index + k);
  return out;
}

// Converts the steps of a motion to the order of the output, and to absolute angles if L is given
// for this order.
void reorder(std::vector<LinearStep>& steps, const MatrixXd& P, const MatrixXd* L) {
  MatrixXd both = MatrixXd::Zero(2 * P.rows(), 2 * P.rows());
  both.topLeftCorner(P.rows(), P.rows()) = both.bottomRightCorner(P.rows(), P.rows()) = P;
  for (LinearStep& each : steps) {
    each = {both * each.A * both.transpose(), both * each.B * P.transpose()};
    if (L) each = in_absolute_angles(each, *L);
  }
}

void linearise_states(const LineariseOptions& options) {
  const Step step = read_step(options);
  const size_t count =
      options.duration ? size_t(step_count(*options.duration, options.dt, "--duration")) : 1;
  const Registry found = require_plugins(options.plugins);
  const auto [model, gravity_of_scene, plugins_of_scene, controls, start, held] =
      read_robot(options.robot, found);
  const Registry& registry = plugins_of_scene ? *plugins_of_scene : found;
  for (const std::string& warning : model->warnings) print_message("warning: " + warning);
  const StatesFile file = read_states(options.states, *model);
  reserve_results(options, *model, file.states.size(), count);
  const Vec3<double> gravity_W =
      given_gravity(options.robot)
          .value_or(file.gravity_W.value_or(gravity_of_scene.value_or(Vec3<double>{0, 0, -9.81})));
  const SolverFactory solvers = [&, &registry = registry](std::shared_ptr<const Model> of) {
    return registry.solver(options.solver, std::move(of));
  };
  StepDynamics dynamics(solvers, model, gravity_W, step);
  const std::vector<int> order = dof_order(file, *model);
  const std::vector<std::string> names = model->dof_names();
  Json columns = Json::array();
  for (const int k : order) columns.push_back(names[size_t(k)]);
  const MatrixXd P = permutation(order);
  std::optional<MatrixXd> L;
  if (options.absolute_angles) L = P * absolute_angles(*model) * P.transpose();
  Json out{{"columns", columns},       {"coordinates", model->coordinate_names()},
           {"solver", options.solver}, {"integrator", options.integrator},
           {"dt", options.dt},         {"angles", L ? "absolute" : "relative"},
           {"results", Json::array()}};
  for (size_t k = 0; k < file.states.size(); ++k) {
    const std::string where = fmt::format("{}: states[{}]", options.states, k);
    require_plain_state(file.states[k], where);
    LinearMotion motion = linearise(dynamics, file.states[k], count, where);
    reorder(motion.steps, P, L ? &*L : nullptr);
    out["results"].push_back(
        result(motion, L ? &*L : nullptr, options.duration.has_value(), model->n_q, order));
  }
  const std::string text = out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(text.c_str(), stdout);  // flush_output() reports write errors
}

}  // namespace

void add_linearise_command(CLI::App& app) {
  const auto options = std::make_shared<LineariseOptions>();
  CLI::App* command = app.add_subcommand(
      "linearise", "Linearise time steps of a robot, or a motion of many steps, as JSON");
  add_robot_argument(*command, options->robot);
  command
      ->add_option("--states", options->states,
                   "JSON file of states with q, v and tau, or - for standard input")
      ->type_name("FILE")
      ->required();
  command->add_option("--dt", options->dt, "step, s")->type_name("S")->required();
  command
      ->add_option("--duration", options->duration,
                   "duration of a motion from each state at constant tau, s; by default, one step")
      ->type_name("S");
  command
      ->add_option("--integrator", options->integrator,
                   fmt::format("integrator to use, one of {}", fmt::join(integrator_names(), ", ")))
      ->type_name("NAME")
      ->capture_default_str();
  command->add_flag("--absolute-angles", options->absolute_angles,
                    "use the angles of links that rotate about parallel axes, in place of the "
                    "angles of joints");
  add_solver_option(*command, options->solver);
  add_robot_options(*command, options->robot);
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  command->footer(
      "One step: A and B of dx+ = A dx + B dtau with x = (q, v), and q and v after the step. With "
      "--duration: S_x and S_tau of dx = S_x dx_1 + S_tau dtau, where dx contains all states and "
      "dtau the torques of all steps. --absolute-angles adds S_u, for the forces of the absolute "
      "angles. Changes of q are in tangent coordinates. The format of the file is that of torsor "
      "eval.\n"
      "Example: echo '{\"states\": [{\"q\": [0, 1]}]}' | torsor linearise "
      "scripts/robots/planar.lua "
      "--states - --dt 0.01 --duration 1");
  command->callback([options] { linearise_states(*options); });
}

}  // namespace torsor::cli
