#include "torsor/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "torsor/base/hash.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/eigenvalues.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

namespace {

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

constexpr double rate_rounding = 1e-9;  // for rates that come from decimals

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
                       const std::vector<Payload>& payloads)
    : dt_(dt),
      integrator_(integrator),
      tolerances_(tolerances),
      motion_(std::make_unique<Motion>(model, make_solver,
                                       integrator == Integrator::semi_implicit_euler ? dt : 0,
                                       whole_steps(payloads, dt))),
      g0_(size_t(motion_->guards())),
      g1_(g0_),
      approach0_(mechanism().stops.size()),
      approach1_(approach0_),
      fallen_(g0_.size()),
      idle_(g0_.size()),
      split_(4 * size_t(model->n_v)),
      motor_tau_(size_t(model->n_v)),
      joint_tau_(motor_tau_),
      powers_(3 * size_t(model->n_v)),
      V_WB_B_(size_t(model->n_body)) {
  const auto require_positive = [](const char* what, double value, const char* unit) {
    if (!(value > 0) || !std::isfinite(value))
      throw Error(fmt::format("{} is {}{}; it must be a positive number", what, value, unit));
  };
  require_positive("the step dt", dt, " s");
  require_positive("rtol", tolerances.rtol, "");
  require_positive("atol", tolerances.atol, "");
  if (!(tolerances.max_step > 0))
    throw Error(fmt::format("max_step is {} s; it must be a positive number", tolerances.max_step));
  if (is_adaptive(integrator) && dt / tolerances.max_step > double(max_step_evaluations))
    throw Error(fmt::format(
        "max_step is {:g} s, so that one step of dt = {:g} s takes {:.3g} internal steps, and "
        "the limit is {}; increase max_step, or reduce dt",
        tolerances.max_step, dt, dt / tolerances.max_step, max_step_evaluations));
  const size_t n_motor = mechanism().motor_column.size();
  now_.q = neutral(*model);
  now_.v.assign(size_t(model->n_v), 0.0);
  now_.motor_q.assign(n_motor, 0.0);
  now_.motor_v.assign(n_motor, 0.0);
  resize_memory();
  now_.modes.assign(g0_.size(), 0.0);
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
std::span<const double> Simulation::torque() {
  return motion_->torque(time());
}
bool Simulation::is_prescribed(int column) const {
  return motion_->prescribed().moves(column);
}
long long Simulation::rates() const {
  return stepper_->rates();
}

void Simulation::align_motors() {
  for (size_t m = 0; m < now_.motor_q.size(); ++m) {
    const auto column = size_t(mechanism().motor_column[m]);
    now_.motor_q[m] = now_.q[size_t(mechanism().coordinate[column])];
    now_.motor_v[m] = now_.v[column];
  }
}

// Resizes the buffers and makes a new stepper for the layout of the motion.
void Simulation::resize_memory() {
  z_.assign(size_t(motion_->layout().size()), 0.0);
  z0_ = z1_ = z_;
  now_.memory.assign(size_t(motion_->layout().memory), 0.0);
  stepper_ = make_stepper(integrator_, tolerances_, *motion_);
}

Energy Simulation::energy() const {
  Energy out = torsor::energy(state(), mechanism(), now_);
  out.elastic += motion_->kept_energy(now_);
  return out;
}

void Simulation::start() {
  now_.step = 0;
  now_.work = {};
  now_.next_step = 0;
  std::fill(now_.memory.begin(), now_.memory.end(), 0.0);
  motion_->select_model(0);
  motion_->prescribed().go_to(0);
  motion_->prescribed().write_rates(now_.v.data());
  follow_mimics(model(), now_.q, now_.v);
  now_.held.assign(motion_->controls().n_held(), 0.0);
  motion_->controls().clear(now_.held);
  motion_->reset_modes(now_);
  motion_->set_state(now_, 0);
  sample(now_, 0, true);
  motion_->set_state(now_, 0);
  now_.energy_zero = energy().sum();
  next_ = now_;
}

// Decides which frictions stick and which stops are closed at the present state.
void Simulation::choose_modes() {
  if (motion_->guards() == 0) return;
  Snapshot decided = now_;
  choose_modes_at(decided, time());
  now_ = decided;
  motion_->set_state(now_, time());
}

// Decides which frictions stick and which stops are closed at a snapshot at time t. The motion must
// already be at this snapshot.
void Simulation::choose_modes_at(Snapshot& at, double t) {
  if (motion_->guards() == 0) return;
  motion_->pack(at, z_);
  if (!motion_->guard_values(t, z_.data(), g0_)) require(motion_->failure());
  for (size_t i = 0; i < fallen_.size(); ++i) fallen_[i] = g0_[i] <= 0;
  require(motion_->transition(at, t, fallen_, 0));
}

void Simulation::set_gravity(const Vec3<double>& gravity_W) {
  motion_->set_gravity(gravity_W);
  start();
}

void Simulation::assign_load(const Load& load) {
  if (!load.tau.empty()) check_torque(load.tau);
  for (const Control& control : load.controls)
    if (control.period != 0 && !(control.period >= 1e-3 * dt_ && std::isfinite(control.period)))
      throw Error(
          fmt::format("{}{}the sampling period of a control is {:g} s, its rate {:g} Hz; both must "
                      "be positive, and the "
                      "period at least a thousandth of the step of {:g} s",
                      control.source, control.source.empty() ? "" : ": ", control.period,
                      1 / control.period, dt_));
  Load full = load;
  if (full.tau.empty()) full.tau.assign(size_t(model().n_v), 0.0);
  motion_->set_load(full);
  resize_memory();
}

void Simulation::set_load(const Load& load) {
  assign_load(load);
  start();
}

void Simulation::begin(const Load& load, std::span<const double> q, std::span<const double> v,
                       std::span<const double> theta, std::span<const double> theta_dot) {
  assign_load(load);
  assign_state(0, q, v);
  align_motors();
  if (!theta.empty()) assign_motors(theta, theta_dot);
  start();
  choose_modes();
}

void Simulation::check_torque(std::span<const double> tau) const {
  if (int(tau.size()) != model().n_v || !all_finite(tau))
    throw Error(fmt::format("the torques of motors must be {} finite numbers", model().n_v));
  for (int k = 0; k < model().n_v; ++k)
    if (tau[size_t(k)] != 0 && model().drives[size_t(k)].passive)
      throw Error(fmt::format("joint '{}' is passive: no torque can be applied to it; set {}",
                              model().joint_of_column(k).name, how_to_add_motors));
  motion_->prescribed().check_torque(tau);
}

// Throws Error for a state beyond a stop or against a <mimic>.
void Simulation::check_start() const {
  const auto name_of = [&](int index) {
    const int column =
        index < mechanism().n_v ? index : mechanism().motor_column[size_t(index - mechanism().n_v)];
    return model().joint_of_column(column).name;
  };
  for (const StopElement& stop : mechanism().stops) {
    const double p = mechanism().position(stop.index, now_.q.data(), now_.motor_q.data());
    if (stop.side * (p - stop.limit) < 0)
      throw Error(fmt::format(
          "joint '{}' is at {:.9g}, beyond its stop at {:.9g}; start it on this side, or move "
          "the limit",
          name_of(stop.index), p, stop.limit));
  }
  // A coordinate and the coordinate that it mimics are decimals. Each is rounded once, and so is
  // their combination.
  constexpr double rounding = 1e-9;
  for (const MimicElement& mimic : mechanism().mimics) {
    const double gap =
        mechanism().position(mimic.row, now_.q.data(), now_.motor_q.data()) - mimic.offset;
    if (std::abs(gap) > rounding)
      throw Error(fmt::format("joint '{}' mimics '{}': its position must change by {:.9g}",
                              name_of(mimic.row[0].index), name_of(mimic.row[1].index), -gap));
    if (std::abs(along(mimic.row, now_.v.data())) > rounding)
      throw Error(fmt::format("joint '{}' mimics '{}': its velocity must change by {:.9g}",
                              name_of(mimic.row[0].index), name_of(mimic.row[1].index),
                              -along(mimic.row, now_.v.data())));
  }
}

// Sets the rates of prescribed joints. The given v must contain these rates or 0.
void Simulation::prescribe(double t) {
  Prescribed& prescribed = motion_->prescribed();
  prescribed.go_to(t);
  for (size_t k = 0; k < prescribed.rows().size(); ++k)
    if (double& v = now_.v[size_t(prescribed.rows()[k][0].index)]; v == 0) v = prescribed.rate(k);
  prescribed.check_rates(t, now_.v, rate_rounding);
  prescribed.write_rates(now_.v.data());
}

// Moves each motor by the change of its joint.
void Simulation::assign_state(double t, std::span<const double> q, std::span<const double> v) {
  if (int(q.size()) != model().n_q || int(v.size()) != model().n_v)
    throw Error(fmt::format("q has {} and v has {} numbers; the model has {} and {}", q.size(),
                            v.size(), model().n_q, model().n_v));
  if (!all_finite(q) || !all_finite(v)) throw Error("q and v must be finite numbers");
  const Snapshot before = now_;
  now_.q.assign(q.begin(), q.end());
  now_.v.assign(v.begin(), v.end());
  try {
    prescribe(t);
    normalise(model(), now_.q);
    for (size_t m = 0; m < now_.motor_q.size(); ++m) {
      const auto column = size_t(mechanism().motor_column[m]),
                 k = size_t(mechanism().coordinate[column]);
      now_.motor_q[m] += now_.q[k] - before.q[k];
      now_.motor_v[m] += now_.v[column] - before.v[column];
    }
    check_start();
  } catch (const Error&) {
    now_ = before;
    throw;
  }
}

void Simulation::set_state(std::span<const double> q, std::span<const double> v) {
  assign_state(0, q, v);
  align_motors();
  start();
  choose_modes();
}

void Simulation::assign_motors(std::span<const double> theta, std::span<const double> theta_dot) {
  const size_t n = now_.motor_q.size();
  if (theta.size() != n || theta_dot.size() != n || !all_finite(theta) || !all_finite(theta_dot))
    throw Error(
        fmt::format("positions and velocities of the motors must be {} finite numbers each", n));
  now_.motor_q.assign(theta.begin(), theta.end());
  now_.motor_v.assign(theta_dot.begin(), theta_dot.end());
}

void Simulation::set_motors(std::span<const double> theta, std::span<const double> theta_dot) {
  assign_motors(theta, theta_dot);
  start();
  choose_modes();
}

void Simulation::change_state(std::span<const double> q, std::span<const double> v) {
  const double before = energy().sum();
  assign_state(time(), q, v);
  motion_->reset_modes(now_);
  now_.next_step = 0;
  motion_->set_state(now_, time());
  now_[Work::changes] += energy().sum() - before;
  choose_modes();
}

void Simulation::restore_torque(std::span<const double> tau) {
  check_torque(tau);
  motion_->set_torque(tau);
}

void Simulation::change_torque(std::span<const double> tau) {
  restore_torque(tau);
  choose_modes();
}

void Simulation::restore_pull(const std::optional<Pull>& pull) {
  if (pull) {
    const auto& [frame, p, x, stiffness, damping] = *pull;
    (void)model().frame(frame);
    const std::array numbers{p.x, p.y, p.z, x.x, x.y, x.z, stiffness, damping};
    if (!all_finite(numbers) || stiffness < 0 || damping < 0)
      throw Error(
          "a pull needs finite points, and a finite stiffness and damping that are not negative");
  }
  motion_->set_pull(pull);
}

void Simulation::change_pull(const std::optional<Pull>& pull) {
  restore_pull(pull);
  choose_modes();
}

Wrench<double> Simulation::pull_F_W() const {
  const std::optional<Pull>& pull = load().pull;
  if (!pull) return {};
  const Frame& frame = model().frames[size_t(model().frame(pull->frame))];
  return wrench_F_W(*pull, frame_pose(state(), frame), frame_twist(state(), frame));
}

void Simulation::restore_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws) {
  motion_->set_laws(laws);
}

