// torsor eval ROBOT --states FILE: computes the dynamics at given states, as JSON for other
// programs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>

#include "torsor/analysis/velocity_coefficients.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/eval/eval_batch.hpp"
#include "torsor/cli/eval/eval_constraints.hpp"
#include "torsor/cli/eval/eval_contacts.hpp"
#include "torsor/cli/eval/eval_derivatives.hpp"
#include "torsor/cli/eval/eval_frames.hpp"
#include "torsor/cli/eval/eval_notes.hpp"
#include "torsor/cli/eval/hdf5_states.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/parameters_json.hpp"
#include "torsor/cli/support/states.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/study/workers/workers.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EvalOptions {
  RobotOptions robot;
  std::string solver = "newton_euler", states, out;
  std::vector<std::string> quantities;
  size_t jobs = 0;  // 0: all cores
  ConstraintOptions constraints;
  std::vector<std::filesystem::path> plugins;
};

// The order of the output: indices of the joints, and indices of their dof.
struct Order {
  std::vector<int> joints, columns;
};

Json homogeneous(const Pose<double>& X) {
  const double* R = X.R.m;
  return {{R[0], R[1], R[2], X.p.x},
          {R[3], R[4], R[5], X.p.y},
          {R[6], R[7], R[8], X.p.z},
          {0.0, 0.0, 0.0, 1.0}};
}

// A state and a solver with which quantities are computed.
struct Evaluation {
  Solver& solver;
  State& state;
  const StateEntry& entry;
  const Order& order;
  const ConstrainedChoice& choice;
  Json& base;  // base parameters, equal in all states; null until they are computed
  ContactDetector& detector;

