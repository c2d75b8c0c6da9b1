// torsor compare SCENE|ROBOT: compares the results and the speed of solvers, or of constraint
// solvers, at the same states.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/compare_report.hpp"
#include "torsor/cli/support/compared_states.hpp"
#include "torsor/cli/support/constraint_report.hpp"
#include "torsor/cli/support/constraint_rows.hpp"
#include "torsor/cli/support/contact_problems.hpp"
#include "torsor/cli/support/progress.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor::cli {

namespace {

struct CompareOptions {
  RobotOptions file;
  std::vector<std::string> solvers, constraint_solvers;
  std::vector<std::filesystem::path> plugins;
  int samples = 32;
  uint64_t seed = 1;
  bool json = false;
};

// Returns the ids of the named plugins of the handle's kind, or of all if no names are given.
// option: the option of the names.
template <class Handle>
std::vector<std::string> chosen_ids(const std::vector<std::string>& names, const char* option,
                                    const Registry& registry) {
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    ids.push_back(registry.find<Handle>(name).id);
    if (std::count(ids.begin(), ids.end(), ids.back()) > 1)
      throw Error(fmt::format("{} {}: the solver is listed twice", option, name));
  }
  if (ids.empty())
    for (const PluginInfo& plugin : registry.plugins())
      if (plugin.kind() == Handle::kind) ids.push_back(plugin.id);
  return ids;
}

// Prepares the solvers that support the model. Adds the others to the report.
std::vector<Solver> prepare(const CompareOptions& options, const Registry& registry,
                            const std::shared_ptr<const Model>& model, CompareReport& report) {
  std::vector<Solver> solvers;
  for (const std::string& id : chosen_ids<Solver>(options.solvers, "--solver", registry)) {
    try {
      solvers.push_back(registry.solver(id, model));
      report.solvers.push_back(registry.find<Solver>(id));
    } catch (const UnsupportedModel& rejection) {
      report.not_applicable.push_back({id, rejection.reason});
    }
  }
  if (solvers.size() >= 2) return solvers;
  std::string why = solvers.empty() ? "no solver supports this model"
                                    : "only " + solvers[0].id() + " supports this model";
  if (options.solvers.size() == 1) why = "only one solver is given";
  for (const auto& [id, reason] : report.not_applicable)
    why += fmt::format("; {} is not applicable: {}", id, reason);
  throw Error(fmt::format("{}: there is nothing to compare: {}", options.file.file, why));
}

void judge(const Comparison& comparison, const DerivativeComparison& derivatives, int state,
           CompareReport& report) {
  for (PairResult& pair : report.pairs) {
    const Compared* of_dynamics = std::get_if<Compared>(&pair.quantity);
    const Disagreement now =
        of_dynamics ? comparison.between(pair.a, pair.b, *of_dynamics)
                    : derivatives.between(pair.a, pair.b, std::get<Derivative>(pair.quantity));
    pair.singular_states += now.singular;
    if (!(now.fraction() > pair.worst.fraction()) && state > 1) continue;
    pair.worst = now;
    pair.state = state;
    pair.failure.clear();
    if (!now.broken()) continue;
    for (const int solver : {pair.a, pair.b})
      if (const std::string why =
              of_dynamics ? comparison.failure(solver, *of_dynamics)
                          : derivatives.failure(solver, std::get<Derivative>(pair.quantity));
          !why.empty())
        pair.failure += fmt::format("{}{}: {}", pair.failure.empty() ? "" : "; ",
                                    without_kind(report.solvers[solver].id), why);
  }
}

// Returns the best time per call over a few batches. Each batch takes much longer than reading the
// clock.
Timing measure(Solver& solver, Quantity quantity, ComparedStates& states,
               std::vector<double>& out) {
  using Clock = std::chrono::steady_clock;
  constexpr double batch_ns = 5e5, enough_ns = 5e6;
  const std::vector<double>& given = given_of(quantity, states.vdot, states.tau);
  double best = std::numeric_limits<double>::quiet_NaN(), total = 0;
  for (long calls = 1; total < enough_ns;) {
    const auto start = Clock::now();
    for (long k = 0; k < calls; ++k)
      if (!solver.evaluate(quantity, states.state(), given.data(), out.data()))
        return {std::numeric_limits<double>::quiet_NaN(), solver.capability(quantity)};
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    total += ns;
    best = std::fmin(best, ns / double(calls));
    if (ns < batch_ns) calls *= 2;
  }
  return {best, solver.capability(quantity)};
}

