#include "torsor/run/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "torsor/constraints/loops/constrained_dynamics.hpp"
#include "torsor/contact/overlaps.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor {

namespace {

SolverFactory factory(const SolverSource& make_solver, const std::string& id) {
  assert(make_solver && "Experiment::make_solver must be set before a run");
  return [&](std::shared_ptr<const Model> model) { return make_solver(id, std::move(model)); };
}

bool is_singular(Solver solver, const State& state) {
  std::vector<double> Minv(state.v.size() * state.v.size());
  return TORSOR_STATUS_CODE(solver.inverse_mass_matrix(state, Minv.data()).value) ==
         TORSOR_SINGULAR;
}

bool same(const ConstraintSolverChoice& a, const ConstraintSolverChoice& b) {
  return without_kind(a.id) == without_kind(b.id) && a.parameters == b.parameters;
}

// Returns the factory of the chosen constraint solver, or an empty one for the default, by which
// the engine solves without a plugin.
ConstraintSolverFactory factory(const ConstraintSolverSource& make_constraint_solver,
                                const ConstraintSolverChoice& choice, const Model& model) {
  if (is_default(choice, model)) return {};
  return [&](const std::shared_ptr<const Model>& of) { return make_constraint_solver(choice, of); };
}

// Returns the flags of the named dof, [n_v].
std::vector<char> held_dofs(const Model& model, std::span<const std::string> hold) {
  std::vector<char> out(size_t(model.n_v), 0);
  for (const int dof : dofs_named(model, hold, "hold")) out[size_t(dof)] = 1;
  return out;
}

}  // namespace

Player::Player(const Experiment& experiment, std::span<const Change> made)
    : make_solver_(experiment.make_solver),
      solver_(experiment.solver),
      make_constraint_solver_(experiment.make_constraint_solver),
      constraint_solver_(experiment.constraint_solver),
      simulation_(experiment.model, factory(make_solver_, solver_), experiment.integrator,
                  experiment.dt, experiment.tolerances, experiment.payloads,
                  factory(make_constraint_solver_, constraint_solver_, *experiment.model)),
      own_solver_(experiment.solver),
      own_constraint_solver_(experiment.constraint_solver) {
  Activity starts = activity;
  starts.time = 0;
  starts.step = 0;
  const ActivityScope scope(starts);
  simulation_.set_gravity(experiment.gravity_W);
  // If M is singular, there is no acceleration. All other checks of the initial state are still
  // made.
  const auto unless_singular = [&](const auto& evaluate) {
    try {
      evaluate();
    } catch (const Error&) {
      if (!is_singular(make_solver_(solver_, simulation_.state().model_ptr()), simulation_.state()))
        throw;
    }
  };
  // The last step of begin() decides where friction sticks, which requires accelerations.
  unless_singular([&] {
    simulation_.begin(experiment.load, experiment.q, experiment.v, experiment.motor_q,
                      experiment.motor_v, experiment.held);
  });
  if (experiment.integrator == Integrator::time_stepping && !experiment.separate_overlaps)
    if (const std::string overlaps = deep_overlaps(simulation_.state()); !overlaps.empty())
      throw Error(fmt::format(
          "at t = 0 s: {}; move them apart, exclude the pair, or set separate_overlaps = true in "
          "the experiment to push them apart in the first step",
          overlaps));
  own_torque_ = experiment.load.tau;
  own_torque_.resize(size_t(experiment.model->n_v));
  own_controls_ = experiment.load.controls;
  if (!experiment.state.empty()) {
    activate(made, step_of(experiment.state));
    simulation_.load(experiment.state);
    activity.time = simulation_.time();
    activity.step = simulation_.steps();
  }
  unless_singular([&] { simulation_.acceleration(); });
  start_ = kept_ = simulation_.snapshot();
}

void Player::use(const std::string& solver) {
  if (without_kind(solver) == without_kind(solver_)) return;
  simulation_.change_solver(factory(make_solver_, solver));
  solver_ = solver;
}

void Player::use(const ConstraintSolverChoice& choice) {
  if (same(choice, constraint_solver_)) return;
  simulation_.change_constraint_solver(
      factory(make_constraint_solver_, choice, simulation_.model()));
  constraint_solver_ = choice;
}

std::vector<std::shared_ptr<const ControlLaw>> Player::laws_with(
    const std::vector<ControlParameters>& parameters) const {
  const Model& model = simulation_.model();
  std::vector<std::shared_ptr<const ControlLaw>> laws(own_controls_.size());
  for (const ControlParameters& now : parameters_) {
    const size_t k = control_index(model, own_controls_, now);
    laws[k] = own_controls_[k].law;
  }
  for (const ControlParameters& wanted : parameters) {
    const size_t k = control_index(model, own_controls_, wanted);
    const bool stays = std::ranges::find(parameters_, wanted) != parameters_.end();
    laws[k] = stays ? nullptr : remade_law(own_controls_[k], wanted);
  }
  return laws;
}

