#include "editor/probe/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "editor/probe/closure_report.hpp"
#include "editor/probe/constraint_step.hpp"
#include "editor/probe/contacts/contact_step.hpp"
#include "editor/probe/derivatives.hpp"
#include "editor/probe/frame_dynamics.hpp"
#include "editor/probe/solver_watch.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/session/viewed_recording.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/constraints/closure_wrenches.hpp"
#include "torsor/handles/tracer.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/run/player.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Answer ask(Solver& solver, Quantity quantity, const State& state,
           const std::vector<double>& given) {
  Answer answer{std::vector<double>(entries(quantity, state.v.size())), ""};
  const Status status = solver.evaluate(quantity, state, given.data(), answer.x.data());
  if (!status) answer = {{}, solver.explain(status)};
  return answer;
}

std::vector<double> numbers(std::span<const double> x) {
  return {x.begin(), x.end()};
}

// Calls f. Returns the message of the Error that it throws, or "".
template <class F>
std::string failure_of(const F& f) {
  try {
    f();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

namespace {

// Returns the dof with the largest component of each eigenvector whose eigenvalue is zero to
// rounding: at most `rounding` in magnitude.
std::vector<int> singular_dof(const std::vector<double>& M, double rounding) {
  const auto n = Eigen::Index(std::lround(std::sqrt(double(M.size()))));
  const SymmetricEigen eigen = symmetric_eigen(Eigen::Map<const Eigen::MatrixXd>(M.data(), n, n));
  std::vector<int> out;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (std::abs(eigen.values[k]) > rounding) continue;
    Eigen::Index dof = 0;
    eigen.vectors.col(k).cwiseAbs().maxCoeff(&dof);
    if (std::ranges::find(out, int(dof)) == out.end()) out.push_back(int(dof));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

double Spectrum::condition() const {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return values.front() > 0 && singular.empty() ? values.back() / values.front()
                                                : std::numeric_limits<double>::infinity();
}

Spectrum spectrum(const Answer& M) {
  if (!M.failure.empty()) return {{}, {}, M.failure};
  auto eigenvalues = symmetric_eigenvalues(M.x);
  if (!eigenvalues) return {{}, {}, "the eigenvalues of M did not converge"};
  Spectrum out{std::move(*eigenvalues), {}, ""};
  const double rounding = double(out.values.size()) * std::numeric_limits<double>::epsilon() *
                          std::abs(out.values.back());
  const auto zero = [&](double value) { return std::abs(value) <= rounding; };
  if (std::ranges::any_of(out.values, zero)) out.singular = singular_dof(M.x, rounding);
  return out;
}

std::string describe_singular(const Spectrum& spectrum, const Model& model) {
  if (spectrum.singular.empty()) return "";
  constexpr size_t most = 6;
  const std::vector<std::string> names = model.dof_names();
  std::vector<std::string> dof;
  for (size_t k = 0; k < std::min(most, spectrum.singular.size()); ++k) {
    const int column = spectrum.singular[k];
    const int link = model.child_link(model.joint_of_dof(column));
    dof.push_back(
        fmt::format("{} (link {})", names[size_t(column)], model.links[size_t(link)].name));
  }
  if (spectrum.singular.size() > most)
    dof.push_back(fmt::format("{} more", spectrum.singular.size() - most));
  return fmt::format(
      "M is singular: {} without inertia. Give the link or a link beyond it mass or inertia, or "
      "the joint armature.",
      fmt::format("{} {}", fmt::join(dof, ", "), dof.size() == 1 ? "moves" : "move"));
}

SkewResidual skew_residual(Solver& solver, const State& state) {
  const auto n = Eigen::Index(state.v.size());
  SkewResidual out;
  double speed = 0;
  for (const double v : state.v) speed += std::abs(v);
  if (speed == 0) return out;
  out.step = 1e-3 / speed;

  State moved = state;
  std::vector<double> q(state.q().begin(), state.q().end());
  Square M(n, n), C(n, n), difference = Square::Zero(n, n);
  Status status;
  const auto add = [&](double weight, double steps) {
    integrate(state.model(), state.q().data(), state.v.data(), steps * out.step, q.data());
    moved.set_q(q);
    if (status) status = solver.mass_matrix(moved, M.data());
    difference += weight * M;
  };
  for (const double side : {1.0, -1.0}) {
    add(8 * side, side);
    add(-side, 2 * side);
  }
  if (status) status = solver.mass_matrix(state, M.data());
  if (status) status = solver.coriolis_matrix(state, C.data());
  if (!status) return {.failure = solver.explain(status)};
  const Square Mdot = difference / (12 * out.step), A = Mdot - 2 * C;
  out.residual = (A + A.transpose()).norm();
  out.scale = speed * M.norm();
  return out;
}

struct Probe::Impl {
  std::shared_ptr<const SessionState> now;
  std::shared_ptr<const Scene> scene;
  std::optional<Player> player;
  std::optional<Solver> solver;
  std::string solver_id;  // id of the active solver
  std::optional<MultiplierSolver> constraint_solver;
  ConstraintSolverChoice constraint_choice;  // of constraint_solver
  std::optional<SolverWatch> watch;
  // Value of Simulation::present_model() for which the solvers, watch and tracer were created.
  size_t prepared_for = 0;
  std::optional<Tracer> tracer;

  Christoffel christoffel;
  std::chrono::steady_clock::time_point next_christoffel{};

  // Results for the current state.
  struct Computed {
    std::map<Quantity, Answer> answers;
    std::map<StateDerivative, Answer> derivatives;
    std::map<int, FrameDynamics> frames;
    bool christoffel = false;
    std::optional<JointForces> joint_forces;
    std::optional<JointPowers> joint_powers;
    std::map<size_t, Answer> control_torques;
    std::optional<Spectrum> spectrum;
    std::optional<SkewResidual> skew;
    std::optional<Split> split;
    std::optional<std::vector<Wrench<double>>> joint_wrenches;
    std::optional<ClosureWrenches> closure_wrenches;
    std::optional<ConstraintStep> constraint_step;
    std::optional<ContactStep> contact_step;
    std::map<int, std::vector<double>> jacobians;
    std::optional<Recursion> recursion;  // traced by tracer
  } computed;
};

Probe::Probe() : impl_(std::make_unique<Impl>()) {}
Probe::~Probe() = default;

void Probe::look_at(std::shared_ptr<const SessionState> now) {
  if (now == impl_->now) return;
  const bool same_run = impl_->now && now->scene == impl_->scene &&
                        state_hash(now->state) == state_hash(impl_->now->state) &&
                        now->timeline.changes() == impl_->now->timeline.changes();
  impl_->now = std::move(now);
  if (same_run) return;
  impl_->computed = {};
  if (impl_->scene != impl_->now->scene || impl_->solver_id != impl_->now->solver())
    impl_->next_christoffel = {};
  if (impl_->scene != impl_->now->scene) {
    impl_->scene = impl_->now->scene;
    impl_->player.emplace(impl_->scene->experiment);
    impl_->solver.reset();
    impl_->constraint_solver.reset();
    impl_->watch.reset();
    impl_->tracer.reset();
  }
  impl_->player->show(impl_->now->timeline, impl_->now->state);
  if (impl_->solver_id != impl_->now->solver()) impl_->solver.reset();
  impl_->solver_id = impl_->now->solver();
  if (const size_t present = impl_->player->simulation().present_model();
      present != impl_->prepared_for) {
    impl_->prepared_for = present;
    impl_->solver.reset();
    impl_->constraint_solver.reset();
    impl_->watch.reset();
    impl_->tracer.reset();
  }
}

Solver& Probe::prepared() {
  if (!impl_->solver)
    impl_->solver.emplace(impl_->scene->plugins().solver(impl_->solver_id, state().model_ptr()));
  return *impl_->solver;
}

MultiplierSolver& Probe::prepared_constraint_solver() {
  const ConstraintSolverChoice& choice = impl_->player->constraint_solver();
  if (!impl_->constraint_solver || impl_->constraint_choice != choice) {
    impl_->constraint_choice = choice;
    impl_->constraint_solver.emplace(is_default(choice, state().model())
                                         ? nullptr
                                         : impl_->scene->plugins().make<ConstraintSolver>(
                                               choice.id, state().model_ptr(), choice.parameters));
  }
  return *impl_->constraint_solver;
}

const Simulation& Probe::simulation() const {
  return impl_->player->simulation();
}

const State& Probe::state() const {
  return simulation().state();
}

const Solver& Probe::solver() {
  return prepared();
}

const JointForces& Probe::joint_forces() {
  if (impl_->computed.joint_forces) return *impl_->computed.joint_forces;
  JointForces& out = impl_->computed.joint_forces.emplace();
  out.failure = failure_of([&] {
    out.torque = numbers(impl_->player->simulation().torque());
    out.friction = numbers(impl_->player->simulation().friction());
    out.constraint = numbers(impl_->player->simulation().constraint());
    if (auto recorded = recorded_now(*impl_->now, "tau")) out.torque = *std::move(recorded);
  });
  return out;
}

const JointPowers& Probe::joint_powers() {
  if (impl_->computed.joint_powers) return *impl_->computed.joint_powers;
  JointPowers& out = impl_->computed.joint_powers.emplace();
  out.failure = failure_of([&] {
    const Simulation::Powers powers = impl_->player->simulation().powers();
    out = {numbers(powers.motors), numbers(powers.friction), numbers(powers.constraint), ""};
  });
  return out;
}

const Answer& Probe::control_torque(size_t k) {
  const auto found = impl_->computed.control_torques.find(k);
  if (found != impl_->computed.control_torques.end()) return found->second;
  Answer& out = impl_->computed.control_torques[k];
  out.failure = failure_of([&] { out.x = numbers(impl_->player->simulation().control_torque(k)); });
  return out;
}

const Answer& Probe::answer(Quantity quantity) {
  const auto found = impl_->computed.answers.find(quantity);
  if (found != impl_->computed.answers.end()) return found->second;
  return impl_->computed.answers[quantity] = compute(quantity);
}

// Computes a quantity. For the acceleration, also adds the wrenches of the load's forces to the
// state.
Answer Probe::compute(Quantity quantity) {
  if (quantity == Quantity::forward) {
    Answer out;
    out.failure = failure_of([&] { out.x = numbers(impl_->player->simulation().acceleration()); });
    if (auto recorded = recorded_now(*impl_->now, "vdot")) return {*std::move(recorded), ""};
    return out;
  }
  const QuantityRow& row = row_of(quantity);
  if (!row.member.of_given) return ask(prepared(), quantity, state(), {});
  const Answer& given = row.input == QuantityInput::q_v_tau ? torque() : acceleration();
  return given.failure.empty() ? ask(prepared(), quantity, state(), given.x) : given;
}

const Spectrum& Probe::mass_spectrum() {
  if (!impl_->computed.spectrum) impl_->computed.spectrum = spectrum(answer(Quantity::mass_matrix));
  return *impl_->computed.spectrum;
}

const SkewResidual& Probe::skew() {
  if (!impl_->computed.skew) impl_->computed.skew = skew_residual(prepared(), state());
  return *impl_->computed.skew;
}

const Split& Probe::split() {
  if (impl_->computed.split) return *impl_->computed.split;
  Split& out = impl_->computed.split.emplace();
  out.failure = failure_of([&] {
    const Simulation::TorqueSplit split = impl_->player->simulation().torque_split();
    out = {numbers(split.inertial), numbers(split.centrifugal), numbers(split.coriolis),
           numbers(split.gravity), ""};
  });
  return out;
}

const std::vector<Wrench<double>>& Probe::joint_wrenches() {
  if (impl_->computed.joint_wrenches) return *impl_->computed.joint_wrenches;
  const Answer& vdot = acceleration();  // also adds the wrenches of forces to the state
  impl_->computed.joint_wrenches.emplace();
  if (!vdot.failure.empty() || !closure_wrenches().failure.empty())
    return *impl_->computed.joint_wrenches;
  *impl_->computed.joint_wrenches = torsor::joint_wrenches(state(), vdot.x, closure_wrenches().F_A);
  return *impl_->computed.joint_wrenches;
}

const ClosureWrenches& Probe::closure_wrenches() {
  if (impl_->computed.closure_wrenches) return *impl_->computed.closure_wrenches;
  ClosureWrenches& out = impl_->computed.closure_wrenches.emplace();
  if (!state().model().closures.empty())
    out.failure = failure_of([&] { out.F_A = impl_->player->simulation().closure_wrenches(); });
  return out;
}

const ConstraintStep& Probe::constraint_step() {
  if (!impl_->computed.constraint_step)
    impl_->computed.constraint_step =
        editor::constraint_step(impl_->player->simulation(), prepared());
  return *impl_->computed.constraint_step;
}

ConstraintSolvers Probe::compare_constraint_solvers() {
  const ConstraintStep& step = constraint_step();
  ConstraintSolvers out;
  out.time = state().time;
  out.failure = step.failure;
  if (out.failure.empty() && step.rows.empty()) out.failure = "No constraint is active.";
  if (!out.failure.empty()) return out;
  compare(step.problem(), out);
  return out;
}

const ContactStep& Probe::contact_step() {
  if (impl_->computed.contact_step) return *impl_->computed.contact_step;
  ContactStep& out = impl_->computed.contact_step.emplace();
  const std::string failure = failure_of([&] {
    out = editor::contact_step(impl_->player->simulation(), prepared_constraint_solver());
    out.solver = without_kind(impl_->player->constraint_solver().id);
  });
  if (!failure.empty()) out.failure = failure;
  return out;
}

ConstraintSolvers Probe::compare_contact_solvers() {
  const ContactStep& step = contact_step();
  ConstraintSolvers out;
  out.time = state().time;
  out.failure = step.failure;
  if (out.failure.empty() && step.points.empty()) out.failure = "Nothing touches.";
  if (step.is_located()) out.failure = "Located contacts have no problem of impulses to compare.";
  if (out.failure.empty()) compare(step.problem.problem(), out);
  return out;
}

void Probe::compare(const ConstraintProblem& problem, ConstraintSolvers& out) {
  constexpr double enough_ns = 4e5;
  out.failure = failure_of([&] {
    const Scene& scene = *impl_->scene;
    for (const SolverChoice& choice : scene.constraint_solvers) {
      if (!choice.rejection.empty()) continue;
      const auto [id, parameters] = scene.constraint_solver(choice.id);
      auto solver = scene.plugins().make<ConstraintSolver>(id, state().model_ptr(), parameters);
      if (!problem.frictions.empty() && !solver->handles_friction()) continue;
      out.comparison.add(std::move(solver));
      out.ids.push_back(choice.id);
    }
    out.comparison.compare(problem);
    out.comparison.measure(problem, enough_ns);
  });
}

const std::vector<double>& Probe::jacobian(int frame) {
  const auto found = impl_->computed.jacobians.find(frame);
  if (found != impl_->computed.jacobians.end()) return found->second;
  const Eigen::MatrixXd J = frame_jacobian(state(), state().model().frames[size_t(frame)]);
  std::vector<double>& out = impl_->computed.jacobians[frame];
  for (const auto row : J.rowwise()) out.insert(out.end(), row.begin(), row.end());
  return out;
}

const FrameDynamics& Probe::frame_dynamics(int frame) {
  const auto found = impl_->computed.frames.find(frame);
  if (found != impl_->computed.frames.end()) return found->second;
  return impl_->computed.frames[frame] = compute_frame(frame);
}

FrameDynamics Probe::compute_frame(int frame) {
  FrameDynamics out;
  out.failure = failure_of([&] {
    out.space = OperationalSpaces(prepared(), state()).of(state().model().frames[size_t(frame)]);
    const Eigen::MatrixXd& Lambda = out.space.Lambda;
    if (const auto values = symmetric_eigenvalues(std::span(Lambda.data(), size_t(Lambda.size()))))
      out.inertias.assign(values->end() - out.space.rank, values->end());
  });
  return out;
}

const Christoffel& Probe::christoffel() {
  using Clock = std::chrono::steady_clock;
  constexpr auto short_time = std::chrono::microseconds(500);
  constexpr int rests = 20;  // pause after a computation, in multiples of its duration
  const auto begin = Clock::now();
  if (impl_->computed.christoffel || begin < impl_->next_christoffel) return impl_->christoffel;
  impl_->christoffel = {ask(prepared(), Quantity::christoffel_symbols, state(), {}), state().time};
  const auto took = Clock::now() - begin;
  impl_->next_christoffel = took > short_time ? Clock::now() + rests * took : Clock::time_point{};
  impl_->computed.christoffel = true;
  return impl_->christoffel;
}

const Answer& Probe::derivative(StateDerivative what) {
  const auto found = impl_->computed.derivatives.find(what);
  if (found != impl_->computed.derivatives.end()) return found->second;
  return impl_->computed.derivatives[what] = compute(what);
}

Answer Probe::compute(StateDerivative what) {
  const Offer offer = needed(what);
  if (!offers(prepared(), offer)) {
    std::vector<std::string> others;
    for (const Solver& solver : all_solvers())
      if (offers(solver, offer)) others.emplace_back(without_kind(solver.id()));
    return {{},
            fmt::format("{} does not provide {}{}", without_kind(prepared().id()), name(offer),
                        others.empty() ? "; no solver of this model does"
                                       : fmt::format("; choose {}", fmt::join(others, " or ")))};
  }
  const Answer &vdot = acceleration(), &tau = torque();
  if (!vdot.failure.empty()) return vdot;
  if (!tau.failure.empty()) return tau;
  return editor::derivative(prepared(), state(), what, vdot.x, tau.x);
}

std::vector<std::string> Probe::explaining_solvers() {
  std::vector<std::string> out;
  for (const Solver& solver : all_solvers())
    if (solver.has_trace()) out.push_back(solver.id());
  return out;
}

const Recursion& Probe::recursion(const std::string& solver) {
  if (impl_->computed.recursion && impl_->tracer && impl_->tracer->id() == solver)
    return *impl_->computed.recursion;
  Recursion& out = impl_->computed.recursion.emplace();
  out.failure = failure_of([&] {
    if (!impl_->tracer || impl_->tracer->id() != solver)
      impl_->tracer.emplace(impl_->scene->plugins().object(solver, state().model_ptr()),
                            state().model_ptr());
    Simulation& simulation = impl_->player->simulation();
    // This call also computes the wrenches on the bodies.
    const std::vector<double> vdot = numbers(simulation.acceleration());
    const Status status = impl_->tracer->trace(
        state(), impl_->tracer->of_forward() ? simulation.joint_torque() : vdot);
    if (!status) throw Error(impl_->tracer->explain(status));
  });
  if (out.failure.empty()) out.tracer = &*impl_->tracer;
  return out;
}

const std::vector<Solver>& Probe::all_solvers() {
  if (!impl_->watch) {
    std::vector<Solver> solvers;
    for (const SolverChoice& choice : impl_->scene->solvers)
      if (choice.rejection.empty())
        solvers.push_back(impl_->scene->plugins().solver(choice.id, state().model_ptr()));
    impl_->watch.emplace(std::move(solvers));
  }
  return impl_->watch->solvers();
}

const SolverWatch& Probe::watch_solvers() {
  (void)all_solvers();
  const auto or_zero = [&](const Answer& answer) {
    return answer.failure.empty() ? answer.x : std::vector<double>(state().v.size(), 0.0);
  };
  impl_->watch->advance(state(), or_zero(acceleration()), or_zero(torque()));
  return *impl_->watch;
}

void Probe::reset_watch() {
  impl_->watch.reset();
}

}  // namespace torsor::editor