void Simulation::change_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws) {
  restore_laws(laws);
  choose_modes();
}

void Simulation::change_solver(const SolverFactory& make_solver) {
  motion_->change_solver(make_solver);
}

void Simulation::restore(const Snapshot& snapshot) {
  now_ = snapshot;
  restore_motion();
}

void Simulation::evaluate() {
  require(motion_->accelerate(now_, time()));
}
std::span<const double> Simulation::acceleration() {
  evaluate();
  return motion_->acceleration().first(size_t(model().n_v));
}
std::span<const double> Simulation::motor_torque() {
  motor_torques(model(), torque(), motor_tau_);
  return motor_tau_;
}
std::span<const double> Simulation::friction() {
  evaluate();
  return motion_->friction().first(size_t(model().n_v));
}
std::span<const double> Simulation::constraint() {
  evaluate();
  return motion_->constraint().first(size_t(model().n_v));
}

Controls::Given Simulation::given(size_t control) {
  const size_t first = size_t(mechanism().n_memory) + motion_->forces_n_x();
  return motion_->controls().given(control, {time(), now_.q, now_.v, now_.motor_q, now_.motor_v},
                                   now_.held, now_.memory.data() + first);
}

Controls::Seen Simulation::control_measured(size_t k) {
  return motion_->controls().measured(k, {time(), now_.q, now_.v, now_.motor_q, now_.motor_v},
                                      now_.held);
}

