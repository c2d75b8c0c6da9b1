// torsor compare SCENE|ROBOT: compares the results and the speed of solvers at the same states.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "torsor/base/print_message.hpp"
#include "torsor/base/random.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/robot_file.hpp"
#include "torsor/cli/pages/compare_report.hpp"
#include "torsor/cli/support/progress.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor::cli {

namespace {

struct CompareOptions {
  RobotOptions file;
  std::vector<std::string> solvers;
  std::vector<std::filesystem::path> plugins;
  int samples = 32;
  uint64_t seed = 1;
  bool json = false;
};

// Provides the states of a comparison, one after the other.
class States {
 public:
  States(const std::variant<Experiment, RobotDescription>& file, std::string name, uint64_t seed)
      : name_(std::move(name)),
        experiment_(std::get_if<Experiment>(&file)),
        state_(experiment_ ? experiment_->model : build(std::get<RobotDescription>(file))),
        random_(seed),
        start_(state_.q().begin(), state_.q().end()),
        q_(start_),
        move_(state_.v.size()),
        vdot(state_.v.size()),
        tau(state_.v.size()) {
    if (!experiment_) return;
    state_.set_gravity(experiment_->gravity_W);
    applied_.emplace(model(), experiment_->load);
    rates_.resize(size_t(applied_->n_x()));
    rest_.resize(rates_.size());
  }

  const Model& model() const { return state_.model(); }
  State& state() { return state_; }

  // Sets the initial state of the scene, with its torques.
  void begin() {
    fill(vdot, 5);
    state_.set_q(experiment_->q);
    state_.v = experiment_->v;
    tau = experiment_->load.tau;
    apply();
  }
  // Draws a random state. Positions are within half a turn or 3 m of the zero position. A scene's
  // own wrenches and forces act on it; a robot has random wrenches.
  void draw() {
    fill(move_, 3);
    integrate(model(), start_.data(), move_.data(), 1, q_.data());
    state_.set_q(q_);
    fill(state_.v, 2);
    fill(vdot, 5);
    fill(tau, 10);
    if (experiment_) return apply();
    state_.clear_wrenches();
    for (const Frame& frame : model().frames)
      if (random_.uniform(0, 3) < 1)
        state_.add_wrench(frame, {random_.vector(2), random_.vector(10)});
  }
  bool of_scene() const { return experiment_; }

 private:
  void fill(std::vector<double>& x, double size) {
    for (double& value : x) value = random_.uniform(-size, size);
  }
  // Applies the loads at time 0. The states of the scene's forces are zero.
  void apply() {
    double works[n_works];
    if (!applied_->apply(state_, rest_.data(), tau.data(), rates_.data(), works))
      throw Error(fmt::format("{}: at a compared state, {}", name_, applied_->failure()));
  }

  std::string name_;  // name of the file
  const Experiment* experiment_;
  State state_;
  std::optional<Applied> applied_;    // loads of a scene
  std::vector<double> rest_, rates_;  // states of the scene's forces, all zero, and their rates
  Random random_;
  std::vector<double> start_, q_, move_;

 public:
  std::vector<double> vdot, tau;
};

std::vector<std::string> chosen_ids(const CompareOptions& options, const Registry& registry) {
  std::vector<std::string> ids;
  for (const std::string& solver : options.solvers) {
    ids.push_back(registry.find<Solver>(solver).id);
    if (std::count(ids.begin(), ids.end(), ids.back()) > 1)
      throw Error(fmt::format("--solver {}: the solver is listed twice", solver));
  }
  if (ids.empty())
    for (const PluginInfo& plugin : registry.plugins())
      if (plugin.kind() == Solver::kind) ids.push_back(plugin.id);
  return ids;
}

// Prepares the solvers that support the model. Adds the others to the report.
std::vector<Solver> prepare(const CompareOptions& options, const Registry& registry,
                            const std::shared_ptr<const Model>& model, CompareReport& report) {
  std::vector<Solver> solvers;
  for (const std::string& id : chosen_ids(options, registry)) {
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
Timing measure(Solver& solver, Quantity quantity, States& states, std::vector<double>& out) {
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

void measure_all(Comparison& comparison, States& states, CompareReport& report) {
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

void compare(const CompareOptions& options) {
  const ActivityScope compares(
      {.subject = options.file.file.c_str(),
       .note = "no comparison is printed; --solver ID,... selects other solvers"});
  const Registry found = require_plugins(options.plugins);
  const auto file = read_scene_or_robot(options.file, found);
  const auto* scene = std::get_if<Experiment>(&file);
  const Registry& registry = scene ? *scene->plugins : found;
  States states(file, options.file.file, options.seed);
  for (const std::string& warning : states.model().warnings) print_message("warning: " + warning);
  if (states.model().n_v == 0)
    throw Error(fmt::format("{}: the robot has no moving joint; there is nothing to compare",
                            options.file.file));
  if (const auto gravity_W = given_gravity(options.file)) states.state().set_gravity(*gravity_W);

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

  const std::string out =
      options.json
          ? as_json(report).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                "\n"
          : as_text(report);
  std::fputs(out.c_str(), stdout);  // errors are reported by flush_output()
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
      "The exit status is 1 if solvers disagree.\n"
      "Example: torsor compare scenes/iiwa_free_swing.lua --samples 100");
  command->callback([options] { compare(*options); });
}

}  // namespace torsor::cli
