#include "editor/session/probe.hpp"

#include <Eigen/Core>
#include <limits>

#include "torsor/dynamics/kinematics.hpp"
#include "torsor/model/eigenvalues.hpp"

namespace torsor::editor {

namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Answer ask(Solver& solver, Quantity quantity, const State& state, const std::vector<double>& given) {
  Answer answer{std::vector<double>(entries(quantity, state.v.size())), ""};
  const Status status = solver.evaluate(quantity, state, given.data(), answer.x.data());
  if (!status) answer = {{}, solver.explain(status)};
  return answer;
}

}  // namespace

double Spectrum::condition() const {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return values.front() > 0 ? values.back() / values.front() : std::numeric_limits<double>::infinity();
}

Spectrum spectrum(const Answer& M) {
  if (!M.failure.empty()) return {{}, M.failure};
  auto eigenvalues = symmetric_eigenvalues(M.x);
  if (!eigenvalues) return {{}, "the eigenvalues of M cannot be computed"};
  return {std::move(*eigenvalues), ""};
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

Probe::Probe(const Registry& registry) : registry_(registry) {}

void Probe::look_at(std::shared_ptr<const Moment> moment) {
  if (moment == moment_) return;
  const bool same_run = moment_ && moment->scene == scene_ && moment->solver() == solver_id_ &&
                        state_hash(moment->state) == state_hash(moment_->state) &&
                        moment->torque() == moment_->torque();
  moment_ = std::move(moment);
  if (same_run) return;
  computed_ = {};
  if (scene_ != moment_->scene) {
    scene_ = moment_->scene;
    solver_.reset();
    watch_.reset();
    const Experiment& experiment = scene_->experiment;
    state_.emplace(experiment.model);
    state_->set_gravity(experiment.gravity_W);
    for (const auto& [frame, F] : experiment.load.wrench_F)
      state_->add_wrench(experiment.model->frames[frame], F);
  }
  if (solver_id_ != moment_->solver()) solver_.reset();
  solver_id_ = moment_->solver();
  state_->set_q(moment_->state.q);
  state_->v = moment_->state.v;
  state_->time = moment_->time();
}

Solver& Probe::prepared() {
  if (!solver_) solver_.emplace(registry_.solver(solver_id_, scene_->experiment.model));
  return *solver_;
}

const Solver& Probe::solver() {
  return prepared();
}

const std::vector<double>& Probe::torque() {
  std::vector<double>& tau = computed_.torque;
  if (!tau.empty()) return tau;
  tau = moment_->torque();
  tau.resize(state_->v.size());  // none applied: zero
  for (size_t k = 0; k < tau.size(); ++k) tau[k] -= state_->model().damping[k] * state_->v[k];
  return tau;
}

const Answer& Probe::answer(Quantity quantity) {
  const auto found = computed_.answers.find(quantity);
  if (found != computed_.answers.end()) return found->second;
  const bool inverse = quantity == Quantity::inverse;
  const Answer& known = inverse ? acceleration() : Answer{torque(), ""};
  return computed_.answers[quantity] =
             known.failure.empty() ? ask(prepared(), quantity, *state_, known.x) : known;
}

const Spectrum& Probe::mass_spectrum() {
  if (!computed_.spectrum) computed_.spectrum = spectrum(answer(Quantity::mass_matrix));
  return *computed_.spectrum;
}

const SkewResidual& Probe::skew() {
  if (!computed_.skew) computed_.skew = skew_residual(prepared(), *state_);
  return *computed_.skew;
}

const Split& Probe::split() {
  if (computed_.split) return *computed_.split;
  Split& out = computed_.split.emplace();
  const Answer& vdot = acceleration();
  out.failure = vdot.failure;
  if (!out.failure.empty()) return out;
  for (auto* part : {&out.inertial, &out.centrifugal, &out.coriolis, &out.gravity})
    part->resize(state_->v.size());
  const Status status = prepared().torque_split(
      *state_, vdot.x.data(),
      {out.inertial.data(), out.centrifugal.data(), out.coriolis.data(), out.gravity.data()});
  if (!status) out.failure = prepared().explain(status);
  return out;
}

const Eigen::MatrixXd& Probe::jacobian(int frame) {
  const auto found = computed_.jacobians.find(frame);
  if (found != computed_.jacobians.end()) return found->second;
  return computed_.jacobians[frame] = frame_jacobian(*state_, state_->model().frames[size_t(frame)]);
}

const SolverWatch& Probe::watch_solvers() {
  if (!watch_) {
    std::vector<Solver> solvers;
    for (const SolverChoice& choice : scene_->solvers)
      if (choice.refusal.empty()) solvers.push_back(registry_.solver(choice.id, scene_->experiment.model));
    watch_.emplace(std::move(solvers));
  }
  const Answer& vdot = acceleration();
  watch_->advance(*state_, vdot.failure.empty() ? vdot.x : std::vector<double>(state_->v.size(), 0.0),
                  torque());
  return *watch_;
}

}  // namespace torsor::editor
