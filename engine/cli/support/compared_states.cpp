#include "torsor/cli/support/compared_states.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/simulation/snapshot.hpp"

namespace torsor::cli {

ComparedStates::ComparedStates(const std::variant<Experiment, RobotDescription>& file,
                               std::string name, uint64_t seed)
    : name_(std::move(name)),
      experiment_(std::get_if<Experiment>(&file)),
      state_(experiment_ ? experiment_->model : build(std::get<RobotDescription>(file))),
      random_(seed),
      start_(state_.q().begin(), state_.q().end()),
      q_(start_),
      move_(state_.v.size()),
      vdot(state_.v.size()),
      tau(state_.v.size()) {
  if (const auto* robot = std::get_if<RobotDescription>(&file); robot && robot->gravity_W)
    state_.set_gravity(*robot->gravity_W);
  if (!experiment_) return;
  state_.set_gravity(experiment_->gravity_W);
  applied_.emplace(model(), experiment_->load);
  rates_.resize(size_t(applied_->n_x()));
  rest_.resize(rates_.size());
}

void ComparedStates::begin() {
  fill(vdot, 5);
  state_.set_q(experiment_->q);
  state_.v = experiment_->v;
  tau = experiment_->load.tau;
  tau.resize(state_.v.size());
  if (closing_) close();
  apply();
}

void ComparedStates::draw() {
  constexpr int attempts = 5;
  for (int k = 0; k < attempts; ++k) {
    fill(move_, reach_);
    integrate(model(), start_.data(), move_.data(), 1, q_.data());
    state_.set_q(q_);
    fill(state_.v, 2);
    if (!closing_ || close()) break;
  }
  fill(vdot, 5);
  fill(tau, 10);
  if (experiment_) return apply();
  state_.clear_wrenches();
  for (const Frame& frame : model().frames)
    if (random_.uniform(0, 3) < 1)
      state_.add_wrench(frame, {random_.vector(2), random_.vector(10)});
}

void ComparedStates::close_loops(const SolverFactory& make_solver) {
  if (model().closures.empty()) return;
  closing_.emplace(state_.model_ptr(), make_solver, Integrator::rk4, 1e-3);
  reach_ = 0.3;
  if (experiment_) {
    state_.set_q(experiment_->q);
    state_.v = experiment_->v;
  }
  close();
  start_.assign(state_.q().begin(), state_.q().end());
}

// Closes the loops at the present state. Returns false, and changes nothing, if this fails.
bool ComparedStates::close() try {
  const std::vector<char> held = experiment_ ? experiment_->held : std::vector<char>();
  closing_->set_state(state_.q(), state_.v, held);
  const State& closed = closing_->state();
  state_.set_q(closed.q());
  state_.v = closed.v;
  return true;
} catch (const Error&) {
  return false;
}

void ComparedStates::fill(std::vector<double>& x, double size) {
  for (double& value : x) value = random_.uniform(-size, size);
}

// Applies the loads at time 0. The states of the scene's forces are zero.
void ComparedStates::apply() {
  double works[n_works];
  if (!applied_->apply(state_, rest_.data(), tau.data(), rates_.data(), works))
    throw Error(fmt::format("{}: at a compared state, {}", name_, applied_->failure()));
}

}  // namespace torsor::cli
