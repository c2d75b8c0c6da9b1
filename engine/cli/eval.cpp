// torsor eval ROBOT --states FILE: the dynamics of given states as JSON, for other programs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/cli/command.hpp"
#include "torsor/cli/eval_derivatives.hpp"
#include "torsor/cli/eval_frames.hpp"
#include "torsor/cli/parameters_json.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/robot_file.hpp"
#include "torsor/cli/say.hpp"
#include "torsor/cli/states.hpp"
#include "torsor/dynamics/kinematics.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EvalOptions {
  RobotOptions robot;
  std::string solver = "newton_euler", states;
  std::vector<std::string> quantities;
  std::vector<std::filesystem::path> plugins;
};

// The joints' order asked for, and the columns of the model in it.
struct Order {
  std::vector<int> joints, columns;
};

Json homogeneous(const Pose<double>& X) {
  const double* R = X.R.m;
  return {
      {R[0], R[1], R[2], X.p.x}, {R[3], R[4], R[5], X.p.y}, {R[6], R[7], R[8], X.p.z}, {0.0, 0.0, 0.0, 1.0}};
}

// One state, its solver, and what is asked of them.
struct Evaluation {
  Solver& solver;
  State& state;
  const StateEntry& entry;
  const Order& order;
  Json& base;  // the same in all states, and null until it is asked for

  using VectorCall = Status (Solver::*)(const State&, double*);
  using GivenCall = Status (Solver::*)(const State&, const double*, double*);

  Json solved(GivenCall call, const std::vector<double>& given) {
    std::vector<double> out(state.model().n_v);
    check((solver.*call)(state, given.data(), out.data()));
    return ordered_vector(out, order.columns);
  }
  Json solved(VectorCall call) {
    std::vector<double> out(state.model().n_v);
    check((solver.*call)(state, out.data()));
    return ordered_vector(out, order.columns);
  }
  Json solved_matrix(VectorCall call) {
    std::vector<double> out(size_t(state.model().n_v) * state.model().n_v);
    check((solver.*call)(state, out.data()));
    return ordered_matrix(out, order.columns);
  }
  // By rows: [i][j][k] of the symbol G_ijk.
  Json solved_symbols() {
    const size_t n = size_t(state.model().n_v);
    std::vector<double> G(n * n * n);
    check(solver.christoffel_symbols(state, G.data()));
    return ordered_cube(G, order.columns);
  }
  Json solved_split() {
    const size_t n = size_t(state.model().n_v);
    std::vector<double> inertial(n), centrifugal(n), coriolis(n), gravity(n);
    check(solver.torque_split(state, entry.vdot.data(),
                              {inertial.data(), centrifugal.data(), coriolis.data(), gravity.data()}));
    return {{"inertial", ordered_vector(inertial, order.columns)},
            {"centrifugal", ordered_vector(centrifugal, order.columns)},
            {"coriolis", ordered_vector(coriolis, order.columns)},
            {"gravity", ordered_vector(gravity, order.columns)}};
  }
  using Derivatives = Json (*)(Solver&, const State&, const StateEntry&, std::span<const int>);
  Json derivatives(Derivatives function) { return function(solver, state, entry, order.columns); }
  const Json& base_parameters() {
    if (base.is_null())
      base = base_parameters_json(
          torsor::base_parameters(state.model_ptr(), state.gravity_W(), {Included::own, Included::none}));
    return base;
  }
  template <class Function>
  Json per_frame(Function function) {
    Json out = Json::object();
    for (const Frame& frame : state.model().frames) out[frame.name] = function(frame);
    return out;
  }
  void check(Status status) {
    if (!status) throw Error(solver.explain(status));
  }
};