  // Returns a quantity that the solver computes, as nested lists. The depth of nesting is the
  // number of indices.
  Json solved(Quantity quantity) {
    std::vector<double> out(entries(quantity, size_t(state.model().n_v)));
    check(solver.evaluate(quantity, state, given_of(quantity, entry.vdot, entry.tau).data(),
                          out.data()));
    if (indices(quantity) == 1) return ordered_vector(out, order.columns);
    if (indices(quantity) == 2) return ordered_matrix(out, order.columns);
    return ordered_cube(out, order.columns);
  }
  Json velocity_coefficients() {
    const size_t n = size_t(state.model().n_v);
    std::vector<double> h(n * n * n);
    check(torsor::velocity_coefficients(solver, state, h.data()));
    return ordered_cube(h, order.columns);
  }
  Json solved_split() {
    const size_t n = size_t(state.model().n_v);
    std::vector<double> inertial(n), centrifugal(n), coriolis(n), gravity(n);
    check(solver.torque_split(
        state, entry.vdot.data(),
        {inertial.data(), centrifugal.data(), coriolis.data(), gravity.data()}));
    return {{"inertial", ordered_vector(inertial, order.columns)},
            {"centrifugal", ordered_vector(centrifugal, order.columns)},
            {"coriolis", ordered_vector(coriolis, order.columns)},
            {"gravity", ordered_vector(gravity, order.columns)}};
  }
  using Derivatives = Json (*)(Solver&, const State&, const StateEntry&, std::span<const int>);
  Json derivatives(Derivatives function) { return function(solver, state, entry, order.columns); }
  Json constrained(Json (*function)(const ConstrainedState&)) {
    return function({solver, state, entry, choice, order.columns, order.joints});
  }
  Json joint_wrenches() {
    if (!state.model().closures.empty()) return constrained(closed_joint_wrenches_json);
    return joint_wrenches_json(state, torsor::joint_wrenches(state, entry.vdot), order.joints);
  }
  const Json& base_parameters() {
    if (base.is_null())
      base = base_parameters_json(torsor::base_parameters(state.model_ptr(), state.gravity_W(),
                                                          {Included::own, Included::none}));
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

// Numbers of dof, frames, bodies and joints of a model. They determine how many numbers each
// quantity has.
struct Sizes {
  size_t n, frames, bodies, joints, rows = 0;  // rows: of mimic joints and closures
  size_t colliders = 0;
};
size_t size_jacobians(const Sizes& s) {
  return 6 * s.n * s.frames;
}

// A quantity that `torsor eval` can output.
struct Row {
  const char* name;
  std::function<Json(Evaluation&)> evaluate;
  std::function<size_t(const Sizes&)> size;  // returns the count of numbers per state
  bool (*is_offered)(const Solver&) = [](const Solver&) { return true; };
  // Number of time derivatives of vdot (jerk, snap, ..) that the state must contain
  size_t needs_rates = 0;
  bool on_request_only = false;
  bool of_closed_mechanism = false;  // true: only offered for closed mechanisms
  bool knows_closures = of_closed_mechanism;
};
constexpr std::string_view rates_name = "inverse_dynamics_rates";
bool offers_partials(const Solver& solver) {
  return solver.has_partials();
}
bool of_constrained(const Solver& solver) {
  return has_constraints(solver.model());
}
bool has_colliders(const Solver& solver) {
  return !solver.model().colliders.empty();
}
const Row other_rows[] = {
    {"torque_split", [](Evaluation& e) { return e.solved_split(); },
     [](const Sizes& s) { return 4 * s.n; }},
    {rates_name.data(), [](Evaluation& e) { return e.derivatives(rates_json); },
     [](const Sizes& s) { return 5 * s.n; },
     [](const Solver& solver) { return solver.max_rate_order() >= 2; }, 1},
    {"equation_rates", [](Evaluation& e) { return e.derivatives(equation_rates_json); },
     [](const Sizes& s) { return 3 * (2 * s.n + 3) * s.n; },
     [](const Solver& solver) { return solver.has_equation_rates(); }, 2},
    {"inverse_dynamics_partials",
     [](Evaluation& e) { return e.derivatives(inverse_partials_json); },
     [](const Sizes& s) { return 3 * s.n * s.n; }, offers_partials},
    {"forward_dynamics_partials",
     [](Evaluation& e) { return e.derivatives(forward_partials_json); },
     [](const Sizes& s) { return 3 * s.n * s.n; }, offers_partials},
    {"inverse_dynamics_second_partials",
     [](Evaluation& e) { return e.derivatives(second_partials_json); },
     [](const Sizes& s) { return 4 * s.n * s.n * s.n; },
     [](const Solver& solver) { return solver.has_second_partials(); }, 0, true},
    {"velocity_coefficients", [](Evaluation& e) { return e.velocity_coefficients(); },
     [](const Sizes& s) { return s.n * s.n * s.n; }, [](const Solver&) { return true; }, 0, true},
    {"regressor",
     [](Evaluation& e) { return regressor_json(e.state, e.entry.vdot, e.order.columns); },
     [](const Sizes& s) { return 10 * s.bodies * s.n; }},
    {"base_parameters", [](Evaluation& e) { return e.base_parameters(); },
     [](const Sizes& s) { return 10 * s.bodies; }},
    {"kinetic_energy", [](Evaluation& e) { return Json(kinetic_energy(e.state)); },
     [](const Sizes&) { return size_t(1); }},
    {"potential_energy", [](Evaluation& e) { return Json(potential_energy(e.state)); },
     [](const Sizes&) { return size_t(1); }},
    {"poses",
     [](Evaluation& e) {
       return e.per_frame(
           [&](const Frame& frame) { return homogeneous(frame_pose(e.state, frame)); });
     },
     [](const Sizes& s) { return 16 * s.frames; }},
    {"jacobians",
     [](Evaluation& e) {
       return e.per_frame([&](const Frame& frame) {
         return rows_over_columns(frame_jacobian(e.state, frame), e.order.columns);
       });
     },
     size_jacobians},
    {"jacobian_rates",
     [](Evaluation& e) {
       return e.per_frame([&](const Frame& frame) {
         return rows_over_columns(jacobian_derivative(e.state, frame), e.order.columns);
       });
     },
     size_jacobians},
    {"operational_space",
     [](Evaluation& e) {
       const OperationalSpaces spaces(e.solver, e.state);
       return e.per_frame(
           [&](const Frame& frame) { return describe(spaces.of(frame), e.order.columns); });
     },
     [](const Sizes& s) { return (s.n * s.n + 6 * s.n + 90) * s.frames; }},
    {"centroidal", [](Evaluation& e) { return describe(centroidal(e.state), e.order.columns); },
     [](const Sizes& s) { return 15 * s.n + 30; }},
    {"joint_wrenches", [](Evaluation& e) { return e.joint_wrenches(); },
     [](const Sizes& s) { return 6 * s.joints; }, [](const Solver&) { return true; }, 0, false,
     false, true},
    {"imu",
     [](Evaluation& e) {
       return e.per_frame([&](const Frame& frame) {
         const auto [w, a] = inertial_measurement(e.state, e.entry.vdot, frame);
         return Json{w.x, w.y, w.z, a.x, a.y, a.z};
       });
     },
     [](const Sizes& s) { return 6 * s.frames; }},
    {"least_distance", [](Evaluation& e) { return least_distance_json(e.detector, e.state); },
     [](const Sizes&) { return size_t(10); }, has_colliders},
    {"contacts", [](Evaluation& e) { return contacts_json(e.detector, e.state); },
     [](const Sizes& s) { return 20 * s.colliders; }, has_colliders},
    {"constraints", [](Evaluation& e) { return e.constrained(constraints_json); },
     [](const Sizes& s) { return (s.n + 5) * s.rows; }, of_constrained, 0, false, true},
    {"constrained_forward_dynamics",
     [](Evaluation& e) { return e.constrained(constrained_forward_json); },
     [](const Sizes& s) { return s.n + 7 * s.rows + 6 * s.joints; }, of_constrained, 0, false,
     true},
    {"constrained_inverse_dynamics",
     [](Evaluation& e) { return e.constrained(constrained_inverse_json); },
     [](const Sizes& s) { return 2 * s.n + 7 * s.rows + 6 * s.joints; }, of_constrained, 0, false,
     true},
    {"reduced_dynamics", [](Evaluation& e) { return e.constrained(reduced_dynamics_json); },
     [](const Sizes& s) { return 2 * s.n * s.n; }, of_constrained, 0, false, true},
    {"constrained_forward_dynamics_partials",
     [](Evaluation& e) { return e.constrained(constrained_partials_json); },
     [](const Sizes& s) { return 3 * s.n * s.n; },
     [](const Solver& solver) { return of_constrained(solver) && solver.has_partials(); }, 0, false,
     true},
};

// Returns the rows of the quantities that a solver computes, followed by the rows of the other
// quantities.
const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> out;
    for (const QuantityRow& row : quantities)
      out.push_back({row.key, [q = row.quantity](Evaluation& e) { return e.solved(q); },
                     [q = row.quantity](const Sizes& s) { return entries(q, s.n); }});
    out.insert(out.end(), std::begin(other_rows), std::end(other_rows));
    return out;
  }();
  return all;
}

