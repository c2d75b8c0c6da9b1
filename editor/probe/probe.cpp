#include "editor/probe/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "editor/session/scene.hpp"
#include "editor/session/viewed_recording.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

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

void Probe::look_at(std::shared_ptr<const SessionState> now) {
  if (now == now_) return;
  const bool same_run = now_ && now->scene == scene_ &&
                        state_hash(now->state) == state_hash(now_->state) &&
                        now->timeline.changes() == now_->timeline.changes();
  now_ = std::move(now);
  if (same_run) return;
  computed_ = {};
  if (scene_ != now_->scene || solver_id_ != now_->solver()) next_christoffel_ = {};
  if (scene_ != now_->scene) {
    scene_ = now_->scene;
    player_.emplace(scene_->experiment);
    solver_.reset();
    watch_.reset();
    tracer_.reset();
  }
  player_->show(now_->timeline, now_->state);
  if (solver_id_ != now_->solver()) solver_.reset();
  solver_id_ = now_->solver();
  if (const size_t present = player_->simulation().present_model(); present != prepared_for_) {
    prepared_for_ = present;
    solver_.reset();
    watch_.reset();
    tracer_.reset();
  }
}

Solver& Probe::prepared() {
  if (!solver_) solver_.emplace(scene_->plugins().solver(solver_id_, state().model_ptr()));
  return *solver_;
}

const Solver& Probe::solver() {
  return prepared();
}

const JointForces& Probe::joint_forces() {
  if (computed_.joint_forces) return *computed_.joint_forces;
  JointForces& out = computed_.joint_forces.emplace();
  out.failure = failure_of([&] {
    out.torque = numbers(player_->simulation().torque());
    out.friction = numbers(player_->simulation().friction());
    out.constraint = numbers(player_->simulation().constraint());
    if (auto recorded = recorded_now(*now_, "tau")) out.torque = *std::move(recorded);
  });
  return out;
}

const JointPowers& Probe::joint_powers() {
  if (computed_.joint_powers) return *computed_.joint_powers;
  JointPowers& out = computed_.joint_powers.emplace();
  out.failure = failure_of([&] {
    const Simulation::Powers powers = player_->simulation().powers();
    out = {numbers(powers.motors), numbers(powers.friction), numbers(powers.constraint), ""};
  });
  return out;
}

const Answer& Probe::control_torque(size_t k) {
  const auto found = computed_.control_torques.find(k);
  if (found != computed_.control_torques.end()) return found->second;
  Answer& out = computed_.control_torques[k];
  out.failure = failure_of([&] { out.x = numbers(player_->simulation().control_torque(k)); });
  return out;
}

const Answer& Probe::answer(Quantity quantity) {
  const auto found = computed_.answers.find(quantity);
  if (found != computed_.answers.end()) return found->second;
  return computed_.answers[quantity] = compute(quantity);
}

// Computes a quantity. For the acceleration, also adds the wrenches of the load's forces to the
// state.
Answer Probe::compute(Quantity quantity) {
  if (quantity == Quantity::forward) {
    Answer out;
    out.failure = failure_of([&] { out.x = numbers(player_->simulation().acceleration()); });
    if (auto recorded = recorded_now(*now_, "vdot")) return {*std::move(recorded), ""};
    return out;
  }
  const QuantityRow& row = row_of(quantity);
  if (!row.member.of_given) return ask(prepared(), quantity, state(), {});
  const Answer& given = row.input == QuantityInput::q_v_tau ? torque() : acceleration();
  return given.failure.empty() ? ask(prepared(), quantity, state(), given.x) : given;
}

const Spectrum& Probe::mass_spectrum() {
  if (!computed_.spectrum) computed_.spectrum = spectrum(answer(Quantity::mass_matrix));
  return *computed_.spectrum;
}

const SkewResidual& Probe::skew() {
  if (!computed_.skew) computed_.skew = skew_residual(prepared(), state());
  return *computed_.skew;
}

const Split& Probe::split() {
  if (computed_.split) return *computed_.split;
  Split& out = computed_.split.emplace();
  out.failure = failure_of([&] {
    const Simulation::TorqueSplit split = player_->simulation().torque_split();
    out = {numbers(split.inertial), numbers(split.centrifugal), numbers(split.coriolis),
           numbers(split.gravity), ""};
  });
  return out;
}

const std::vector<Wrench<double>>& Probe::joint_wrenches() {
  if (computed_.joint_wrenches) return *computed_.joint_wrenches;
  const Answer& vdot = acceleration();  // also adds the wrenches of forces to the state
  computed_.joint_wrenches.emplace();
  if (vdot.failure.empty()) *computed_.joint_wrenches = torsor::joint_wrenches(state(), vdot.x);
  return *computed_.joint_wrenches;
}

const Eigen::MatrixXd& Probe::jacobian(int frame) {
  const auto found = computed_.jacobians.find(frame);
  if (found != computed_.jacobians.end()) return found->second;
  return computed_.jacobians[frame] =
             frame_jacobian(state(), state().model().frames[size_t(frame)]);
}

const FrameDynamics& Probe::frame_dynamics(int frame) {
  const auto found = computed_.frames.find(frame);
  if (found != computed_.frames.end()) return found->second;
  return computed_.frames[frame] = compute_frame(frame);
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
  if (computed_.christoffel || begin < next_christoffel_) return christoffel_;
  christoffel_ = {ask(prepared(), Quantity::christoffel_symbols, state(), {}), state().time};
  const auto took = Clock::now() - begin;
  next_christoffel_ = took > short_time ? Clock::now() + rests * took : Clock::time_point{};
  computed_.christoffel = true;
  return christoffel_;
}

const Answer& Probe::derivative(StateDerivative what) {
  const auto found = computed_.derivatives.find(what);
  if (found != computed_.derivatives.end()) return found->second;
  return computed_.derivatives[what] = compute(what);
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
  if (computed_.recursion && tracer_ && tracer_->id() == solver) return *computed_.recursion;
  Recursion& out = computed_.recursion.emplace();
  out.failure = failure_of([&] {
    if (!tracer_ || tracer_->id() != solver)
      tracer_.emplace(scene_->plugins().object(solver, state().model()), state().model_ptr());
    Simulation& simulation = player_->simulation();
    // This call also computes the wrenches on the bodies.
    const std::vector<double> vdot = numbers(simulation.acceleration());
    const Status status =
        tracer_->trace(state(), tracer_->of_forward() ? simulation.joint_torque() : vdot);
    if (!status) throw Error(tracer_->explain(status));
  });
  if (out.failure.empty()) out.tracer = &*tracer_;
  return out;
}

const std::vector<Solver>& Probe::all_solvers() {
  if (!watch_) {
    std::vector<Solver> solvers;
    for (const SolverChoice& choice : scene_->solvers)
      if (choice.rejection.empty())
        solvers.push_back(scene_->plugins().solver(choice.id, state().model_ptr()));
    watch_.emplace(std::move(solvers));
  }
  return watch_->solvers();
}

const SolverWatch& Probe::watch_solvers() {
  (void)all_solvers();
  const auto or_zero = [&](const Answer& answer) {
    return answer.failure.empty() ? answer.x : std::vector<double>(state().v.size(), 0.0);
  };
  watch_->advance(state(), or_zero(acceleration()), or_zero(torque()));
  return *watch_;
}

}  // namespace torsor::editor
