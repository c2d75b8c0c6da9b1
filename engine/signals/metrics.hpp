#pragma once
// Performance metrics of the controls of a run. They use every step from t_0 to the end at t_1. T
// is t_1 - t_0, and t_0 is the start of the run or MetricsOptions::from. Each metric has a value
// per dof, and a value in the row `all`.
//
// Errors. For a reference of joints, e_j = (q_d (-) q)_j with the actual q, regardless of what the
// law measures. For a reference of a frame, e_j are the entries of the law's signal `error` as last
// evaluated. Entries that are always exactly 0, such as components that the law does not control,
// have no row.
//   rms_error      sqrt(1/T int e_j^2 dt), by the trapezoidal rule. In `all`: the same for the norm
//                  |e|, the square root of the sum of e_j^2
//   peak_error     max |e_j|. In `all`: max |e|
//   D_j            travel: max over t of |q_d(t) (-) q(t_0)|_j. For a step reference, its height
//   settling_time  last t - t_0 with |e_j| > band; 0 if there is none, infinite if |e_j| > band at
//                  t_1. The band is settling_band D_j, or settling_error. In `all`: the maximum
//   overshoot      max (q (-) q_d)_j / D_j in the direction of the reference's last motion, after
//                  the reference has come to rest. In `all`: the maximum
//
// Motors of the robot, regardless of what drives them. tau and the rate omega are measured on the
// joint's side of the gear (for an elastic joint, at its motor):
//   peak_torque  max |tau_j|
//   motor_work   int |tau_j omega_j| dt: energy used by motors for which braking costs energy too
//   net_work     int tau_j omega_j dt
//   saturated    fraction of the time in which a torque is at its limit: the control's own |tau_j|
//                at its max_torque, or |tau_j| at a limit of the motor. In `all`:
//                fraction of the time in which at least one motor is saturated
// Within a step, tau is constant if all controls of the robot are sampled, and linear otherwise.
//
// A metric is NaN if it is undefined, in these cases:
// - T = 0
// - There is no reference of the required kind, or no travel.
// - The reference moves until the end, or it does not move and measurements start after time 0.
// - There is no motor or no limit.
// - The units of the rows differ (only in `all`).

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/simulation/load.hpp"

namespace torsor {

class Simulation;

struct MetricsOptions {
  double from = 0;                       // start of the measurements, s
  double settling_band = 0.02;           // relative to the travel
  std::optional<double> settling_error;  // absolute band that replaces settling_band; rad or m
  std::vector<std::string> joints;       // joints that have rows; all if empty
};

struct MetricsRow {
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  // A unit is "" if the row has no such quantity.
  std::string name, error_unit, torque_unit;
  double rms_error = undefined, peak_error = undefined, settling_time = undefined,
         overshoot = undefined;
  double peak_torque = undefined, motor_work = undefined, net_work = undefined,
         saturated = undefined;
};

struct MetricValue {
  const char* name;
  std::string unit;
  double value;
};
// Returns the metrics of a row in the order of its members.
std::vector<MetricValue> metric_values(const MetricsRow& row);

// The reason why each metric in the row `all` is NaN, such as "the reference moves to the end", or
// "" if the metric is defined.
struct UndefinedMetrics {
  std::string_view errors, settling_time, overshoot, peak_torque, work, saturated;
};

struct ControlMetrics {
  std::string robot, control;
  // One row per dof of the robot. For a reference of a frame: the rows of its errors, then the rows
  // of the motors.
  std::vector<MetricsRow> rows;
  MetricsRow all;
  // Reasons for undefined metrics in the row `all`. errors: the reason for rms_error and
  // peak_error. work: the reason for motor_work and net_work.
  UndefinedMetrics why_undefined;
};

class Metrics {
 public:
  // Throws Error if options name joints that do not exist or have no control.
  Metrics(const Model& model, const Load& load, const MetricsOptions& options);
  Metrics(Metrics&&) = default;
  Metrics(const Metrics&) = delete;  // MotorTally::clamp points into mechanism_

  // Adds the present state to the metrics. Must be called at the start and after each step. Passes
  // on the errors of references.
  void look(Simulation& simulation);
  // Continues after the plugins or parameters of the controls were changed. look() calls this
  // function if a control has a new law. Throws Error if the new law has another kind of reference.
  void continue_with(const Load& load);
  // Returns the name of the first metric that has overflowed, such as "the motor work of 'elbow'",
  // or "".
  std::string find_infinite() const;
  // Returns the metrics of each control, from t_0 to the last look().
  std::vector<ControlMetrics> result() const;

 private:
  struct ErrorTally {
    std::string name, unit;
    double square = 0, last = 0, peak = 0;
    // Samples (t - t_0, |e|) whose error is larger than that of every later sample, so |e|
    // decreases in this list. They determine the settling time. Samples within the band are
    // omitted: the band never becomes narrower.
    std::vector<std::pair<double, double>> above;
    double travel = 0, x_d = 0, direction = 0, beyond = 0;  // x_d = q_d (-) q(t_0)
    bool is_at_rest = false;
    void add(double t, double h, double e, double band);
    void follow(double x_d_now);
    double settling_time(double band, double t_end) const;
  };
  struct MotorTally {
    std::string name, unit;
    int column;
    bool has_motor;
    // max_torque of the control for this joint.
    double limit;
    bool has_limit = false;    // the motor has a limit of its own
    double tau = 0, rate = 0;  // at the last look()
    bool is_saturated = false;
    double peak = 0, work = 0, net = 0, saturated = 0;
    bool is_limited() const;
    // at_limit: the motor is at its own limit now
    void add(double h, bool constant_torque, double own_tau, double tau_now, double rate_now,
             bool at_limit);
  };
  // The source of the errors of a control.
  struct Errors {
    std::shared_ptr<const ControlLaw> law;
    const ReferenceLaw* reference = nullptr;  // set for a reference of joints; owned by the law
    // index of the first entry of `error`; set for a reference of a frame
    std::optional<size_t> signal;
  };
  struct Of {
    size_t control;
    std::string robot, name;
    Errors error;
    Reference now;
    int first_q = 0, first_v = 0;
    bool constant_torque = false, any_saturated = false;
    double saturated = 0;
    std::vector<ErrorTally> errors;
    std::vector<MotorTally> motors;
    ErrorTally norm;
  };
  static Errors errors_of(std::shared_ptr<const ControlLaw> law);
  void add_control(const Model& model, const Load& load, size_t control,
                   const std::vector<int>& columns);
  void update_errors(Of& of, Simulation& simulation, double h);
  void measure_motors(Of& of, Simulation& simulation, double h);
  double band(const ErrorTally& tally) const;
  ControlMetrics result(const Of& of) const;
  UndefinedMetrics why_undefined(const Of& of, const MetricsRow& all) const;

  MetricsOptions options_;
  Mechanism mechanism_;
  std::vector<Of> of_;
  std::vector<double> q_start_, q_d_, e_, x_d_, tau_, own_tau_;
  bool started_ = false;
  double t_start_ = 0, t_ = 0;
};

}  // namespace torsor
