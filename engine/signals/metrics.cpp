#include "torsor/signals/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr const char* entries_of_frame[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

// Returns the dof of the selected joints. Only robots with a control are considered.
std::vector<int> chosen_columns(const Model& model, const Load& load,
                                const MetricsOptions& options) {
  std::vector<int> columns;
  std::vector<std::string> names;
  std::vector<bool> found(options.joints.size());
  for (const Joint& joint : model.joints) {
    const int n = traits(joint.kind).n_v;
    const bool controlled =
        std::any_of(load.controls.begin(), load.controls.end(), [&](const Control& control) {
          const Robot& robot = model.robots[size_t(control.robot)];
          return joint.v_index >= robot.first_v && joint.v_index < robot.first_v + robot.n_v;
        });
    if (n == 0 || !controlled) continue;
    names.push_back(joint.name);
    const auto asked = std::find(options.joints.begin(), options.joints.end(), joint.name);
    if (asked != options.joints.end()) found[size_t(asked - options.joints.begin())] = true;
    if (asked == options.joints.end() && !options.joints.empty()) continue;
    for (int k = 0; k < n; ++k) columns.push_back(joint.v_index + k);
  }
  for (size_t k = 0; k < found.size(); ++k)
    if (!found[k])
      throw Error(fmt::format("metrics: no control drives a joint '{}'; there are {}{}",
                              options.joints[k], fmt::join(names, ", "),
                              did_you_mean(options.joints[k], names)));
  return columns;
}

// Sets `most` to the value if the value is larger or `most` is NaN. Ignores a NaN value.
void raise(double& most, double value) {
  if (!std::isnan(value) && !(most >= value)) most = value;
}

// Returns the common unit of all tallies, or nullopt if there is none.
template <class Tallies>
std::optional<std::string> common_unit(const Tallies& tallies) {
  if (tallies.empty() || std::any_of(tallies.begin(), tallies.end(), [&](const auto& tally) {
        return tally.unit != tallies[0].unit;
      }))
    return std::nullopt;
  return tallies[0].unit;
}

}  // namespace

Metrics::Metrics(const Model& model, const Load& load, const MetricsOptions& options)
    : options_(options), mechanism_(model) {
  const std::vector<int> columns = chosen_columns(model, load, options);
  for (size_t k = 0; k < load.controls.size(); ++k) add_control(model, load, k, columns);
  q_d_.resize(size_t(model.n_q));
  for (std::vector<double>* part : {&e_, &x_d_, &tau_, &own_tau_}) part->resize(size_t(model.n_v));
}

void Metrics::add_control(const Model& model, const Load& load, size_t control,
                          const std::vector<int>& columns) {
  const Control& made = load.controls[control];
  const Robot& robot = model.robots[size_t(made.robot)];
  Of& of = of_.emplace_back();
  of.control = control, of.robot = robot.name, of.name = made.name;
  of.first_q = robot.first_q, of.first_v = robot.first_v;
  of.constant_torque =
      !load.tau_of_time &&
      std::none_of(load.controls.begin(), load.controls.end(), [&](const Control& other) {
        return other.robot == made.robot && other.period == 0;
      });
  of.error = errors_of(made.law);
  if (of.error.reference) of.now = of.error.reference->make();
  const std::vector<std::string> names = model.dof_names();
  for (const int c : columns) {
    if (c < robot.first_v || c >= robot.first_v + robot.n_v) continue;
    const JointDof& column = model.dof(c);
    const std::string name =
        names[size_t(c)].substr(model.robots.size() > 1 ? robot.name.size() + 1 : 0);
    MotorTally& motor = of.motors.emplace_back();
    motor.name = name, motor.unit = column.tau_unit(), motor.column = c;
    motor.has_motor = !model.drives[size_t(c)].passive;
    motor.limit = made.max_torque.empty() ? infinite : made.max_torque[size_t(c - robot.first_v)];
    motor.has_limit = has_torque_limit(motor_of_dof(model, c));
    if (of.error.reference)
      of.errors.push_back({.name = name, .unit = column.turns() ? "rad" : "m", .above = {}});
  }
  if (of.error.signal)
    for (const char* entry : entries_of_frame)
      of.errors.push_back({.name = entry, .unit = entry[0] == 'w' ? "rad" : "m", .above = {}});
}

