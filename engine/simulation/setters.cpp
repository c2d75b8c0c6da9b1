// Sets the loads and the state of a simulation: at the start of a run, during it, from another
// simulation and from bytes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "torsor/base/hash.hpp"
#include "torsor/simulation/events/contact_modes.hpp"
#include "torsor/simulation/events/guards.hpp"
#include "torsor/simulation/events/mode_switch.hpp"
#include "torsor/simulation/loop_assembly.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

constexpr double rate_rounding = 1e-9;  // tolerance for rates that were read from decimal numbers

}  // namespace

void Simulation::align_motors() {
  for (size_t m = 0; m < now_.motor_q.size(); ++m) {
    const auto dof = size_t(mechanism().motor_dof[m]);
    now_.motor_q[m] = now_.q[size_t(mechanism().coordinate[dof])];
    now_.motor_v[m] = now_.v[dof];
  }
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
  now_.held.assign(motion_->controls().n_stored() + sensors_.n_stored(), 0.0);
  std::ranges::fill(now_.contacts, 0.0);
  motion_->controls().clear(now_.held);
  motion_->reset_modes(now_);
  motion_->reset_transmissions();
  motion_->set_state(now_, 0);
  sample_sensors_at_start();
  sample(now_, 0, true);
  motion_->set_state(now_, 0);
  now_.energy_zero = energy().sum();
  next_ = now_;
}

// Decides which frictions stick, which stops are closed and which contact points touch at the
// present state.
void Simulation::choose_modes() {
  if (motion_->n_guards() == 0) return;
  Snapshot decided = now_;
  choose_modes_at(decided, time());
  now_ = decided;
  motion_->set_state(now_, time());
}

// The same at a snapshot at time t. The motion must already be set to this snapshot.
void Simulation::choose_modes_at(Snapshot& at, double t) {
  const size_t n = motion_->n_guards();
  if (n == 0) return;
  motion_->pack(at, z_);
  std::vector<double> guards(n);
  if (!Guards(*motion_).evaluate(t, z_.data(), guards)) require(motion_->failure());
  std::vector<char> fallen(n);
  for (size_t i = 0; i < n; ++i) fallen[i] = guards[i] <= 0;
  require(mode_switch_->apply(at, t, fallen, 0));
}

void Simulation::set_gravity(const Vec3<double>& gravity_W) {
  motion_->set_gravity(gravity_W);
  start();
}

void Simulation::assign_load(const Load& load) {
  for (const std::vector<double>* tau : {&load.tau, &load.motor_tau})
    if (!tau->empty()) check_torque(*tau);
  for (const Control& control : load.controls)
    if (control.period != 0 && !(control.period >= 1e-3 * dt_ && std::isfinite(control.period)))
      throw Error(
          fmt::format("{}{}the sampling period of a control is {:g} s, its rate {:g} Hz; both must "
                      "be positive, and the period at least a thousandth of the step of {:g} s",
                      control.source, control.source.empty() ? "" : ": ", control.period,
                      1 / control.period, dt_));
  RobotSensors sensors(model(), load.sensors, dt_);
  Load full = load;
  if (full.tau.empty()) full.tau.assign(size_t(model().n_v), 0.0);
  motion_->set_load(full);
  sensors_ = std::move(sensors);
  resize_memory();
}

void Simulation::set_load(const Load& load) {
  assign_load(load);
  start();
}

void Simulation::begin(const Load& load, std::span<const double> q, std::span<const double> v,
                       std::span<const double> theta, std::span<const double> theta_dot,
                       std::span<const char> held) {
  assign_load(load);
  assign_state(0, q, v, held);
  align_motors();
  if (!theta.empty()) assign_motors(theta, theta_dot);
  // Motors move with their joints when loops are closed, so that the springs keep their load.
  for (size_t m = 0; m < theta.size(); ++m) {
    const auto dof = size_t(mechanism().motor_dof[m]), k = size_t(mechanism().coordinate[dof]);
    now_.motor_q[m] += now_.q[k] - q[k];
    now_.motor_v[m] += now_.v[dof] - v[dof];
  }
  start();
  choose_modes();
}

void Simulation::check_torque(std::span<const double> tau) const {
  if (int(tau.size()) != model().n_v || !all_finite(tau))
    throw Error(fmt::format("the torques of motors must be {} finite numbers", model().n_v));
  for (int k = 0; k < model().n_v; ++k)
    if (tau[size_t(k)] != 0 && model().drives[size_t(k)].passive)
      throw Error(fmt::format("joint '{}' is passive: no torque can be applied to it; set {}",
                              model().joint_of_dof(k).name, how_to_add_motors));
  motion_->prescribed().check_torque(tau);
}