struct Row {
  const char* name;
  Json (*evaluate)(Evaluation&);
  bool (*is_offered)(const Solver&) = [](const Solver&) { return true; };
  // How many derivatives of vdot a state must give.
  size_t needs_rates = 0;
  // Left out where nothing is named: n^3 numbers that few ask for.
  bool is_large = false;
};
bool offers_rates(const Solver& solver) {
  return solver.max_rate_order() >= 2;
}
Json rates_row(Evaluation& e) {
  return e.derivatives(rates_json);
}
bool offers_partials(const Solver& solver) {
  return solver.has_partials();
}
constexpr Row rows[] = {
    {"inverse_dynamics", [](Evaluation& e) { return e.solved(&Solver::inverse, e.entry.vdot); }},
    {"forward_dynamics", [](Evaluation& e) { return e.solved(&Solver::forward, e.entry.tau); }},
    {"mass_matrix", [](Evaluation& e) { return e.solved_matrix(&Solver::mass_matrix); }},
    {"inverse_mass_matrix", [](Evaluation& e) { return e.solved_matrix(&Solver::inverse_mass_matrix); }},
    {"coriolis_matrix", [](Evaluation& e) { return e.solved_matrix(&Solver::coriolis_matrix); }},
    {"gravity", [](Evaluation& e) { return e.solved(&Solver::gravity); }},
    {"bias", [](Evaluation& e) { return e.solved(&Solver::bias); }},
    {"christoffel", [](Evaluation& e) { return e.solved_symbols(); }},
    {"torque_split", [](Evaluation& e) { return e.solved_split(); }},
    {"inverse_dynamics_rates", rates_row, offers_rates, 1},
    {"equation_rates", [](Evaluation& e) { return e.derivatives(equation_rates_json); },
     [](const Solver& solver) { return solver.has_equation_rates(); }, 2},
    {"inverse_dynamics_partials", [](Evaluation& e) { return e.derivatives(inverse_partials_json); },
     offers_partials},
    {"forward_dynamics_partials", [](Evaluation& e) { return e.derivatives(forward_partials_json); },
     offers_partials},
    {"inverse_dynamics_second_partials", [](Evaluation& e) { return e.derivatives(second_partials_json); },
     [](const Solver& solver) { return solver.has_second_partials(); }, 0, true},
    {"regressor", [](Evaluation& e) { return regressor_json(e.state, e.entry.vdot, e.order.columns); }},
    {"base_parameters", [](Evaluation& e) { return e.base_parameters(); }},
    {"kinetic_energy", [](Evaluation& e) { return Json(kinetic_energy(e.state)); }},
    {"potential_energy", [](Evaluation& e) { return Json(potential_energy(e.state)); }},
    {"poses",
     [](Evaluation& e) {
       return e.per_frame([&](const Frame& frame) { return homogeneous(frame_pose(e.state, frame)); });
     }},
    {"jacobians",
     [](Evaluation& e) {
       return e.per_frame([&](const Frame& frame) {
         return rows_over_columns(frame_jacobian(e.state, frame), e.order.columns);
       });
     }},
    {"jacobian_rates",
     [](Evaluation& e) {
       return e.per_frame([&](const Frame& frame) {
         return rows_over_columns(jacobian_derivative(e.state, frame), e.order.columns);
       });
     }},
    {"operational_space",
     [](Evaluation& e) {
       const OperationalSpaces spaces(e.solver, e.state);
       return e.per_frame([&](const Frame& frame) { return describe(spaces.of(frame), e.order.columns); });
     }},
    {"centroidal", [](Evaluation& e) { return describe(centroidal(e.state), e.order.columns); }},
    {"joint_wrenches",
     [](Evaluation& e) { return joint_wrenches_json(e.state, e.entry.vdot, e.order.joints); }},
};

bool all_finite(const Json& result) {
  if (result.is_number()) return std::isfinite(result.get<double>());
  if (!result.is_structured()) return true;
  return std::all_of(result.begin(), result.end(), [](const Json& entry) { return all_finite(entry); });
}

// Those that are named, else all that the solver has.
std::vector<const Row*> chosen_rows(const std::vector<std::string>& names, const Solver& solver) {
  std::vector<const Row*> chosen;
  std::vector<std::string> all;
  for (const Row& row : rows) all.push_back(row.name);
  for (const Row& row : rows)
    if (names.empty() ? row.is_offered(solver) && !row.is_large
                      : std::find(names.begin(), names.end(), row.name) != names.end())
      chosen.push_back(&row);
  for (const std::string& name : names)
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw Error(fmt::format("--quantity: there is no quantity '{}'{}; there are {}", name,
                              did_you_mean(name, all), fmt::join(all, ", ")));
  return chosen;
}

// Solvers that offer a row for this model.
std::vector<std::string> offering(const Row& row, const Registry& registry,
                                  const std::shared_ptr<const Model>& model) {
  std::vector<std::string> out;
  for (const PluginInfo& plugin : registry.plugins()) {
    if (!plugin.id.starts_with("solver.")) continue;
    try {
      if (row.is_offered(registry.solver(plugin.id, model))) out.emplace_back(without_kind(plugin.id));
    } catch (const Error&) {  // it is none for this model
    }
  }
  return out;
}

