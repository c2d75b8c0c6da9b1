#include "torsor/simulation/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "torsor/simulation/experiment.hpp"

namespace torsor {

namespace {

Simulation::SolverFactory factory(const SolverSource& make_solver, const std::string& id) {
  return [&](std::shared_ptr<const Model> model) { return make_solver(id, std::move(model)); };
}

}  // namespace

Player::Player(const Experiment& experiment, SolverSource make_solver)
    : make_solver_(std::move(make_solver)),
      solver_(experiment.solver),
      simulation_(experiment.model, factory(make_solver_, solver_), experiment.integrator, experiment.dt,
                  experiment.tolerances, experiment.payloads),
      own_solver_(experiment.solver) {
  simulation_.set_gravity(experiment.gravity_W);
  simulation_.begin(experiment.load, experiment.q, experiment.v, experiment.motor_q, experiment.motor_v);
  if (!experiment.state.empty()) simulation_.load(experiment.state);
  simulation_.acceleration();
  own_torque_ = experiment.load.tau;
  own_torque_.resize(size_t(experiment.model->n_v));
  start_ = kept_ = simulation_.snapshot();
}

void Player::use(const std::string& solver) {
  if (without_kind(solver) == without_kind(solver_)) return;
  simulation_.change_solver(factory(make_solver_, solver));
  solver_ = solver;
}

void Player::put_in_force(const Timeline& timeline, long long step) {
  const auto* solver = timeline.in_force<SolverChange>(step);
  use(solver ? solver->solver : own_solver_);
  const auto* torque = timeline.in_force<TorqueChange>(step);
  simulation_.restore_torque(torque ? torque->tau : own_torque_);
}

void Player::show(const Timeline& timeline, size_t i) {
  put_in_force(timeline, timeline.step(i));
  timeline.at(i, kept_);
  simulation_.restore(kept_);
}

void Player::seek(const Timeline& timeline, long long step) {
  if (step < timeline.step(0) || step > timeline.end())
    throw Error(fmt::format("step {} has not been reached: the run has been from step {} to step {}", step,
                            timeline.step(0), timeline.end()));
  show(timeline, timeline.index_at(step));
  while (simulation_.steps() < step)
    simulation_.step();  // no change lies between: the state after it is kept
}

void Player::make(const Change::What& what) {
  if (const auto* state = std::get_if<StateChange>(&what))
    simulation_.change_state(state->q, state->v);
  else if (const auto* torque = std::get_if<TorqueChange>(&what))
    simulation_.change_torque(torque->tau);
  else
    use(std::get<SolverChange>(what).solver);
}

void Player::apply(std::span<const Change> changes) {
  const auto now = std::ranges::equal_range(changes, simulation_.steps(), {}, &Change::step);
  for (const Change& change : now) make(change.what);
}

void Player::advance(std::span<const Change> changes) {
  simulation_.step();
  apply(changes);
}

void Player::stand_before_changes(const Timeline& timeline, long long step) {
  assert(timeline.step(0) == start_.step);
  if (step == start_.step) {
    simulation_.restore(start_);
  } else {
    seek(timeline, step - 1);
    simulation_.step();
  }
  put_in_force(timeline, step);
}

void Player::change(Timeline& timeline, const Change::What& what) {
  const long long step = simulation_.steps();
  make(what);
  const auto here = std::ranges::equal_range(timeline.changes(), step, {}, &Change::step);
  const bool again = std::ranges::any_of(
      here, [](const Change& change) { return std::holds_alternative<StateChange>(change.what); });
  if (again && std::holds_alternative<StateChange>(what)) {
    stand_before_changes(timeline, step);
    make(what);
  }
  timeline.change({step, what}, simulation_.snapshot());
}

}  // namespace torsor