Metrics::Errors Metrics::errors_of(std::shared_ptr<const ControlLaw> law) {
  Errors out;
  const ReferenceLaw* reference = law->reference();
  if (reference && !reference->of_frame) out.reference = reference;
  size_t first = 0;
  for (const LawSignal& signal : law->signals()) {
    if (reference && reference->of_frame && signal.name == "error" &&
        signal.entries.size() == std::size(entries_of_frame))
      out.signal = first;
    first += signal.entries.size();
  }
  out.law = std::move(law);
  return out;
}

void Metrics::continue_with(const Load& load) {
  std::vector<Errors> from_here;
  for (const Of& of : of_) {
    const Errors& made = from_here.emplace_back(errors_of(load.controls[of.control].law));
    if (!made.reference != !of.error.reference ||
        made.signal.has_value() != of.error.signal.has_value())
      throw Error(fmt::format("control '{}' would follow another kind of reference", of.name));
  }
  for (size_t k = 0; k < of_.size(); ++k) {
    of_[k].error = std::move(from_here[k]);
    if (of_[k].error.reference) of_[k].now = of_[k].error.reference->make();
  }
}

double Metrics::band(const ErrorTally& tally) const {
  return options_.settling_error.value_or(options_.settling_band * tally.travel);
}

void Metrics::ErrorTally::add(double t, double h, double e, double band) {
  square += h * (last * last + e * e) / 2;
  last = e;
  peak = std::max(peak, std::abs(e));
  while (!above.empty() && above.back().second <= std::abs(e)) above.pop_back();
  if (std::abs(e) > band) above.emplace_back(t, std::abs(e));  // later bands are at least as wide
}

void Metrics::ErrorTally::follow(double x_d_now) {
  is_at_rest = x_d_now == x_d;
  if (!is_at_rest) direction = x_d_now > x_d ? 1 : -1, beyond = 0;
  x_d = x_d_now;
  travel = std::max(travel, std::abs(x_d));
}

double Metrics::ErrorTally::settling_time(double band, double t_end) const {
  const auto inside = std::partition_point(above.begin(), above.end(),
                                           [&](const auto& entry) { return entry.second > band; });
  if (inside == above.begin()) return 0;
  const double t = std::prev(inside)->first;
  return t == t_end ? infinite : t;
}

bool Metrics::MotorTally::is_limited() const {
  return has_motor && (std::isfinite(limit) || has_limit);
}

void Metrics::MotorTally::add(double h, bool constant_torque, double own_tau, double tau_now,
                              double rate_now, bool at_limit) {
  const double tau_end = constant_torque ? tau : tau_now;
  work += h * (std::abs(tau * rate) + std::abs(tau_end * rate_now)) / 2;
  net += h * (tau * rate + tau_end * rate_now) / 2;
  if (is_saturated) saturated += h;
  tau = tau_now, rate = rate_now;
  peak = std::max(peak, std::abs(tau));
  is_saturated = is_limited() && (std::abs(own_tau) >= limit || at_limit);
}

void Metrics::look(Simulation& simulation) {
  const Load& load = simulation.load();
  if (std::ranges::any_of(
          of_, [&](const Of& of) { return of.error.law != load.controls[of.control].law; }))
    continue_with(load);
  if (simulation.time() < options_.from) return;
  const double t = simulation.time(), h = started_ ? t - t_ : 0;
  if (!started_) {
    t_start_ = t;
    q_start_.assign(simulation.state().q().begin(), simulation.state().q().end());
  }
  started_ = true, t_ = t;
  const std::span<const double> tau = simulation.torque();
  std::copy(tau.begin(), tau.end(), tau_.begin());
  for (Of& of : of_) {
    update_errors(of, simulation, h);
    measure_motors(of, simulation, h);
  }
}