// Of what was asked for by name. Throws Error where the solver has no such thing at all, and where a state says too little or too much.
void require_offered(const std::vector<const Row*>& chosen, const Solver& solver, const Registry& registry,
                     const std::shared_ptr<const Model>& model, const StatesFile& file,
                     const std::string& name) {
  for (const Row* row : chosen) {
    if (!row->is_offered(solver)) {
      const std::vector<std::string> others = offering(*row, registry, model);
      throw Error(fmt::format("--quantity {}: solver '{}' does not offer it; {}", row->name, solver.id(),
                              others.empty() ? "no solver that takes this robot does"
                                             : fmt::format("these do: {}", fmt::join(others, ", "))));
    }
    if (!row->needs_rates) continue;
    for (size_t k = 0; k < file.states.size(); ++k) {
      const int order = int(file.states[k].vdot_rates.size());
      if (order < 2)
        throw Error(fmt::format("{}: states[{}]: {} needs 'vdot', 'jerk' and 'snap', the derivatives of v",
                                name, k, row->name));
      if (row->evaluate == rates_row && order > solver.max_rate_order())
        throw Error(
            fmt::format("{}: states[{}]: solver '{}' gives derivatives of torques up to order {}; those "
                        "given here ask for order {}",
                        name, k, solver.id(), solver.max_rate_order(), order));
    }
  }
}

// What cannot be computed in one state (a singular M) is null there, with the reason beside it and on stderr.
Json evaluate(Evaluation& evaluation, const std::vector<const Row*>& chosen, const std::string& where) {
  Json result = Json::object(), errors = Json::object();
  for (const Row* row : chosen) {
    if (row->needs_rates > evaluation.entry.vdot_rates.size()) continue;
    try {
      result[row->name] = row->evaluate(evaluation);
      if (!all_finite(result[row->name])) throw Error("the result is not a finite number");
    } catch (const Error& error) {
      result[row->name] = nullptr;
      errors[row->name] = error.what();
      say(fmt::format("warning: {}: {}: {}", where, row->name, error.what()));
    }
  }
  if (!errors.empty()) result["errors"] = errors;
  return result;
}

