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
    simulation_.reset();
    watch_.reset();
  }
  if (!simulation_ || solver_id_ != moment_->solver()) solver_.reset();
  stand(*moment_);
}

void Probe::stand(const Moment& moment) {
  const Experiment& experiment = scene_->experiment;
  const auto make_solver = [&](std::shared_ptr<const Model> model) {
    return registry_.solver(moment.solver(), std::move(model));
  };
  if (!simulation_) {
    simulation_.emplace(experiment.model, make_solver, experiment.integrator, experiment.dt,
                        experiment.tolerances);
    simulation_->set_gravity(experiment.gravity_W);
    simulation_->set_load(experiment.load);
  } else if (solver_id_ != moment.solver()) {
    simulation_->change_solver(make_solver);
  }
  solver_id_ = moment.solver();
  std::vector<double> tau = moment.torque();
  tau.resize(size_t(experiment.model->n_v));  // none applied: zero
  simulation_->restore_torque(tau);
  simulation_->restore(moment.state);
  try {
    const auto torque = simulation_->joint_torque();
    torque_ = {{torque.begin(), torque.end()}, ""};
  } catch (const Error& error) {
    torque_ = {{}, error.what()};
  }
}

Solver& Probe::prepared() {
  if (!solver_) solver_.emplace(registry_.solver(solver_id_, scene_->experiment.model));
  return *solver_;
}

const Solver& Probe::solver() {
  return prepared();
}

const Answer& Probe::answer(Quantity quantity) {
  const auto found = computed_.answers.find(quantity);
  if (found != computed_.answers.end()) return found->second;
  static const Answer nothing;  // is asked with the other quantities
  const Answer& known = quantity == Quantity::inverse   ? acceleration()
                        : quantity == Quantity::forward ? torque()
                                                        : nothing;
  return computed_.answers[quantity] =
             known.failure.empty() ? ask(prepared(), quantity, state(), known.x) : known;
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
  const Answer& vdot = acceleration();
  out.failure = vdot.failure;
  if (!out.failure.empty()) return out;
  for (auto* part : {&out.inertial, &out.centrifugal, &out.coriolis, &out.gravity})
    part->resize(state().v.size());
  const Status status = prepared().torque_split(
      state(), vdot.x.data(),
      {out.inertial.data(), out.centrifugal.data(), out.coriolis.data(), out.gravity.data()});
  if (!status) out.failure = prepared().explain(status);
  return out;
}

const Eigen::MatrixXd& Probe::jacobian(int frame) {
  const auto found = computed_.jacobians.find(frame);
  if (found != computed_.jacobians.end()) return found->second;
  return computed_.jacobians[frame] = frame_jacobian(state(), state().model().frames[size_t(frame)]);
}

const SolverWatch& Probe::watch_solvers() {
  if (!watch_) {
    std::vector<Solver> solvers;
    for (const SolverChoice& choice : scene_->solvers)
      if (choice.refusal.empty()) solvers.push_back(registry_.solver(choice.id, scene_->experiment.model));
    watch_.emplace(std::move(solvers));
  }
  const Answer& vdot = acceleration();
  const std::vector<double> none(state().v.size());
  watch_->advance(state(), vdot.failure.empty() ? vdot.x : none,
                  torque().failure.empty() ? torque().x : none);
  return *watch_;
}

}  // namespace torsor::editor