void measure_all(Comparison& comparison, ComparedStates& states, CompareReport& report) {
  // Maximum number of dof for which the host derives the n^3 symbols within seconds.
  constexpr size_t most_columns = 200;
  const size_t n = size_t(states.model().n_v);
  for (const Quantity quantity : all_quantities)
    if (indices(quantity) < 3 || n <= most_columns) report.timed.push_back(quantity);
  std::vector<double> out;
  for (Solver& solver : comparison.solvers()) {
    auto& timings = report.timings.emplace_back();
    for (const Quantity quantity : report.timed) {
      out.resize(entries(quantity, n));
      timings.push_back(measure(solver, quantity, states, out));
    }
  }
}

void print(const std::string& text, const nlohmann::ordered_json& json, bool as_json) {
  const std::string out =
      as_json ? json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
              : text;
  std::fputs(out.c_str(), stdout);  // errors are reported by flush_output()
}

// Returns the report with the constraint solvers of --constraint-solver. with_friction: rejects
// those that do not handle friction.
ConstraintReport constraint_report(const CompareOptions& options, const Registry& registry,
                                   const std::shared_ptr<const Model>& model,
                                   ConstraintReport::Kind kind, bool with_friction) {
  ConstraintReport report(kind, options.file.file);
  const bool all = options.constraint_solvers == std::vector<std::string>{"all"};
  for (const std::string& id :
       chosen_ids<ConstraintSolver>(all ? std::vector<std::string>() : options.constraint_solvers,
                                    "--constraint-solver", registry)) {
    auto solver = registry.make<ConstraintSolver>(id, model);
    const PluginInfo& plugin = registry.find<ConstraintSolver>(id);
    if (with_friction && !solver->handles_friction())
      report.reject(plugin, "it does not handle friction");
    else
      report.add_solver(plugin, std::move(solver));
  }
  return report;
}

// The parts of a comparison of constraint solvers: text, JSON, and the first failure or "".
struct ConstraintPages {
  std::string text, broken;
  nlohmann::ordered_json json;
};

// Compares the constraint solvers on the constraints of the model. The rows are computed with the
// solver `dynamics`. Returns nullopt if there are no rows.
std::optional<ConstraintPages> compare_model_constraints(const CompareOptions& options,
                                                         const Registry& registry,
                                                         const std::string& dynamics,
                                                         ComparedStates& states) {
  const std::shared_ptr<const Model> model = states.state().model_ptr();
  ConstraintRowsAt rows(registry.solver(dynamics, model));
  ConstraintReport report =
      constraint_report(options, registry, model, ConstraintReport::Kind::constraints, false);
  states.close_loops(
      [&](std::shared_ptr<const Model> of) { return registry.solver(dynamics, std::move(of)); });
  for (int k = 1; k <= options.samples; ++k) {
    k == 1 && states.of_scene() ? states.begin() : states.draw();
    rows.evaluate(states.state(), states.tau);
    if (rows.n() == 0) return std::nullopt;
    report.compare(rows.problem());
  }
  report.measure(rows.problem());
  const ConstraintRowsAt::Counts& counts = rows.counts();
  nlohmann::ordered_json json{{"states", report.problems()}, {"seed", options.seed}};
  json["rows"] = {{"closures", counts.closures},
                  {"mimics", counts.mimics},
                  {"frictions", counts.frictions},
                  {"stops", counts.stops}};
  json.update(report.json());
  return ConstraintPages{report.text(fmt::format(
                             "{:<13}{}, seed {}{}\n{:<13}{} of closures, {} of mimic joints, {} of "
                             "dry friction, {} of stops\n",
                             "states", report.problems(), options.seed,
                             states.of_scene() ? "; the first is the scene's start" : "", "rows",
                             counts.closures, counts.mimics, counts.frictions, counts.stops)),
                         report.broken_line(), std::move(json)};
}