std::span<const double> Simulation::joint_torque() {
  const std::span<const double> vdot = acceleration();
  for (size_t k = 0; k < joint_tau_.size(); ++k)
    joint_tau_[k] = motion_->pushed()[k] + motion_->constraint()[k];
  for (const auto& [i, j, inertia] : mechanism().armatures) {
    joint_tau_[size_t(i)] -= inertia * vdot[size_t(j)];
    joint_tau_[size_t(j)] -= inertia * vdot[size_t(i)];
  }
  return joint_tau_;
}

Simulation::TorqueSplit Simulation::torque_split() {
  const size_t n = size_t(model().n_v);
  const std::span<const double> vdot = acceleration();
  double* part = split_.data();
  require(motion_->solver().torque_split(state(), vdot.data(),
                                         {part, part + n, part + 2 * n, part + 3 * n}));
  for (const auto& [i, j, inertia] : mechanism().armatures) {
    part[i] += inertia * vdot[size_t(j)];
    part[j] += inertia * vdot[size_t(i)];
  }
  return {{part, n}, {part + n, n}, {part + 2 * n, n}, {part + 3 * n, n}};
}

// Returns whether the energy error exceeds a tenth of the largest energy or work. The computed
// motion then differs from the exact one.
bool Simulation::has_diverged() const {
  const Energy now = energy();
  double largest =
      std::max({std::abs(now.kinetic), std::abs(now.potential), std::abs(now.elastic)});
  for (const double work : now_.work) largest = std::max(largest, std::abs(work));
  return std::abs(ledger_error()) > 0.1 * largest;
}

