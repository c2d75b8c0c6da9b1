#include "torsor/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/simulation/events/contact_forces.hpp"
#include "torsor/simulation/events/event_locator.hpp"
#include "torsor/simulation/events/mode_switch.hpp"
#include "torsor/simulation/loop_assembly.hpp"
#include "torsor/simulation/steppers/symplectic_midpoint.hpp"
#include "torsor/simulation/steppers/time_stepping.hpp"

namespace torsor {

namespace {

// Returns the condition number of M from its eigenvalues, or nullopt if they cannot be computed.
std::optional<double> condition(Solver& solver, const State& state) {
  std::vector<double> M(size_t(state.model().n_v) * size_t(state.model().n_v));
  if (M.empty() || !solver.mass_matrix(state, M.data())) return std::nullopt;
  const auto values = symmetric_eigenvalues(M);
  if (!values) return std::nullopt;
  return values->front() > 0 ? values->back() / values->front()
                             : std::numeric_limits<double>::infinity();
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Model> model, const SolverFactory& make_solver,
                       Integrator integrator, double dt, const Tolerances& tolerances,
                       const std::vector<Payload>& payloads,
                       const ConstraintSolverFactory& make_constraint_solver)
    : dt_(dt),
      integrator_(integrator),
      tolerances_(tolerances),
      motion_(std::make_unique<Motion>(
          model, make_solver, traits(integrator).has_implicit_damping ? dt : 0,
          round_to_steps(payloads, dt),
          MultiplierSolver(make_constraint_solver ? make_constraint_solver(model) : nullptr),
          integrator == Integrator::time_stepping ? 0 : dt)),
      loops_(std::make_unique<LoopAssembly>(*motion_)),
      mode_switch_(std::make_unique<ModeSwitch>(*motion_)),
      locator_(std::make_unique<EventLocator>(*motion_)),
      projection_(std::make_unique<ContactProjection>(*motion_)),
      split_(4 * size_t(model->n_v)),
      motor_tau_(size_t(model->n_v)),
      joint_tau_(motor_tau_),
      powers_(3 * size_t(model->n_v)),
      kinetic_bound_(motion_->models(), motion_->mechanism()),
      V_WB_B_(size_t(model->n_body)),
      energy_scratch_(*model) {
  const auto require_positive = [](const char* what, double value, const char* unit) {
    if (!(value > 0) || !std::isfinite(value))
      throw Error(fmt::format("{} is {}{}; it must be a positive number", what, value, unit));
  };
  require_positive("the step dt", dt, " s");
  require_positive("rtol", tolerances.rtol, "");
  require_positive("atol", tolerances.atol, "");
  if (!(tolerances.max_step > 0))
    throw Error(fmt::format("max_step is {} s; it must be a positive number", tolerances.max_step));
  if (traits(integrator).is_adaptive && dt / tolerances.max_step > double(max_step_evaluations))
    throw Error(fmt::format(
        "max_step is {:g} s, so that one step of dt = {:g} s takes {:.3g} internal steps, and "
        "the limit is {}; increase max_step, or reduce dt",
        tolerances.max_step, dt, dt / tolerances.max_step, max_step_evaluations));
  const size_t n_motor = mechanism().motor_dof.size();
  now_.q = neutral(*model);
  now_.v.assign(size_t(model->n_v), 0.0);
  now_.motor_q.assign(n_motor, 0.0);
  now_.motor_v.assign(n_motor, 0.0);
  resize_memory();
  now_.modes.assign(motion_->n_guards(), 0.0);
  follow_mimics(*model, now_.q, now_.v);
  align_motors();
  start();
}

Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const Model& Simulation::model() const {
  return motion_->model();
}
std::vector<std::shared_ptr<const Model>> Simulation::models() const {
  return motion_->models();
}
size_t Simulation::present_model() const {
  return motion_->present_model();
}
const Mechanism& Simulation::mechanism() const {
  return motion_->mechanism();
}
const State& Simulation::state() const {
  return motion_->state();
}
const Solver& Simulation::solver() const {
  return motion_->solver();
}
const Load& Simulation::load() const {
  return motion_->load();
}
std::span<const double> Simulation::constant_torque() const {
  return motion_->load().tau;
}
bool Simulation::is_prescribed(int dof) const {
  return motion_->prescribed().moves(dof);
}
bool Simulation::has_contacts() const {
  return motion_->contacts() || steps_over_contacts();
}
bool Simulation::steps_over_contacts() const {
  return time_stepping_ && time_stepping_->contacts();
}
long long Simulation::rates() const {
  return stepper_->rates();
}

// Resizes the buffers and makes a new stepper for the layout of the motion.
void Simulation::resize_memory() {
  z_.assign(size_t(motion_->layout().size()), 0.0);
  now_.memory.assign(size_t(motion_->layout().memory), 0.0);
  time_stepping_ = nullptr;
  now_.contacts.assign(motion_->contacts() ? 3 * motion_->contacts()->size() : 0, 0.0);
  if (integrator_ == Integrator::time_stepping) {
    auto stepper = std::make_unique<TimeStepping>(*motion_);
    time_stepping_ = stepper.get();
    now_.contacts.assign(stepper->contacts() ? stepper->contacts()->stored_size() : 0, 0.0);
    stepper_ = std::move(stepper);
  } else if (integrator_ == Integrator::implicit_midpoint && !model().closures.empty())
    stepper_ = std::make_unique<SymplecticMidpoint>(tolerances_, *motion_);
  else
    stepper_ = make_stepper(integrator_, tolerances_, *motion_);
}

// Returns whether the energy error exceeds a tenth of the largest energy or work. The computed
// motion is then far from the exact motion.
bool Simulation::has_diverged() const {
  const Energy now = energy();
  double largest =
      std::max({std::abs(now.kinetic), std::abs(now.potential), std::abs(now.elastic)});
  for (const double work : now_.work) largest = std::max(largest, std::abs(work));
  return std::abs(ledger_error()) > 0.1 * largest;
}

// Returns the failure message of a load or of a transmission. If the motion has diverged, adds
// this, because its positions and velocities are then the cause.
std::string Simulation::explain_load(const std::string& what) {
  restore_motion();
  if (has_finite_motion() && !has_diverged()) return what;
  return fmt::format("{}; {}", what, explain_divergence());
}

void Simulation::require(Status status) {
  if (status) return;
  if (is_stopped()) throw Stopped();
  const std::string what = motion_->explain(status);
  if (motion_->load_failed()) fail(explain_load(what));
  const bool overflowed = motion_->overflowed();  // read before restore_motion() resets it
  restore_motion();
  const int code = TORSOR_STATUS_CODE(status.value);
  const bool misbehaved = code == Status::overrun || code == Status::altered;
  if (!misbehaved && (overflowed || has_diverged()))
    fail_moving(fmt::format("{}; {}", what, explain_divergence()));
  if (code == TORSOR_SINGULAR && motion_->accelerate(now_, time()))
    fail_moving(
        fmt::format("{}; the mass matrix is regular before this step: try a smaller dt "
                    "than {:g} s",
                    what, dt_));
  fail_moving(what);
}

// Starts the stepper from next_. The motion must already be set to next_.
void Simulation::start_stepper(double t) {
  motion_->pack(next_, z_);
  stepper_->start(t, z_, next_.next_step);
}
void Simulation::restart(double t) {
  motion_->set_state(next_, t);
  start_stepper(t);
}

// Writes the stepper's state z at time t to next_, with closed loops.
void Simulation::take_state(double t, std::span<const double> z) {
  motion_->unpack(t, z, next_);
  require(loops_->project(next_, t));
  require(projection_->project(next_, t));
}

// Advances the stepper by one internal step towards t_end. Throws Error if the step fails.
void Simulation::advance(double t_end) {
  bool moved = false;
  try {
    moved = stepper_->advance(t_end);
  } catch (const Error& error) {
    fail_moving(error.what());
  }
  if (!moved) require(motion_->failure());
}

void Simulation::step() {
  motion_->set_stop(stop_ ? &stop_ : nullptr);
  try {
    try {
      advance_to_next();
    } catch (const MotionFailed&) {
      require(motion_->failure());
    }
  } catch (const Error&) {
    motion_->set_stop(nullptr);
    restore_motion();
    if (is_stopped()) throw Stopped();  // overrides errors that the stop caused
    throw;
  }
  motion_->set_stop(nullptr);
}

// Sets the motion to the end of the last good step.
void Simulation::restore_motion() {
  motion_->end_step();
  motion_->select_model(time());
  motion_->set_state(now_, time());
}

void Simulation::advance_to_next() {
  const double t_end = double(now_.step + 1) * dt_;
  motion_->prescribed().check_derivative(time(), dt_);
  constexpr int most_events = 1000;
  const bool has_events = motion_->has_events();
  next_ = now_;
  sensed_until_ = -1;
  contact_residual_ = 0;
  if (steps_over_contacts()) time_stepping_->contacts()->start_from(now_.contacts);
  start_stepper(time());  // between steps, the motion is set to now_
  const long long evaluated = stepper_->rates();
  long long internal_steps = 0;
  for (int events = 0; stepper_->time() < t_end;) {
    const double t0 = stepper_->time(), instant = next_instant(t0);
    if (has_events) locator_->begin(*stepper_);
    motion_->begin_step(t0, std::min(instant, t_end));
    advance(std::min(instant, t_end));
    if (steps_over_contacts()) {
      next_[Work::stops] += time_stepping_->stop_work();
      contact_residual_ = std::max(contact_residual_, time_stepping_->contacts()->residual());
    }
    check_evaluations(stepper_->rates() - evaluated, ++internal_steps);
    next_.next_step = stepper_->next_step();
    const auto event = has_events ? locator_->find(*stepper_, t0, next_.modes) : std::nullopt;
    motion_->end_step();
    if (event) {
      if (++events > most_events)
        fail_moving(fmt::format(
            "more than {} impacts and changes between sticking and slipping in one "
            "step of {:g} s; try a smaller dt{}",
            most_events, dt_, motion_->contacts() ? ", or the integrator time_stepping" : ""));
      process_event(*event);
    } else if (stepper_->time() < t_end && motion_->chart_needs_restart(stepper_->state())) {
      take_state(stepper_->time(), stepper_->state());
      restart(stepper_->time());
    }
    if (stepper_->time() == instant) process_instant(instant);
  }
  if (is_stopped()) throw Stopped();  // ARKODE completes a step even if its last evaluation failed
  commit();
}

// Applies an event. At a stop, uses the state just before the event, which is not beyond the stop.
// Otherwise uses the state just after the event, where the event has certainly occurred.
void Simulation::process_event(const EventTimes& event) {
  ++events_;
  const std::span<const char> fallen = locator_->fallen(*stepper_, event, next_.modes);
  const double t = locator_->strikes() ? event.before : event.after;
  if (!stepper_->state_at(t, z_)) require(motion_->failure());
  take_state(t, z_);
  // A rebound shorter than a thousandth of a step is suppressed: no recording can show it.
  require(mode_switch_->apply(next_, t, fallen, 1e-3 * dt_));
  // Limits the next internal step. A method of low order cannot resolve a flight that is shorter
  // than this step.
  if (const double flight = mode_switch_->flight(); std::isfinite(flight))
    next_.next_step = next_.next_step > 0 ? std::min(next_.next_step, flight / 16) : flight / 16;
  restart(t);
}

void Simulation::check_evaluations(long long evaluations, long long internal_steps) {
  if (evaluations <= max_step_evaluations) return;
  fail_moving(fmt::format(
      "{} needs more than {} evaluations of the motion in one step of {:g} s ({} internal steps so "
      "far); {}use a smaller dt, larger tolerances, or a stiff integrator (dirk, bdf)",
      name(integrator_), max_step_evaluations, dt_, internal_steps,
      std::isfinite(tolerances_.max_step) ? "increase max_step, or " : ""));
}

// Accepts the stepper's state as the new state of the simulation.
void Simulation::commit() {
  const std::span<const double> z = stepper_->state();
  if (!motion_->is_finite(z.data())) require(motion_->failure());
  take_state(stepper_->time(), z);
  if (steps_over_contacts()) {
    time_stepping_->contacts()->store(next_.contacts);
    time_stepping_->contacts()->store_modes(next_.modes);
  }
  sample_sensors(next_, stepper_->time(), false);
  motion_->set_contact_force({});
  ++next_.step;
  swap(now_, next_);
  motion_->set_state(now_, time());
  reject_infinite_motion();
}

void Simulation::fail(const std::string& what) {
  fail_at(time(), what);
}
void Simulation::fail_at(double t, const std::string& what) {
  restore_motion();
  throw Error(fmt::format("at t = {:.9g} s (step {}): {}", t, now_.step, what));
}

void Simulation::fail_moving(const std::string& what) {
  restore_motion();
  const auto cond = condition(motion_->solver(), state());
  fail(what + (cond ? fmt::format("; cond(M) = {:.2g} there", *cond) : ""));
}

}  // namespace torsor