// Compares the constraint solvers on the contacts of the run of a scene. Returns nullopt if the run
// has no step with a problem of contacts, or if no solver handles friction and it is optional.
std::optional<ConstraintPages> compare_contacts(const CompareOptions& options,
                                                const Registry& registry,
                                                const Experiment& experiment, bool is_optional) {
  if (experiment.integrator != Integrator::time_stepping || !has_contacts(*experiment.model))
    return std::nullopt;
  ConstraintReport report =
      constraint_report(options, registry, experiment.model, ConstraintReport::Kind::contacts,
                        has_contact_friction(*experiment.model));
  if (report.n_solvers() == 0 && is_optional) {
    print_message(fmt::format(
        "warning: {}: the contacts are not compared: they have friction, and {} does not handle it",
        options.file.file, report.rejected().front().first.id));
    return std::nullopt;
  }
  if (report.n_solvers() == 0)
    throw Error(
        fmt::format("{}: there is nothing to compare: the contacts have friction, and {} "
                    "does not handle it",
                    options.file.file, report.rejected().front().first.id));
  std::vector<double> times;
  ContactProblem largest;
  sample_contact_problems(experiment, options.samples,
                          [&](double time, const ContactProblem& problem) {
                            times.push_back(time);
                            report.compare(problem.problem());
                            if (problem.size() > largest.size()) largest = problem;
                          });
  if (times.empty()) return std::nullopt;
  report.measure(largest.problem());
  nlohmann::ordered_json json{{"states", report.problems()}, {"times", times}};
  json["largest"] = {{"points", largest.points.size()},
                     {"rows", largest.size()},
                     {"friction_groups", largest.frictions.size()},
                     {"entries", largest.value.size()}};
  json.update(report.json());
  return ConstraintPages{
      report.text(fmt::format(
          "{:<13}{} steps of the run with contacts, from t = {:.6g} s to {:.6g} s\n{:<13}{} "
          "points, "
          "{} rows, {} friction groups, {} entries of G; times are those of it\n",
          "states", times.size(), times.front(), times.back(), "largest", largest.points.size(),
          largest.size(), largest.frictions.size(), largest.value.size())),
      report.broken_line(), std::move(json)};
}

// Compares the constraint solvers. The dynamics are those of the first solver of --solver, the
// solver of the scene, or the default.
void compare_constraint_solvers(const CompareOptions& options, const Registry& registry,
                                const Experiment* scene, ComparedStates& states) {
  const std::string dynamics = !options.solvers.empty() ? options.solvers.front()
                               : scene                  ? scene->solver
                                                        : Experiment{}.solver;
  const char* subject = scene ? "scene" : "robot";
  nlohmann::ordered_json json{{"torsor", TORSOR_VERSION}, {subject, options.file.file}};
  std::string text = fmt::format("{:<13}{}\n", subject, options.file.file), broken;
  const std::optional<ConstraintPages> constraints =
      compare_model_constraints(options, registry, dynamics, states);
  std::optional<ConstraintPages> contacts;
  if (scene) {
    Experiment run = *scene;
    run.solver = dynamics;
    if (const auto gravity_W = given_gravity(options.file)) run.gravity_W = *gravity_W;
    contacts = compare_contacts(options, registry, run, constraints.has_value());
  }
  if (!constraints && !contacts)
    throw Error(fmt::format(
        "{}: there is nothing to compare: the model has no closures, mimic joints, stops, or dry "
        "friction at joints, and no step of a run with time_stepping has contacts",
        options.file.file));
  if (constraints) broken = constraints->broken;
  if (contacts && broken.empty()) broken = contacts->broken;
  json["agree"] = broken.empty();
  if (constraints) json.update(constraints->json), text += constraints->text;
  if (contacts) {
    json["contacts"] = contacts->json;
    text += (constraints ? "\ncontacts\n" : "") + contacts->text;
  }
  print(text, json, options.json);
  if (!broken.empty()) throw CheckFailed(broken);
}