void Metrics::update_errors(Of& of, Simulation& simulation, double h) {
  const Model& model = simulation.model();
  const double t = t_ - t_start_;
  double sum = 0;
  if (of.error.reference) {
    const auto q = simulation.state().q();
    of.error.reference->evaluate(t_, of.now);
    std::copy(q.begin(), q.end(), q_d_.begin());
    std::copy(of.now.q.begin(), of.now.q.end(), q_d_.begin() + of.first_q);
    difference(model, q.data(), q_d_.data(), e_.data());
    difference(model, q_start_.data(), q_d_.data(), x_d_.data());
    for (size_t k = 0; k < of.errors.size(); ++k) {
      ErrorTally& tally = of.errors[k];
      const size_t c = size_t(of.motors[k].column);
      // If measurements start during the run, the first value of the reference is not a step.
      if (options_.from > 0 && t == 0) tally.x_d = x_d_[c];
      tally.follow(x_d_[c]);
      tally.add(t, h, e_[c], band(tally));
      tally.beyond = std::max(tally.beyond, -tally.direction * e_[c]);
      sum += e_[c] * e_[c];
    }
  } else if (!of.errors.empty()) {
    const double* e = simulation.control_signals(of.control).data() + *of.error.signal;
    for (size_t k = 0; k < of.errors.size(); ++k) {
      of.errors[k].add(t, h, e[k], band(of.errors[k]));
      sum += e[k] * e[k];
    }
  }
  of.norm.add(t, h, std::sqrt(sum), infinite);
}

void Metrics::measure_motors(Of& of, Simulation& simulation, double h) {
  // Only limits need the torques of the control, which a continuous-time control must compute.
  const bool is_limited = std::ranges::any_of(of.motors, &MotorTally::is_limited);
  std::span<const double> own = own_tau_;
  if (is_limited) own = simulation.control_torque(of.control);
  const std::vector<double>& v = simulation.state().v;
  if (of.any_saturated) of.saturated += h;
  of.any_saturated = false;
  for (MotorTally& motor : of.motors) {
    const auto c = size_t(motor.column), driven = size_t(mechanism_.driven[c]);
    const double rate = driven < v.size() ? v[driven] : simulation.motor_v()[driven - v.size()];
    motor.add(h, of.constant_torque, own[c], tau_[c], mechanism_.drive_ratio[c] * rate,
              motor.has_limit && simulation.is_saturated(motor.column));
    of.any_saturated = of.any_saturated || motor.is_saturated;
  }
}

UndefinedMetrics Metrics::why_undefined(const Of& of, const MetricsRow& all) const {
  if (t_ == t_start_) {
    constexpr std::string_view why =
        "no time was measured: the run ended at metrics.from or before";
    return {why, why, why, why, why, why};
  }
  UndefinedMetrics why;
  const bool of_joints = of.error.reference;
  const auto moves = [](const ErrorTally& tally) {
    return tally.direction != 0 && !tally.is_at_rest;
  };
  if (of.errors.empty()) {
    why.errors = why.settling_time = why.overshoot = "the control follows no reference";
  } else {
    if (std::isnan(all.rms_error))
      why.errors = of.norm.peak == 0 ? "the error was zero throughout"
                                     : "the errors have different units, so they have no norm";
    if (std::isnan(all.settling_time))
      why.settling_time = of_joints ? "the reference does not move; set metrics.settling_error"
                                    : "the reference is of a frame; set metrics.settling_error";
    if (std::isnan(all.overshoot))
      why.overshoot = !of_joints                              ? "the reference is of a frame"
                      : std::ranges::any_of(of.errors, moves) ? "the reference moves to the end"
                                                              : "the reference does not move";
  }
  if (std::ranges::none_of(of.motors, &MotorTally::has_motor)) {
    why.peak_torque = why.work = why.saturated = "the joints have no motors";
  } else {
    if (std::isnan(all.peak_torque)) why.peak_torque = "the joints have different units";
    if (std::isnan(all.saturated)) why.saturated = "the motors have no torque limit";
  }
  return why;
}