// Returns the failure message of a load. If the kinetic energy is not finite, adds that the motion
// has diverged, because loads then have no finite values.
std::string Simulation::explain_load(const std::string& what) {
  restore_motion();
  if (std::isfinite(torsor::energy(state(), mechanism(), now_).kinetic)) return what;
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
  const bool diverged = !misbehaved && (overflowed || has_diverged());
  fail_moving(diverged ? fmt::format("{}; {}", what, explain_divergence()) : what);
}

// Starts the stepper from next_. The motion must already be at next_.
void Simulation::start_stepper(double t) {
  motion_->pack(next_, z_);
  stepper_->start(t, z_, next_.next_step);
}
void Simulation::restart(double t) {
  motion_->set_state(next_, t);
  start_stepper(t);
}

// Makes one step of the stepper.
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
    advance_to_next();
  } catch (const Error&) {
    motion_->set_stop(nullptr);
    restore_motion();
    if (is_stopped()) throw Stopped();  // overrides errors that the stop caused
    throw;
  }
  motion_->set_stop(nullptr);
}

// Returns the motion to the end of the last good step.
void Simulation::restore_motion() {
  motion_->end_step();
  motion_->select_model(time());
  motion_->set_state(now_, time());
}

void Simulation::advance_to_next() {
  const double t_end = double(now_.step + 1) * dt_;
  motion_->prescribed().check_derivative(time(), dt_);
  constexpr int most_events = 1000;
  next_ = now_;
  start_stepper(time());  // the motion is at now_ between steps
  const long long evaluated = stepper_->rates();
  long long internal_steps = 0;
  for (int events = 0; stepper_->time() < t_end;) {
    const double t0 = stepper_->time(), instant = next_instant(t0);
    if (motion_->guards() > 0) record_guards();
    motion_->begin_step(t0, std::min(instant, t_end));
    advance(std::min(instant, t_end));
    check_evaluations(stepper_->rates() - evaluated, ++internal_steps);
    next_.next_step = stepper_->next_step();
    const auto event = find_event(t0);
    motion_->end_step();
    if (event) {
      if (++events > most_events)
        fail_moving(
            fmt::format("more than {} impacts and changes between sticking and slipping in one "
                        "step of {:g} s; try "
                        "a smaller dt",
                        most_events, dt_));
      process_event(*event);
    } else if (stepper_->time() < t_end && motion_->chart_is_worn(stepper_->state())) {
      motion_->unpack(stepper_->time(), stepper_->state(), next_);
      restart(stepper_->time());
    }
    if (stepper_->time() == instant) process_instant(instant);
  }
  if (is_stopped()) throw Stopped();  // ARKODE completes a step even if its last evaluation failed
  commit();
}