void compare(const CompareOptions& options) {
  const ActivityScope compares(
      {.subject = options.file.file.c_str(),
       .note = "no comparison is printed; --solver ID,... selects other solvers"});
  const Registry found = require_plugins(options.plugins);
  const auto file = read_scene_or_robot(options.file, found);
  const auto* scene = std::get_if<Experiment>(&file);
  const Registry& registry = scene ? *scene->plugins : found;
  ComparedStates states(file, options.file.file, options.seed);
  for (const std::string& warning : states.model().warnings) print_message("warning: " + warning);
  if (states.model().n_v == 0)
    throw Error(fmt::format("{}: the robot has no moving joint; there is nothing to compare",
                            options.file.file));
  if (const auto gravity_W = given_gravity(options.file)) states.state().set_gravity(*gravity_W);

  if (!options.constraint_solvers.empty())
    return compare_constraint_solvers(options, registry, scene, states);

  CompareReport report;
  report.file = options.file.file;
  report.subject = states.of_scene() ? "scene" : "robot";
  report.columns = states.model().n_v;
  report.states = options.samples;
  report.seed = options.seed;
  Comparison comparison(prepare(options, registry, states.state().model_ptr(), report));
  for (const Compared quantity : all_compared)
    for (int a = 0; a < int(report.solvers.size()); ++a)
      for (int b = a + 1; b < int(report.solvers.size()); ++b)
        report.pairs.push_back({quantity, a, b, {}, 1, 0, ""});
  DerivativeComparison derivatives(comparison.solvers());
  for (const Derivative quantity : all_derivatives)
    for (int a = 0; a < int(report.solvers.size()); ++a)
      for (int b = a + 1; b < int(report.solvers.size()); ++b)
        if (derivatives.offers(a, quantity) && derivatives.offers(b, quantity))
          report.pairs.push_back({quantity, a, b, {}, 1, 0, ""});

  Progress progress;
  for (int k = 1; k <= options.samples; ++k) {
    k == 1 && states.of_scene() ? states.begin() : states.draw();
    comparison.ask(states.state(), states.vdot, states.tau);
    derivatives.ask(states.state(), states.vdot);
    judge(comparison, derivatives, k, report);
    if (progress.due())
      progress.show(double(k) / options.samples,
                    fmt::format("{} of {} states", k, options.samples));
  }
  states.draw();  // a scene may start at rest, where some calls are cheaper
  measure_all(comparison, states, report);
  progress.clear();

  print(as_text(report), as_json(report), options.json);
  if (const std::string broken = broken_line(report); !broken.empty()) throw CheckFailed(broken);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Compare the results and the speed of all solvers at the same states");
  add_scene_or_robot_argument(*command, options->file);
  add_names_option(*command, "--solver", options->solvers, "ID,...",
                   "solver plugins to compare; by default, all");
  add_names_option(*command, "--constraint-solver", options->constraint_solvers, "ID,...",
                   "compare constraint solver plugins instead; 'all' compares all of them");
  add_random_states_options(*command, options->samples, options->seed);
  add_robot_options(*command, options->file);
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->file.allow_plugins);
  add_json_flag(*command, options->json);
  command->footer(
      "For a scene, the first state is the scene's start, and the scene's gravity, wrenches and "
      "forces act in all states. For a robot, random wrenches act on its frames.\n"
      "Compares tau, M, C v, Mdot, g and the bias, and, if at least two solvers provide them, "
      "tau', tau'', d tau/dq and d tau/dv. They must agree to 1e-10 of the size of the quantity in "
      "that state. vdot must agree to the larger of 1e-10 and 10 cond(M) eps, and M vdot + b = tau "
      "to 1e-10. Quantities that the host derives from forward dynamics alone are judged by "
      "cond(M) as well. Rounding of the terms of a sum, 16 eps of their size, is allowed in "
      "addition.\n"
      "With --constraint-solver, the compared problems have the rows of the model's closures, "
      "mimic joints, dry frictions (as if the joints stuck) and stops (as if each joint were at "
      "the "
      "nearer one). Loops are closed where possible. G lambda must agree to 1e-6, and residuals "
      "must be below 1e-6. --solver selects the solver for G. For a scene with contacts and "
      "time_stepping, the problems of the impulses of its run follow: those of the first step with "
      "contacts in each of --samples equal parts of the run. Their residuals must be below 1e-6.\n"
      "The exit status is 1 if solvers disagree.\n"
      "Example: torsor compare scenes/iiwa_free_swing.lua --samples 100\n"
      "Example: torsor compare scenes/four_bar.lua --constraint-solver all\n"
      "Example: torsor compare scenes/box_stack.lua --constraint-solver all --samples 8");
  command->callback([options] { compare(*options); });
}

}  // namespace torsor::cli
