// torsor eval ROBOT --states FILE: computes the dynamics at given states, as JSON for other
// programs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "torsor/base/print_message.hpp"
#include "torsor/cli/eval/eval_batch.hpp"
#include "torsor/cli/eval/eval_choice.hpp"
#include "torsor/cli/eval/eval_derivatives.hpp"
#include "torsor/cli/eval/eval_notes.hpp"
#include "torsor/cli/eval/hdf5_states.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/support/states.hpp"
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

bool all_finite(const Json& result) {
  if (result.is_number()) return std::isfinite(result.get<double>());
  if (!result.is_structured()) return true;
  return std::all_of(result.begin(), result.end(),
                     [](const Json& entry) { return all_finite(entry); });
}

// Evaluates the quantities at one state. A quantity that cannot be computed (for example because M
// is singular) becomes null. The reason is written to "errors" and to stderr.
Json evaluate(Evaluation& evaluation, const std::vector<const EvalRow*>& chosen,
              const std::string& where) {
  Json result = Json::object(), errors = Json::object();
  for (const EvalRow* row : chosen) {
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

void assemble(Solver& solver, State& state, const ConstrainedChoice& choice,
              const std::string& where) {
  try {
    assemble_state(solver, state, choice);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

// Adds the assembled q and v to the result of a state, in the order of the file.
void add_assembled(const State& state, const EvalOrder& order, Json& result) {
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
  const std::vector<const EvalRow*> chosen = chosen_rows(options.quantities, solver);
  if (options.quantities.empty()) require_moderate_size(chosen, *model, options.robot.file);
  const StatesFile file = read_states(options.states, *model);

  require_memory(chosen, *model, file.states.size(), options.robot.file);
  EvalOrder order{file.joints, {}};
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