void Player::activate(std::span<const Change> changes, long long step) {
  const auto* solver = torsor::active_change<SolverChange>(changes, step);
  use(solver ? solver->solver : own_solver_);
  const auto* of_constraints = torsor::active_change<ConstraintSolverChange>(changes, step);
  use(of_constraints ? of_constraints->constraint_solver : own_constraint_solver_);
  const auto* torque = torsor::active_change<TorqueChange>(changes, step);
  simulation_.restore_torque(torque ? torque->tau : own_torque_);
  const auto* pull = torsor::active_change<PullChange>(changes, step);
  simulation_.restore_pull(pull ? pull->pull : std::nullopt);
  const auto* parameters = torsor::active_change<ParameterChange>(changes, step);
  const auto controls = parameters ? parameters->controls : std::vector<ControlParameters>();
  if (controls == parameters_) return;
  simulation_.restore_laws(laws_with(controls));
  parameters_ = controls;
}

std::vector<Change::What> Player::active_changes() const {
  std::vector<Change::What> out;
  const auto tau = simulation_.constant_torque();
  if (without_kind(solver_) != without_kind(own_solver_)) out.push_back(SolverChange{solver_});
  if (!same(constraint_solver_, own_constraint_solver_))
    out.push_back(ConstraintSolverChange{constraint_solver_});
  if (!std::ranges::equal(tau, own_torque_)) out.push_back(TorqueChange{{tau.begin(), tau.end()}});
  if (simulation_.load().pull) out.push_back(PullChange{simulation_.load().pull});
  if (!parameters_.empty()) out.push_back(ParameterChange{parameters_});
  return out;
}

void Player::show(const Timeline& timeline, const Snapshot& state) {
  show(timeline.changes(), state);
}

void Player::show(std::span<const Change> changes, const Snapshot& state) {
  activate(changes, state.step);
  simulation_.restore(state);
}

void Player::show(const Timeline& timeline, size_t i) {
  activate(timeline.changes(), timeline.step(i));
  timeline.at(i, kept_);
  simulation_.restore(kept_);
}

void Player::seek(const Timeline& timeline, long long step) {
  if (step < timeline.step(0) || step > timeline.end())
    throw Error(fmt::format("step {} has not been reached: the run covers steps {} to {}", step,
                            timeline.step(0), timeline.end()));
  show(timeline, timeline.index_at(step));
  while (simulation_.steps() < step)
    // no changes are skipped, because the state after a change is always stored
    simulation_.step();
}

void Player::make(const Change::What& what) {
  if (const auto* state = std::get_if<StateChange>(&what))
    simulation_.change_state(state->q, state->v, held_dofs(simulation_.model(), state->hold));
  else if (const auto* torque = std::get_if<TorqueChange>(&what))
    simulation_.change_torque(torque->tau);
  else if (const auto* pull = std::get_if<PullChange>(&what))
    simulation_.change_pull(pull->pull);
  else if (const auto* solver = std::get_if<SolverChange>(&what))
    use(solver->solver);
  else if (const auto* chosen = std::get_if<ConstraintSolverChange>(&what))
    use(chosen->constraint_solver);
  else
    change(std::get<ParameterChange>(what).controls);
}

void Player::change(const std::vector<ControlParameters>& parameters) {
  simulation_.change_laws(laws_with(parameters));
  parameters_ = parameters;
}

void Player::apply(std::span<const Change> changes) {
  for (const Change& change : changes_at(changes, simulation_.steps())) make(change.what);
}

void Player::advance(std::span<const Change> changes) {
  simulation_.step();
  apply(changes);
}

void Player::move_before_changes(const Timeline& timeline, long long step) {
  assert(timeline.step(0) == start_.step);
  if (step == start_.step) {
    simulation_.restore(start_);
  } else {
    seek(timeline, step - 1);
    simulation_.step();
  }
  activate(timeline.changes(), step);
}

void Player::change(Timeline& timeline, const Change::What& what) {
  const long long step = simulation_.steps();
  make(what);
  const bool again = std::ranges::any_of(
      changes_at(timeline.changes(), step),
      [](const Change& change) { return std::holds_alternative<StateChange>(change.what); });
  if (again && std::holds_alternative<StateChange>(what)) {
    move_before_changes(timeline, step);
    make(what);
  }
  timeline.change({step, what}, simulation_.snapshot());
}

}  // namespace torsor