Sizes sizes_of(const Model& model) {
  return {size_t(model.n_v),
          model.frames.size(),
          size_t(model.n_body),
          model.joints.size(),
          model.mimics.size() + 6 * model.closures.size(),
          model.colliders.size()};
}

// Maximum count of numbers per state, about 2 MB of JSON. If all quantities together exceed it, the
// user must select quantities by name.
constexpr size_t most_numbers = 100'000;

// Throws Error, with the sizes of the largest quantities, if the chosen quantities exceed
// most_numbers.
void require_moderate_size(const std::vector<const Row*>& chosen, const Model& model,
                           const std::string& file) {
  const Sizes sizes = sizes_of(model);
  std::vector<std::pair<size_t, const char*>> largest;
  size_t sum = 0, small = 0;
  for (const Row* row : chosen) {
    const size_t size = row->size(sizes);
    sum += size;
    if (size * 100 > most_numbers)
      largest.emplace_back(size, row->name);
    else
      small += size;
  }
  if (sum <= most_numbers) return;
  std::ranges::stable_sort(largest, std::greater(), [](const auto& one) { return one.first; });
  std::string list;
  for (const auto& [size, name] : largest) list += fmt::format("{} {}, ", name, size);
  throw Error(
      fmt::format("{}: all quantities of this robot are about {} numbers for each state, more than "
                  "{}; choose with --quantity NAME,...: {}the others together {}",
                  file, sum, most_numbers, list, small));
}