// Throws Error if the state is beyond a stop or contradicts a <mimic>.
void Simulation::check_start() const {
  const auto name_of = [&](int index) {
    const int dof =
        index < mechanism().n_v ? index : mechanism().motor_dof[size_t(index - mechanism().n_v)];
    return model().joint_of_dof(dof).name;
  };
  for (const StopElement& stop : mechanism().stops) {
    const double *q = now_.q.data(), *theta = now_.motor_q.data();
    if (mechanism().distance(stop, q, theta) < 0)
      throw Error(fmt::format(
          "joint '{}' is at {:.9g}, beyond its stop at {:.9g}; start it on this side, or move "
          "the limit",
          name_of(stop.index()), mechanism().position(stop.index(), q, theta), stop.limit));
  }
  // The coordinates of mimic joints are decimal numbers. Rounding them, and their combination, may
  // leave a small gap.
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

// Throws Error if shapes overlap at now_ and their contacts are located. Overlaps below 1e-9 m are
// rounding errors of decimal numbers.
void Simulation::require_no_overlap() {
  if (!motion_->contacts()) return;
  motion_->set_bodies(now_);
  ContactModes& contacts = *motion_->contacts();
  contacts.evaluate(motion_->state());
  for (size_t k = 0; k < contacts.size(); ++k) {
    const FeatureContact& at = contacts.pairs()[k];
    const auto [a, b] = contacts.pairs().colliders(k);
    if (at.is_in_range && at.at.gap < -1e-9)
      throw Error(fmt::format(
          "{} overlap by {:.9g} m; start them apart, exclude the pair with "
          "collision_pair, or choose the integrator time_stepping with separate_overlaps = true",
          pair_names(model(), a, b), -at.at.gap));
  }
}

// Sets the rates of prescribed joints in now_.v. Each given rate must be the prescribed rate or 0.
void Simulation::prescribe(double t) {
  Prescribed& prescribed = motion_->prescribed();
  prescribed.go_to(t);
  for (size_t k = 0; k < prescribed.rows().size(); ++k)
    if (double& v = now_.v[size_t(prescribed.rows()[k][0].index)]; v == 0) v = prescribed.rate(k);
  prescribed.check_rates(t, now_.v, rate_rounding);
  prescribed.write_rates(now_.v.data());
}

// Sets q and v, and moves each motor by the change of its joint.
void Simulation::assign_state(double t, std::span<const double> q, std::span<const double> v,
                              std::span<const char> held) {
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
    loops_->assemble(now_, t, held);
    for (size_t m = 0; m < now_.motor_q.size(); ++m) {
      const auto dof = size_t(mechanism().motor_dof[m]), k = size_t(mechanism().coordinate[dof]);
      now_.motor_q[m] += now_.q[k] - before.q[k];
      now_.motor_v[m] += now_.v[dof] - before.v[dof];
    }
    check_start();
    require_no_overlap();
  } catch (const Error&) {
    now_ = before;
    motion_->set_bodies(now_);
    throw;
  }
}

void Simulation::set_state(std::span<const double> q, std::span<const double> v,
                           std::span<const char> held) {
  assign_state(0, q, v, held);
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

void Simulation::change_state(std::span<const double> q, std::span<const double> v,
                              std::span<const char> held) {
  const double before = energy().sum();
  assign_state(time(), q, v, held);
  motion_->reset_modes(now_);
  now_.next_step = 0;
  motion_->reset_transmissions();
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

void Simulation::change_constraint_solver(const ConstraintSolverFactory& make_constraint_solver) {
  motion_->multiplier_solver() =
      MultiplierSolver(make_constraint_solver ? make_constraint_solver(models().front()) : nullptr);
}

void Simulation::restore(const Snapshot& snapshot) {
  now_ = snapshot;
  motion_->reset_transmissions();
  restore_motion();
}

// Returns a hash of the models with dt, and a hash of the loads. A snapshot can only be continued
// if both hashes are the same.
Origin Simulation::origin() const {
  Hash made_in, under;
  for (const auto& model : models()) made_in.add(fingerprint(*model));
  made_in.add(motion_->changes());
  made_in.add(dt_);
  for (const Payload& payload : motion_->payloads()) made_in.add(std::vector{payload.V_WP});
  for (const auto& force : motion_->load().forces) under.add(force->fingerprint());
  for (const Control& control : motion_->load().controls) under.add(fingerprint(control));
  for (const RobotSensor& sensor : motion_->load().sensors) under.add(fingerprint(sensor));
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
