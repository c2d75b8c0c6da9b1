// Times at which something changes within a step: payload changes, samples of controls and sensors,
// and jumps of prescribed motions and references.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "torsor/simulation/events/mode_switch.hpp"
#include "torsor/simulation/simulation.hpp"
#include "torsor/simulation/steppers/time_stepping.hpp"

namespace torsor {

namespace {

// Returns whether two times are equal up to rounding, a relative difference of 8 eps.
bool is_same(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) <=
             8 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
}

// Returns the end of the step that is equal to t up to rounding, or t if there is none.
double whole_step(double t, double dt) {
  const double whole = std::round(t / dt) * dt;
  return is_same(t, whole) ? whole : t;
}

}  // namespace

// Makes times identical that are equal up to rounding. A time that is equal to the end of a step up
// to rounding becomes this end.
std::vector<Payload> round_to_steps(std::vector<Payload> payloads, double dt) {
  std::vector<double*> times;
  for (Payload& payload : payloads) {
    times.push_back(&payload.attach);
    times.push_back(&payload.release);
  }
  for (size_t i = 0; i < times.size(); ++i) {
    *times[i] = whole_step(*times[i], dt);
    for (size_t j = 0; j < i; ++j)
      if (is_same(*times[i], *times[j])) *times[i] = *times[j];
  }
  return payloads;
}

// Returns the time of the k-th sample of a control or a sensor. A time that is equal to a payload
// change or the end of a step up to rounding becomes identical to it.
double Simulation::instant(double period, double k) const {
  const double t = k * period;
  for (const double change : motion_->changes())
    if (is_same(t, change)) return change;
  return whole_step(t, dt_);
}

// Returns the first time after t at which one of these occurs: a payload is attached or released, a
// control is sampled, or vdot of a prescribed motion or the derivative of a reference jumps. A
// sensor is sampled at this time only within the step: commit() samples those that are due at its
// end.
double Simulation::next_instant(double t) const {
  const std::vector<double>& changes = motion_->changes();
  const auto change = std::upper_bound(changes.begin(), changes.end(), t);
  double first = change == changes.end() ? std::numeric_limits<double>::infinity() : *change;
  const std::vector<double>& breaks = motion_->breaks();
  auto next = std::upper_bound(breaks.begin(), breaks.end(), t);
  while (next != breaks.end() && whole_step(*next, dt_) <= t) ++next;
  if (next != breaks.end()) first = std::min(first, whole_step(*next, dt_));
  const auto next_sample = [&](double period) {
    double k = std::floor(t / period);
    while (instant(period, k) <= t) ++k;
    return instant(period, k);
  };
  const Controls& controls = motion_->controls();
  for (size_t i = 0; i < controls.size(); ++i)
    if (controls[i].period > 0) first = std::min(first, next_sample(controls[i].period));
  const double end = double(now_.step + 1) * dt_;
  for (size_t i = 0; i < sensors_.size(); ++i)
    if (const double sample = next_sample(sensors_[i].period); sample < end)
      first = std::min(first, sample);
  return first;
}

// Samples the controls that are due at time t. If `all` is true, samples all sampled controls.
void Simulation::sample(Snapshot& at, double t, bool all) {
  Controls& controls = motion_->controls();
  const std::span<const double> samples = std::span(at.held).subspan(controls.n_stored());
  sensor_values_.clear();
  for (size_t i = 0; i < sensors_.size(); ++i)
    for (const double value : sensors_.measured(i, samples)) sensor_values_.push_back(value);
  for (size_t i = 0; i < controls.size(); ++i) {
    const Control& control = controls[i];
    if (control.period == 0) continue;
    const double k = std::round(t / control.period);
    if (!all && instant(control.period, k) != t) continue;
    try {
      controls.sample(i, (long long)k, {t, at.q, at.v, at.motor_q, at.motor_v, sensor_values_},
                      at.held);
      motion_->prescribed().check_torque(controls.stored_torque(i, at.held),
                                         model().robots[size_t(control.robot)].first_v);
    } catch (const Error& error) {
      fail_at(t, explain_load(error.what()));
    }
  }
}

// Samples the sensors that are due at time t, with the torques and forces that act until t: before
// payloads change and controls are sampled. If `all` is true, samples all sensors, at the start.
void Simulation::sample_sensors(Snapshot& at, double t, bool all) {
  if (t == sensed_until_) return;
  sensed_until_ = t;
  const std::span<double> samples = std::span(at.held).subspan(motion_->controls().n_stored());
  bool observed = false;
  std::array<double, 6> exact{};
  for (size_t i = 0; i < sensors_.size(); ++i) {
    const RobotSensor& sensor = sensors_[i];
    const double k = std::round(t / sensor.period);
    if (!all && instant(sensor.period, k) != t) continue;
    if (!observed) observe(at, t, all ? time_to_contacts() : -time_since_contacts());
    observed = true;
    const std::span<double> values = std::span(exact).first(traits(sensor.kind).values.size());
    sensed_.evaluate(sensor, values);
    sensors_.take(i, (long long)k, values, samples);
  }
}

// Takes the samples at the start. The torques of sampled controls are still zero, and the forces of
// contacts are those of the first step.
void Simulation::sample_sensors_at_start() {
  sensed_until_ = -1;
  if (sensors_.size() == 0) return;
  Snapshot at = now_;
  choose_modes_at(at, 0);
  if (steps_over_contacts()) require(time_stepping_->find_contacts(at, 0, dt_));
  sample_sensors(at, 0, true);
  now_.held = at.held;
  motion_->set_contact_force({});
  motion_->set_state(now_, 0);
}

void Simulation::process_instant(double t) {
  take_state(t, stepper_->state());
  sample_sensors(next_, t, false);
  const std::vector<double>& changes = motion_->changes();
  if (std::binary_search(changes.begin(), changes.end(), t)) {
    ++events_;
    require(mode_switch_->change_payloads(next_, t));
  }
  sample(next_, t, false);
  motion_->set_state(next_, t);
  choose_modes_at(next_, t);
  restart(t);
}

}  // namespace torsor