// Throws Error if the results of all states do not fit into memory. Called before the computation.
void require_memory(const std::vector<const Row*>& chosen, const Model& model, size_t states,
                    const std::string& file) {
  const Sizes sizes = sizes_of(model);
  double numbers = 0;
  for (const Row* row : chosen) numbers += double(row->size(sizes));
  // Estimated memory in bytes per number: a JSON value and about twenty digits of text. The factor
  // 2 for growing lists and strings is included.
  constexpr double bytes_per_number = 100;
  reserve_memory(
      fmt::format("{}: {:.3g} numbers for each of {}", file, numbers, counted(states, "state")),
      bytes_per_number * numbers * double(states));
}

bool all_finite(const Json& result) {
  if (result.is_number()) return std::isfinite(result.get<double>());
  if (!result.is_structured()) return true;
  return std::all_of(result.begin(), result.end(),
                     [](const Json& entry) { return all_finite(entry); });
}

// Returns whether a quantity is computed if no quantities are named: all that the solver provides,
// except those computed only on request. Those of closed mechanisms are computed for robots with
// closures; a robot with mimic joints alone may be given positions that violate them.
bool is_default(const Row& row, const Solver& solver) {
  return row.is_offered(solver) && !row.on_request_only &&
         (!row.of_closed_mechanism || !solver.model().closures.empty());
}

// Returns the quantities with these names, or the default ones.
std::vector<const Row*> chosen_rows(const std::vector<std::string>& names, const Solver& solver) {
  std::vector<const Row*> chosen;
  std::vector<std::string> all;
  for (const Row& row : rows()) all.push_back(row.name);
  for (const Row& row : rows())
    if (names.empty() ? is_default(row, solver)
                      : std::find(names.begin(), names.end(), row.name) != names.end())
      chosen.push_back(&row);
  for (const std::string& name : names)
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw Error(fmt::format("--quantity: there is no quantity '{}'; there are {}{}", name,
                              fmt::join(all, ", "), did_you_mean(name, all)));
  return chosen;
}

// Returns the names of the solvers that provide a quantity for this model.
std::vector<std::string> offering(const Row& row, const Registry& registry,
                                  const std::shared_ptr<const Model>& model) {
  std::vector<std::string> out;
  for (const PluginInfo& plugin : registry.plugins()) {
    if (plugin.kind() != Solver::kind) continue;
    try {
      if (row.is_offered(registry.solver(plugin.id, model)))
        out.emplace_back(without_kind(plugin.id));
    } catch (const Error&) {  // the solver does not support this model
    }
  }
  return out;
}

// Throws Error in these cases:
// - The solver does not provide a chosen quantity.
// - A state lacks derivatives of v that the quantity needs (at least vdot, jerk and snap).
// - A state has derivatives of a higher order than the solver supports.
void require_offered(const std::vector<const Row*>& chosen, const Solver& solver,
                     const Registry& registry, const std::shared_ptr<const Model>& model,
                     const StatesFile& file, const std::string& name) {
  for (const Row* row : chosen) {
    if (row->of_closed_mechanism && !has_constraints(*model))
      throw Error(fmt::format(
          "--quantity {}: the robot has neither closures nor mimic joints; close a loop with "
          "arm:close",
          row->name));
    if (!row->is_offered(solver)) {
      const std::vector<std::string> others = offering(*row, registry, model);
      throw Error(
          fmt::format("--quantity {}: solver '{}' does not offer it; {}", row->name, solver.id(),
                      others.empty() ? "no solver for this robot does"
                                     : fmt::format("these do: {}", fmt::join(others, ", "))));
    }
    if (!row->needs_rates) continue;
    for (size_t k = 0; k < file.states.size(); ++k) {
      const int order = int(file.states[k].vdot_rates.size());
      if (order < 2)
        throw Error(
            fmt::format("{}: states[{}]: {} needs 'vdot', 'jerk' and 'snap', the derivatives of v",
                        name, k, row->name));
      if (row->name == rates_name && order > solver.max_rate_order())
        throw Error(fmt::format(
            "{}: states[{}]: solver '{}' computes derivatives of torques up to order {}; the "
            "derivatives given here need order {}",
            name, k, solver.id(), solver.max_rate_order(), order));
    }
  }
}