void Simulation::check_evaluations(long long evaluations, long long internal_steps) {
  if (evaluations <= max_step_evaluations) return;
  fail_moving(
      fmt::format("{} needs more than {} evaluations of the motion in one step of {:g} s ({} "
                  "internal steps so far); "
                  "{}use a smaller dt, larger tolerances, or a stiff integrator (dirk, bdf)",
                  name(integrator_), max_step_evaluations, dt_, internal_steps,
                  std::isfinite(tolerances_.max_step) ? "increase max_step, or " : ""));
}

// Accepts the stepper's state as the state of the next step.
void Simulation::commit() {
  const std::span<const double> z = stepper_->state();
  if (!motion_->is_finite(z.data())) require(motion_->failure());
  motion_->unpack(stepper_->time(), z, next_);
  ++next_.step;
  std::swap(now_, next_);
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

// Returns a hash of the models with dt, and a hash of the loads. A snapshot can only be continued
// with the models and loads of the same hashes.
Origin Simulation::origin() const {
  Hash made_in, under;
  for (const auto& model : models()) made_in.add(fingerprint(*model));
  made_in.add(motion_->changes());
  made_in.add(dt_);
  for (const Payload& payload : motion_->payloads()) made_in.add(std::vector{payload.V_WP});
  for (const auto& force : motion_->load().forces) under.add(force->fingerprint());
  for (const Control& control : motion_->load().controls) under.add(fingerprint(control));
  return {made_in.value(), under.value()};
}

void Simulation::take_over(const Simulation& last) {
  if (origin().model != last.origin().model)
    throw Error("the reloaded scene has another mechanism");
  require_layout(motion_->load(), last.motion_->load());
  motion_->prescribed().check_rates(last.time(), last.now_.v, rate_rounding);
  const double before = last.energy().sum();
  restore(last.now_);
  now_[Work::changes] += energy().sum() - before;
  choose_modes();
}

std::vector<std::byte> Simulation::save() const {
  return to_bytes(now_, origin());
}

void Simulation::load(std::span<const std::byte> bytes) {
  Snapshot loaded = now_;
  from_bytes(bytes, origin(), loaded);
  motion_->prescribed().check_rates(double(loaded.step) * dt_, loaded.v, rate_rounding);
  restore(loaded);
}

}  // namespace torsor