ControlMetrics Metrics::result(const Of& of) const {
  const double T = t_ - t_start_;
  ControlMetrics out{of.robot, of.name, {}, {}, {}};
  out.all.name = "all";
  std::vector<ErrorTally> errors;
  for (const ErrorTally& tally : of.errors) {
    if (!of.error.reference && tally.peak == 0) continue;
    errors.push_back(tally);
    MetricsRow& row = out.rows.emplace_back();
    row.name = tally.name, row.error_unit = tally.unit;
    if (T == 0) continue;
    row.rms_error = std::sqrt(tally.square / T), row.peak_error = tally.peak;
    if (band(tally) > 0) row.settling_time = tally.settling_time(band(tally), T);
    if (tally.is_at_rest && tally.direction != 0 && tally.travel > 0)
      row.overshoot = tally.beyond / tally.travel;
    raise(out.all.settling_time, row.settling_time);
    raise(out.all.overshoot, row.overshoot);
  }
  if (const auto unit = common_unit(errors); unit && T > 0) {
    out.all.error_unit = *unit;
    out.all.rms_error = std::sqrt(of.norm.square / T), out.all.peak_error = of.norm.peak;
  }
  if (!of.error.reference) out.rows.resize(errors.size() + of.motors.size());
  const auto unit = common_unit(of.motors);
  for (size_t k = 0; k < of.motors.size(); ++k) {
    const MotorTally& motor = of.motors[k];
    MetricsRow& row = out.rows[of.error.reference ? k : errors.size() + k];
    row.name = motor.name;
    if (!motor.has_motor || T == 0) continue;
    row.torque_unit = motor.unit;
    row.peak_torque = motor.peak, row.motor_work = motor.work, row.net_work = motor.net;
    if (motor.is_limited())
      row.saturated = motor.saturated / T, out.all.saturated = of.saturated / T;
    if (unit) out.all.torque_unit = *unit, raise(out.all.peak_torque, row.peak_torque);
    out.all.motor_work = (std::isnan(out.all.motor_work) ? 0 : out.all.motor_work) + row.motor_work;
    out.all.net_work = (std::isnan(out.all.net_work) ? 0 : out.all.net_work) + row.net_work;
  }
  out.why_undefined = why_undefined(of, out.all);
  return out;
}

std::string Metrics::find_infinite() const {
  using Values = std::initializer_list<std::pair<const char*, double>>;
  std::string out;
  const auto is_infinite = [&](const std::string& of, Values values) {
    for (const auto& [what, value] : values) {
      if (std::isfinite(value)) continue;
      out = fmt::format("the {} of '{}'", what, of);
      return true;
    }
    return false;
  };
  for (const Of& of : of_) {
    if (is_infinite(of.name, {{"rms error", of.norm.square}})) return out;
    for (const ErrorTally& tally : of.errors)
      if (is_infinite(
              tally.name,
              {{"rms error", tally.square}, {"peak error", tally.peak}, {"travel", tally.travel}}))
        return out;
    for (const MotorTally& motor : of.motors)
      if (is_infinite(
              motor.name,
              {{"peak torque", motor.peak}, {"motor work", motor.work}, {"net work", motor.net}}))
        return out;
  }
  return out;
}

std::vector<ControlMetrics> Metrics::result() const {
  std::vector<ControlMetrics> out;
  for (const Of& of : of_)
    if (!of.motors.empty()) out.push_back(result(of));
  return out;
}

std::vector<MetricValue> metric_values(const MetricsRow& row) {
  return {{"rms_error", row.error_unit, row.rms_error},
          {"peak_error", row.error_unit, row.peak_error},
          {"settling_time", "s", row.settling_time},
          {"overshoot", "", row.overshoot},
          {"peak_torque", row.torque_unit, row.peak_torque},
          {"motor_work", "J", row.motor_work},
          {"net_work", "J", row.net_work},
          {"saturated", "", row.saturated}};
}

}  // namespace torsor