// Evaluates the quantities at one state. A quantity that cannot be computed (for example because M
// is singular) becomes null. The reason is written to "errors" and to stderr.
Json evaluate(Evaluation& evaluation, const std::vector<const Row*>& chosen,
              const std::string& where) {
  Json result = Json::object(), errors = Json::object();
  for (const Row* row : chosen) {
    if (row->needs_rates > evaluation.entry.vdot_rates.size()) continue;
    try {
      result[row->name] = row->evaluate(evaluation);
      if (!all_finite(result[row->name])) throw Error("the result is not a finite number");
    } catch (const Error& error) {
      result[row->name] = nullptr;
      errors[row->name] = error.what();
      print_message(fmt::format("warning: {}: {}: {}", where, row->name, error.what()));
    }
  }
  if (!errors.empty()) result["errors"] = errors;
  return result;
}

// Returns the names of the quantities that do not know closures.
Json names_of_tree_quantities(const std::vector<const Row*>& chosen) {
  Json out = Json::array();
  for (const Row* row : chosen)
    if (!row->knows_closures) out.push_back(row->name);
  return out;
}

void assemble(Solver& solver, State& state, const ConstrainedChoice& choice,
              const std::string& where) {
  try {
    assemble_state(solver, state, choice);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

// Adds the assembled q and v to the result of a state, in the order of the file.
void add_assembled(const State& state, const Order& order, Json& result) {
  Json q = Json::array();
  for (const int j : order.joints) {
    const Joint& joint = state.model().joints[size_t(j)];
    for (int k = 0; k < traits(joint.kind).n_q; ++k)
      q.push_back(state.q()[size_t(joint.q_index + k)]);
  }
  result["q"] = std::move(q);
  result["v"] = ordered_vector(state.v, order.columns);
}

// Returns a state with the gravity of the options, or that of the scene.
State like(const std::shared_ptr<const Model>& model, const std::optional<Vec3<double>>& of_scene,
           const EvalOptions& options) {
  State state(model);
  if (of_scene) state.set_gravity(*of_scene);
  if (const auto gravity_W = given_gravity(options.robot)) state.set_gravity(*gravity_W);
  return state;
}

// Computes the states of an HDF5 file.
void evaluate_table(const EvalOptions& options, const Registry& registry, const State& state) {
  if (options.out.empty())
    throw Error(
        fmt::format("{}: give an HDF5 file for the results with --out FILE", options.states));
  for (const std::string& input : {options.states, options.robot.file})
    if (std::error_code error; std::filesystem::equivalent(options.out, input, error))
      throw Error(fmt::format("--out {}: this is the file of the {}; give another name",
                              options.out, input == options.states ? "states" : "robot"));
  if (options.constraints.assemble || !options.constraints.independent.empty() ||
      !options.constraints.actuated.empty())
    throw Error("--assemble, --independent and --actuated are for a JSON file of states");
  if (!state.model().closures.empty())
    print_message("warning: the results are those of the tree without its closures");
  evaluate_batch(
      {options.states, options.out, options.quantities,
       options.jobs > 0 ? options.jobs : default_jobs()},
      [&] { return registry.solver(options.solver, state.model_ptr()); }, state);
}

void evaluate_states(const EvalOptions& options) {
  const ActivityScope evaluates(
      {.subject = options.robot.file.c_str(), .note = "no results are printed"});
  const Registry found = require_plugins(options.plugins);
  const auto [model, gravity_of_scene, plugins_of_scene, controls, start, held] =
      read_robot(options.robot, found);
  const Registry& registry = plugins_of_scene ? *plugins_of_scene : found;
  for (const std::string& warning : model->warnings) print_message("warning: " + warning);
  if (options.states != "-" && is_hdf5_file(options.states)) {
    evaluate_table(options, registry, like(model, gravity_of_scene, options));
    return;
  }
  if (!options.out.empty() || options.jobs > 0)
    throw Error(
        "--out and --jobs are for an HDF5 file of states, which cannot be a pipe; the results of "
        "JSON states are printed");
  Solver solver = registry.solver(options.solver, model);
  const std::vector<const Row*> chosen = chosen_rows(options.quantities, solver);
  if (options.quantities.empty()) require_moderate_size(chosen, *model, options.robot.file);
  const StatesFile file = read_states(options.states, *model);

  require_memory(chosen, *model, file.states.size(), options.robot.file);
  Order order{file.joints, {}};
  Json names = Json::array();
  for (const int j : file.joints) {
    names.push_back(model->joints[j].name);
    for (int k = 0; k < traits(model->joints[j].kind).n_v; ++k)
      order.columns.push_back(model->joints[j].v_index + k);
  }
  if (!options.quantities.empty())
    require_offered(chosen, solver, registry, model, file, options.states);
  State state = like(model, gravity_of_scene, options);
  if (file.gravity_W && !given_gravity(options.robot)) state.set_gravity(*file.gravity_W);

  const ConstrainedChoice choice = read_choice(options.constraints, *model, options.robot.file);
  const std::vector<std::string> column_names = model->dof_names();
  Json columns = Json::array();
  for (const int column : order.columns) columns.push_back(column_names[size_t(column)]);
  Json out{
      {"joints", names}, {"columns", columns}, {"solver", solver.id()}, {"results", Json::array()}};
  if (!model->closures.empty()) out["of_the_tree"] = names_of_tree_quantities(chosen);
  Json base;
  ContactDetector detector(model);
  for (size_t k = 0; k < file.states.size(); ++k) {
    const StateEntry& entry = file.states[k];
    state.set_q(entry.q);
    state.v = entry.v;
    state.clear_wrenches();
    state.set_world_motion(entry.V_W, entry.Vdot_W);
    for (const auto& [frame, F] : entry.wrenches) state.add_wrench(model->frames[frame], F);
    const std::string where = fmt::format("{}: states[{}]", options.states, k);
    if (options.constraints.assemble) assemble(solver, state, choice, where);
    Evaluation evaluation{solver, state, entry, order, choice, base, detector};
    Json result = evaluate(evaluation, chosen, where);
    if (options.constraints.assemble) add_assembled(state, order, result);
    out["results"].push_back(std::move(result));
  }
  const std::string text = out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(text.c_str(), stdout);  // flush_output() reports write errors
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand(
      "eval", "Compute the dynamics of a robot at given states, as JSON for other programs");
  add_robot_argument(*command, options->robot);
  command
      ->add_option("--states", options->states,
                   "JSON file of states, HDF5 file of many states, or - for standard input")
      ->type_name("FILE")
      ->required();
  command->add_option("--out", options->out, "HDF5 file for the results of an HDF5 file of states")
      ->type_name("FILE");
  command
      ->add_option("--jobs", options->jobs,
                   "threads for an HDF5 file of states; by default, one for each core")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  add_names_option(*command, "--quantity", options->quantities, "NAME,...",
                   "quantities to compute; by default, all that the solver provides");
  add_names_option(*command, "--independent", options->constraints.independent, "NAME,...",
                   "joints or degrees of freedom whose rates determine the motion of a robot with "
                   "closures; by default, they are chosen at each state");
  add_names_option(*command, "--actuated", options->constraints.actuated, "NAME,...",
                   "joints or degrees of freedom with torques in constrained inverse dynamics; by "
                   "default, all that are neither passive nor mimic joints");
  command->add_flag("--assemble", options->constraints.assemble,
                    "close the loops of each state first, with the values of --independent kept");
  add_solver_option(*command, options->solver);
  add_robot_options(*command, options->robot);
  command->add_flag("--collisions", options->robot.collisions,
                    "read the <collision> shapes of a robot file, for distances and contacts");
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->robot.allow_plugins);
  command->footer(eval_notes);
  command->callback([options] { evaluate_states(*options); });
}

}  // namespace torsor::cli
