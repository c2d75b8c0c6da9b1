#include "torsor/control/control.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/base/text.hpp"
#include "torsor/control/control_limits.hpp"
#include "torsor/model/rotor_body.hpp"

namespace torsor {

namespace {

// Throws Error if the reference of the law is a motion of joints and does not have as many
// coordinates as the robot.
void check_reference(const Model& model, const Control& control) {
  const ReferenceLaw* reference = control.law->reference();
  if (!reference || reference->of_frame) return;
  const Robot& robot = model.robots[size_t(control.robot)];
  if (const size_t n = reference->make().q.size(); n != size_t(robot.n_q))
    throw Error(fmt::format("{}the control '{}' follows {} coordinates; robot '{}' has {}",
                            at_source(control), control.name, n, robot.name, robot.n_q));
}

// Returns the sensor for the motors. It has the settings of the sensor for the joints, but
// independent noise.
Sensor of_motors(Sensor sensor) {
  sensor.seed = ~sensor.seed;
  return sensor;
}

// Returns the indices, among the values of all sensors, of the values of those that a control
// reads.
std::vector<size_t> places_of(const std::vector<int>& read, std::span<const RobotSensor> sensors) {
  std::vector<size_t> first(sensors.size() + 1, 0), out;
  for (size_t k = 0; k < sensors.size(); ++k)
    first[k + 1] = first[k] + traits(sensors[k].kind).values.size();
  for (const int k : read)
    for (size_t i = first.at(size_t(k)); i < first.at(size_t(k) + 1); ++i) out.push_back(i);
  return out;
}

}  // namespace

uint64_t fingerprint(const Control& control) {
  Hash hash;
  const Sensor& sensor = control.sensor;
  hash.add(control.law->fingerprint());
  for (const double x : {control.period, double(control.robot), double(control.of_motors),
                         double(control.gives_inputs), sensor.resolution, sensor.noise,
                         sensor.rate_noise, double(sensor.differentiates), sensor.delay})
    hash.add(x);
  hash.add(sensor.seed);
  hash.add(control.max_torque);
  hash.add(control.sensors);
  return hash.value();
}

std::string full_name(const Model& model, const Control& control) {
  return fmt::format("{}.{}", model.robots[size_t(control.robot)].name, control.name);
}

size_t control_index(const Model& model, const std::vector<Control>& controls,
                     const ControlParameters& parameters) {
  std::vector<std::string> names;
  for (const Control& control : controls) names.push_back(full_name(model, control));
  const auto found = std::ranges::find(names, parameters.control);
  if (found == names.end())
    throw Error(fmt::format("there is no control '{}'; {}{}", parameters.control,
                            names.empty() ? std::string("the robots have none")
                                          : fmt::format("there are {}", fmt::join(names, ", ")),
                            did_you_mean(parameters.control, names)));
  return size_t(found - names.begin());
}

std::shared_ptr<const ControlLaw> remade_law(const Control& control,
                                             const ControlParameters& parameters) {
  if (!control.with)
    throw Error(fmt::format("the control '{}' is not a plugin: it has no parameters to change",
                            parameters.control));
  return control.with(parameters);
}

Controls::Controls(std::shared_ptr<const Model> model, const std::vector<Control>& controls,
                   std::span<const RobotSensor> sensors)
    : model_(std::move(model)),
      is_elastic_(std::any_of(model_->drives.begin(), model_->drives.end(),
                              [](const Drive& drive) { return drive.elasticity.has_value(); })),
      q_(size_t(model_->n_q)),
      v_(size_t(model_->n_v)),
      tau_(v_.size()),
      transmissions_(model_),
      followers_(followers(*model_)),
      is_coupled_(std::ranges::any_of(model_->transmissions,
                                      [](const Transmission& group) {
                                        return std::ranges::any_of(group.motors,
                                                                   &Motor::has_amplifier_limit);
                                      })),
      lower_(tau_),
      upper_(tau_),
      rate_(tau_),
      shaft_rate_(tau_),
      limited_(tau_),
      motor_tau_(tau_) {
  size_t most_x = 0, most_signals = 0;
  for (const Control& control : controls) {
    for (const Entry& other : entries_)
      if (other.control.robot == control.robot && other.control.name == control.name)
        throw Error(fmt::format("{}robot '{}' has two controls '{}': give one of them another name",
                                at_source(control), model_->robots[size_t(control.robot)].name,
                                control.name));
    Entry entry{.control = control,
                .law = control.law->clone(),
                .sensor = {},
                .motor_sensor = {},
                .initial_memory = {},
                .limits = {},
                .useful = {},
                .gain = {},
                .sensor_places = places_of(control.sensors, sensors),
                .sensor_values = {},
                .n_x = 0,
                .n_signal = 0};
    check_reference(*model_, control);
    entry.sensor_values.resize(entry.sensor_places.size());
    entry.n_x = entry.law->n_x();
    entry.n_signal = entry.law->n_signal();
    entry.initial_memory = entry.law->initial_memory();
    entry.limits = limits_of(*model_, control);
    entry.useful = useful_limits(*model_, control, entry.limits);
    if (control.gives_inputs) entry.gain = gains_of(*model_, control);
    most_x = std::max(most_x, entry.n_x);
    most_signals = std::max(most_signals, entry.n_signal);
    if (entry.is_sampled()) {
      try {
        entry.sensor = SensorMemory(*model_, control.sensor, control.period);
        if (is_elastic_ && !control.of_motors)
          entry.motor_sensor = SensorMemory(*model_, of_motors(control.sensor), control.period);
      } catch (const Error& error) {
        throw Error(at_source(control) + error.what());
      }
      entry.first = n_stored_;
      n_stored_ += size_of(entry);
    } else {
      if (entry.n_memory() > 0 || !control.sensor.is_exact() || !control.sensors.empty())
        throw Error(fmt::format("{}the control '{}' {}: give it a sampling rate",
                                at_source(control), control.name,
                                entry.n_memory() > 0 ? "has a memory" : "has a sensor"));
      entry.first = size_t(n_x_);
      n_x_ += int(entry.n_x);
    }
    entries_.push_back(std::move(entry));
  }
  xdot_.resize(most_x);
  signal_.resize(most_signals);
}

void Controls::replace_laws(const std::vector<std::shared_ptr<const ControlLaw>>& laws) {
  std::vector<std::unique_ptr<ControlLaw>> own(laws.size());
  for (size_t i = 0; i < laws.size(); ++i) {
    if (!laws[i]) continue;
    const Entry& entry = entries_[i];
    Control changed = entry.control;
    changed.law = laws[i];
    check_reference(*model_, changed);
    own[i] = laws[i]->clone();
    if (own[i]->n_x() != entry.n_x || own[i]->n_signal() != entry.n_signal ||
        own[i]->initial_memory().size() != entry.n_memory())
      throw Error(fmt::format(
          "the new law of control '{}' has a state of another size; change the law in the scene "
          "and start the run again",
          entry.control.name));
  }
  for (size_t i = 0; i < laws.size(); ++i) {
    if (!laws[i]) continue;
    entries_[i].control.law = laws[i];
    entries_[i].law = std::move(own[i]);
  }
}

size_t Controls::size_of(const Entry& entry) const {
  const Robot& robot = robot_of(entry);
  return 2 * size_t(robot.n_v) + size_t(robot.n_q) + entry.n_x + entry.n_memory() + entry.n_signal +
         entry.sensor.size() + entry.motor_sensor.size();
}

template <class T>
Controls::Sampled<T> Controls::part(const Entry& entry, std::span<T> stored) const {
  size_t at = entry.first;
  const auto next = [&](size_t n) {
    at += n;
    return stored.subspan(at - n, n);
  };
  const size_t n_v = size_t(robot_of(entry).n_v), n_q = size_t(robot_of(entry).n_q);
  const auto tau = next(n_v), q = next(n_q), v = next(n_v), x = next(entry.n_x),
             memory = next(entry.n_memory()), signal = next(entry.n_signal);
  const auto sensor = next(entry.sensor.size());
  return {tau, q, v, x, memory, signal, sensor, next(entry.motor_sensor.size())};
}

void Controls::clear(std::span<double> stored) const {
  std::fill(stored.begin(), stored.end(), 0.0);
  for (const Entry& entry : entries_)
    if (entry.is_sampled())
      std::copy(entry.initial_memory.begin(), entry.initial_memory.end(),
                part(entry, stored).memory.begin());
}

void Controls::set_motor_inputs(const ControlledState& at) {
  if (!is_elastic_) return;
  std::copy(at.q.begin(), at.q.end(), q_.begin());
  std::copy(at.v.begin(), at.v.end(), v_.begin());
  for (size_t c = 0, motor = 0; c < v_.size(); ++c)
    if (model_->drives[c].elasticity) {
      q_[size_t(model_->coordinate[c])] = at.motor_q[motor];
      v_[c] = at.motor_v[motor++];
    }
}

// Returns the exact measurements of a control, for the whole model. set_motor_inputs() must be
// called first.
Measured Controls::seen(const Entry& entry, const ControlledState& at) const {
  if (!is_elastic_) return {at.t, at.q, at.v, at.q, at.v};
  if (entry.control.of_motors) return {at.t, q_, v_, q_, v_};
  return {at.t, at.q, at.v, q_, v_};
}

// Returns the measurements of a sampled control with the effects of its sensors.
Measured Controls::measure(Entry& entry, long long k, const Measured& at,
                           const Sampled<double>& sampled) {
  Measured out = entry.sensor.measure(*model_, k, at, sampled.sensor);
  if (entry.control.sensor.is_exact()) return out;
  const Measured motors =
      sampled.motor_sensor.empty()
          ? out
          : entry.motor_sensor.measure(*model_, k, {at.t, at.motor_q, at.motor_v},
                                       sampled.motor_sensor);
  out.motor_q = motors.q, out.motor_v = motors.v;
  return out;
}

void Controls::check_torque(const Entry& entry, std::span<const double> tau) const {
  const char* what = entry.control.law_gives_inputs() ? "an input" : "a torque";
  const Robot& robot = model_->robots[size_t(entry.control.robot)];
  for (size_t k = 0; k < tau.size(); ++k) {
    const int column = robot.first_v + int(k);
    const std::string& joint = model_->joint_of_dof(column).name;
    if (!std::isfinite(tau[k]))
      throw Error(
          fmt::format("{}the control '{}' returns {} for joint '{}' that is not a finite number",
                      at_source(entry.control), entry.control.name, what, joint));
    if (tau[k] != 0 && model_->drives[size_t(column)].passive)
      throw Error(fmt::format(
          "{}the control '{}' returns {} for joint '{}', but this joint is "
          "passive: it has no motor; return 0 for it, or set {}",
          at_source(entry.control), entry.control.name, what, joint, how_to_add_motors));
  }
}

// Sets the range of the results of a law at its measurements.
void Controls::set_range(const Entry& entry, const Measured& whole) {
  std::ranges::copy(whole.motor_v, rate_.begin());
  for (const ElasticRotor& rotor : model_->elastic_rotors)
    rate_[size_t(rotor.dof)] = whole.v[size_t(rotor.rotor_dof)] / rotor.ratio;
  transmissions_.reset();
  transmissions_.evaluate(whole.q, whole.v);
  const bool inputs = entry.control.law_gives_inputs();
  if (inputs) transmissions_.motor_rates(rate_, shaft_rate_);
  const int first = robot_of(entry).first_v;
  for (size_t k = 0; k < entry.limits.size(); ++k) {
    const int dof = first + int(k);
    TorqueRange range = torque_range(*model_, dof, rate_[size_t(dof)]);
    if (inputs && entry.gain[k] > 0) {
      const Motor& motor = motor_of_dof(*model_, dof);
      const bool own = &motor == &model_->drives[size_t(dof)].motor;
      if (!own) range = amplifier_range(motor, shaft_rate_[size_t(dof)]);
      const double scale = 1 / (motor.gear_ratio * entry.gain[k]);
      if (scale < 0) std::swap(range.lower, range.upper);
      range = {scale * range.lower, scale * range.upper};
    }
    const double limit = entry.limits[k];
    lower_[k] = limit == 0 ? 0 : range.clamp(-limit);
    upper_[k] = limit == 0 ? 0 : range.clamp(limit);
  }
}

// Limits the range to the torques that the limits of coupled motors leave of tau. Returns whether
// they change tau. set_range() must be called first.
bool Controls::limit_coupled(const Entry& entry, std::span<const double> tau) {
  const int first = robot_of(entry).first_v;
  std::fill(limited_.begin(), limited_.end(), 0.0);
  std::ranges::copy(tau, limited_.begin() + first);
  transmissions_.limit(rate_, limited_);
  bool changes = false;
  for (const Transmission& group : model_->transmissions)
    for (const int dof : group.dofs) {
      const auto k = size_t(dof - first);
      if (dof < first || k >= tau.size() || limited_[size_t(dof)] == tau[k]) continue;
      (limited_[size_t(dof)] < tau[k] ? upper_ : lower_)[k] = limited_[size_t(dof)];
      changes = true;
    }
  return changes;
}

void Controls::evaluate(Entry& entry, const Measured& own, std::span<const double> x,
                        const ControlLaw::Answer& out) {
  std::fill(out.tau.begin(), out.tau.end(), 0.0);
  try {
    entry.law->evaluate(own, entry.control.period, entry.useful, x, out);
  } catch (const LawError& error) {
    throw Error(fmt::format("{}control '{}' of robot '{}': {}", at_source(entry.control),
                            entry.control.name, robot_of(entry).name, error.what()));
  }
  check_torque(entry, out.tau);
  for (size_t k = 0; k < out.tau.size(); ++k)
    out.tau[k] = std::clamp(out.tau[k], -entry.limits[k], entry.limits[k]);
}

// Equations: KHALIL 9.4.
void Controls::ask(Entry& entry, const Measured& whole, std::span<const double> x,
                   const ControlLaw::Answer& out) {
  const Robot& robot = robot_of(entry);
  const size_t first_q = size_t(robot.first_q), n_q = size_t(robot.n_q),
               first = size_t(robot.first_v), n = size_t(robot.n_v);
  set_range(entry, whole);
  const Measured own{whole.t,
                     whole.q.subspan(first_q, n_q),
                     whole.v.subspan(first, n),
                     whole.motor_q.subspan(first_q, n_q),
                     whole.motor_v.subspan(first, n),
                     std::span(lower_).first(n),
                     std::span(upper_).first(n),
                     whole.sensors};
  memory_.assign(out.memory.begin(), out.memory.end());
  evaluate(entry, own, x, out);
  const bool inputs = entry.control.law_gives_inputs();
  if (is_coupled_ && !inputs && limit_coupled(entry, out.tau)) {
    std::ranges::copy(memory_, out.memory.begin());
    evaluate(entry, own, x, out);
  }
  if (inputs) {
    require_amplifiers(*model_, entry.control, entry.gain, out.tau);
    for (size_t k = 0; k < n; ++k) out.tau[k] *= entry.gain[k];
  } else if (entry.control.gives_inputs) {
    exert_by_motors(entry, out.tau);
  }
}

// Replaces torques at the joints by the torques of the motors' shafts that exert them. set_range()
// must be called first. Equations: KHALIL 9.4.
void Controls::exert_by_motors(const Entry& entry, std::span<double> tau) {
  const int first = robot_of(entry).first_v;
  move_to_leaders(*model_, followers_, entry.control, entry.gain, tau);
  std::fill(limited_.begin(), limited_.end(), 0.0);
  std::ranges::copy(tau, limited_.begin() + first);
  transmissions_.motor_torques(limited_, motor_tau_);
  std::copy_n(motor_tau_.begin() + first, tau.size(), tau.begin());
  require_amplifiers(*model_, entry.control, entry.gain, tau);
}

void Controls::sample(size_t i, long long k, const ControlledState& at, std::span<double> stored) {
  Entry& entry = entries_[i];
  if (!entry.is_sampled()) return;
  const Robot& robot = robot_of(entry);
  const Sampled<double> sampled = part(entry, stored);
  set_motor_inputs(at);
  Measured measured = measure(entry, k, seen(entry, at), sampled);
  for (size_t j = 0; j < entry.sensor_places.size(); ++j)
    entry.sensor_values[j] = at.sensors[entry.sensor_places[j]];
  measured.sensors = entry.sensor_values;
  std::copy_n(measured.q.begin() + robot.first_q, robot.n_q, sampled.q.begin());
  std::copy_n(measured.v.begin() + robot.first_v, robot.n_v, sampled.v.begin());
  const std::span<double> xdot = std::span(xdot_).first(entry.n_x);
  ask(entry, measured, sampled.x, {sampled.tau, xdot, sampled.memory, sampled.signal});
  for (size_t j = 0; j < entry.n_x; ++j) sampled.x[j] += entry.control.period * xdot[j];
}

std::span<const double> Controls::stored_torque(size_t i, std::span<const double> stored) const {
  return part(entries_[i], stored).tau;
}

void Controls::add(const ControlledState& at, std::span<const double> stored, const double* x,
                   const Torques& out, double* xdot) {
  set_motor_inputs(at);
  for (Entry& entry : entries_) {
    const Robot& robot = robot_of(entry);
    const std::span<double> own = (entry.control.gives_inputs ? out.motor : out.joint)
                                      .subspan(size_t(robot.first_v), size_t(robot.n_v));
    if (entry.is_sampled()) {
      for (size_t k = 0; k < own.size(); ++k) own[k] += stored[entry.first + k];
      continue;
    }
    const std::span<double> rates = std::span(xdot_).first(entry.n_x),
                            asked = std::span(tau_).first(own.size());
    ask(entry, seen(entry, at), {x + entry.first, entry.n_x},
        {asked, rates, {}, std::span(signal_).first(entry.n_signal)});
    for (size_t k = 0; k < own.size(); ++k) own[k] += asked[k];
    if (xdot) std::copy(rates.begin(), rates.end(), xdot + entry.first);
  }
}

Controls::Given Controls::given(size_t i, const ControlledState& at, std::span<const double> stored,
                                const double* x) {
  Entry& entry = entries_[i];
  const Robot& robot = robot_of(entry);
  std::fill(tau_.begin(), tau_.end(), 0.0);
  const std::span<double> own = std::span(tau_).subspan(size_t(robot.first_v), size_t(robot.n_v));
  std::span<const double> signal = std::span(signal_).first(entry.n_signal);
  if (entry.is_sampled()) {
    const Sampled<const double> sampled = part(entry, stored);
    std::ranges::copy(sampled.tau, own.begin());
    signal = sampled.signal;
  } else {
    set_motor_inputs(at);
    ask(entry, seen(entry, at), {x + entry.first, entry.n_x},
        {own, std::span(xdot_).first(entry.n_x), {}, std::span(signal_).first(entry.n_signal)});
  }
  if (entry.control.gives_inputs) {
    std::ranges::copy(tau_, motor_tau_.begin());
    std::fill(tau_.begin(), tau_.end(), 0.0);
    transmissions_.reset();
    transmissions_.evaluate(at.q, at.v);
    transmissions_.add_motor_torques(motor_tau_, tau_);
  }
  return {tau_, signal};
}

Controls::Seen Controls::measured(size_t i, const ControlledState& at,
                                  std::span<const double> stored) {
  const Entry& entry = entries_[i];
  if (entry.is_sampled()) {
    const Sampled<const double> sampled = part(entry, stored);
    return {sampled.q, sampled.v};
  }
  const Robot& robot = robot_of(entry);
  set_motor_inputs(at);
  const Measured now = seen(entry, at);
  return {now.q.subspan(size_t(robot.first_q), size_t(robot.n_q)),
          now.v.subspan(size_t(robot.first_v), size_t(robot.n_v))};
}

}  // namespace torsor