void evaluate_states(const EvalOptions& options) {
  const Registry registry = require_plugins(options.plugins);
  const std::shared_ptr<const Model> model = build(read_robot(options.robot));
  for (const std::string& warning : model->warnings) say("warning: " + warning);
  Solver solver = registry.solver(options.solver, model);
  const std::vector<const Row*> chosen = chosen_rows(options.quantities, solver);
  const StatesFile file = read_states(options.states, *model);

  Order order{file.joints, {}};
  Json names = Json::array();
  for (const int j : file.joints) {
    names.push_back(model->joints[j].name);
    for (int k = 0; k < traits(model->joints[j].kind).n_v; ++k)
      order.columns.push_back(model->joints[j].v_index + k);
  }
  if (!options.quantities.empty()) require_offered(chosen, solver, registry, model, file, options.states);
  State state(model);
  if (file.gravity_W) state.set_gravity(*file.gravity_W);
  if (const auto gravity_W = given_gravity(options.robot)) state.set_gravity(*gravity_W);

  const std::vector<std::string> column_names = model->column_names();
  Json columns = Json::array();
  for (const int column : order.columns) columns.push_back(column_names[size_t(column)]);
  Json out{{"joints", names}, {"columns", columns}, {"solver", solver.id()}, {"results", Json::array()}};
  Json base;
  for (size_t k = 0; k < file.states.size(); ++k) {
    const StateEntry& entry = file.states[k];
    state.set_q(entry.q);
    state.v = entry.v;
    state.clear_wrenches();
    state.set_world_motion(entry.V_W, entry.Vdot_W);
    for (const auto& [frame, F] : entry.wrenches) state.add_wrench(model->frames[frame], F);
    Evaluation evaluation{solver, state, entry, order, base};
    out["results"].push_back(evaluate(evaluation, chosen, fmt::format("{}: states[{}]", options.states, k)));
  }
  const std::string text = out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(text.c_str(), stdout);  // what fails there is found when the program ends
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "Compute the dynamics of given states of a robot, as JSON");
  add_robot_options(*command, options->robot, "ROBOT",
                    "a .urdf file, or a .lua file that returns a robot or a module with build");
  command->add_option("--states", options->states, "JSON file of states, or - for the standard input")
      ->required();
  command->add_option("--solver", options->solver, "solver to ask")->capture_default_str();
  command
      ->add_option("--quantity", options->quantities,
                   "what to compute, separated by commas; all where left out")
      ->delimiter(',');
  add_plugins_option(*command, options->plugins);
  command->footer(
      "FILE: {\"joints\": [order of columns, optional], \"gravity\": [optional 3],\n"
      "       \"states\": [{\"q\": [], \"v\": [], \"vdot\": [], \"tau\": [], \"wrenches\": {\"link\": [6]},\n"
      "                   \"base_twist\": [6], \"base_acceleration\": [6],\n"
      "                   \"jerk\": [], \"snap\": [], \"crackle\": [], \"pop\": [], \"wrenches_dot\": {}, "
      "\"wrenches_ddot\": {},\n"
      "                   \"base_jerk\": [6], \"base_snap\": [6]}]}; what is left out is zero, and a "
      "quaternion 1.\n"
      "A joint of several degrees of freedom has its entries in a row: floating q = x, y, z, qw, qx, qy, qz "
      "and v =\n"
      "body-fixed (omega, v). \"columns\" names those of v, vdot and tau.\n"
      "The base's twist (omega; v) is that of the robot's base frame where something carries it, in its "
      "axes, its\n"
      "acceleration the time derivative of that by component; gravity is in these axes too.\n"
      "A wrench is (moment; force) at the link's origin in its axes, BY the environment ON the link.\n"
      "Rigid-body terms only: rotor inertia counts, damping and friction do not. Jacobians and their\n"
      "rates Jdot are body-fixed, angular rows first.\n"
      "operational_space, of every frame with its body-fixed twist: F = Lambda Vdot + eta, with eta =\n"
      "coriolis + gravity, tau = J^T F + null_projector tau_0, Jbar = M^-1 J^T Lambda. Where the rank is\n"
      "below 6 they are of the motions that there are: nothing moves the frame along rows of immovable.\n"
      "centroidal, in the world's axes, moments about the centre of mass: momentum = momentum_matrix v,\n"
      "its derivative momentum_matrix vdot + momentum_bias. Nothing fixed to the world counts, nor do\n"
      "rotors that are armature.\n"
      "joint_wrenches: of each joint the wrench (moment; force) BY the parent ON the link that it carries, "
      "of all "
      "that is\n"
      "between them, at that link's origin in its axes; with 'vdot'. Along the joint it is the torque of "
      "inverse "
      "dynamics\n"
      "without that of the rotor.\n"
      "The Coriolis matrix is not unique: C v and the skewness of Mdot - 2C are the same for every solver, "
      "entries are not.\n"
      "inverse_dynamics_rates: tau, tau_dot, tau_ddot, of vdot and its derivatives jerk and snap by "
      "component; with "
      "crackle and pop\n"
      "two more. Derivatives of wrenches are by component in the link's axes, of the base's acceleration in "
      "its own. "
      "equation_rates, of\n"
      "lie_group: M, C, g, Q = sum J^T F of the wrenches, and tau, with theirs.\n"
      "Partial derivatives are by rows d(row)/d(column) in tangent coordinates, wrenches held fixed in the "
      "links' axes; "
      "the second ones,\n"
      "only where they are named, are [i][j][k]: of [i][j] of dtau_dq, dtau_dv and M along column k. The "
      "derivative "
      "of a frame's pose\n"
      "along a column is that column of its Jacobian.\n"
      "regressor: Y values = inverse dynamics without wrenches, and friction; parameters by link, about its "
      "origin in its axes: M,\n"
      "MX MY MZ = M times the COM, XX YY ZZ XY XZ YZ; of joints that have them Ia (rotor), Fv, Fc "
      "(friction).\n"
      "base_parameters: the fewest that the motion depends on, inertias and rotors; the same in every "
      "state of a base at rest.\n"
      "What cannot be computed in a state (a singular M) is null, with the reason in its \"errors\" and on "
      "stderr.\n"
      "Example: echo '{\"states\": [{\"q\": [0, 1]}]}' | torsor eval scripts/robots/double_pendulum.lua "
      "--states - "
      "--quantity gravity,mass_matrix");
  command->callback([options] { evaluate_states(*options); });
}

}  // namespace torsor::cli
