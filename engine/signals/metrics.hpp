#pragma once
// Performance metrics of the controls of a run. They use every step from t_0 to the end at t_1,
// where T = t_1 - t_0 and t_0 is the start of the run or MetricsOptions::from.
//
// Errors. For a reference of joints, e_j = (q_d (-) q)_j at the actual joints, regardless of what
// the law measures. For a reference of a frame, e_j are the entries of the law's signal `error` as
// it was last evaluated. Entries that stay exactly 0, as components that the law does not control,
// have no row.
//   rms_error      sqrt(1/T int e_j^2 dt), by the trapezoidal rule. In `all`: of the norm |e|, the
//                  square root of the sum of e_j^2
//   peak_error     max |e_j|. In `all`: max |e|
//   D_j            travel: max over t of |q_d(t) (-) q(t_0)|_j. For a step reference, its height
//   settling_time  last t - t_0 with |e_j| > band, or 0. The band is settling_band D_j, or
//                  settling_error. Infinite if |e_j| > band at t_1. In `all`: the largest
//   overshoot      max (q (-) q_d)_j / D_j in the direction of the reference's last motion, after
//                  the reference came to rest. In `all`: the largest
//
// Motors of the robot, regardless of what drives them. tau and the rate omega are measured on the
// joint's side of the gear (for an elastic joint, at its motor):
//   peak_torque  max |tau_j|
//   motor_work   int |tau_j omega_j| dt: energy used by motors for which braking costs energy too
//   net_work     int tau_j omega_j dt
//   saturated    fraction of the time in which the control's own |tau_j| is at its max_torque, or
//                |tau_j| at the limit of the motor's clamp or torque-speed line. In `all`: fraction
//                of the time in which at least one motor is saturated
// If all controls of a robot are sampled, tau is constant over a step, otherwise linear.
//
// A metric is NaN if it is undefined:
// - T = 0,
// - there is no reference of the required kind, or no travel,
// - the reference moves until the end, or measurements start after time 0 and it does not move,
// - there is no motor or no limit,
// - for `all`: the units differ.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/simulation/simulation.hpp"

namespace torsor {

struct MetricsOptions {
  double from = 0;                       // s
  double settling_band = 0.02;           // relative to the travel
  std::optional<double> settling_error;  // replaces settling_band; rad or m
  std::vector<std::string> joints;       // joints that have rows; all if empty
};

struct MetricsRow {
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  // Units are "" if there is no such quantity.
  std::string name, error_unit, torque_unit;
  double rms_error = undefined, peak_error = undefined, settling_time = undefined,
         overshoot = undefined;
  double peak_torque = undefined, motor_work = undefined, net_work = undefined,
         saturated = undefined;
};

// Reasons why metrics in the row `all` are NaN, such as "the reference moves to the end"; "" if
// they are defined
struct UndefinedMetrics {
  std::string_view errors, settling_time, overshoot, peak_torque, work, saturated;
};

struct ControlMetrics {
  std::string robot, control;
  // Rows by dof of the robot. For a reference of a frame: rows of its errors, then of the motors.
  std::vector<MetricsRow> rows;
  MetricsRow all;
  // For the row `all`. errors covers rms_error and peak_error. work covers motor_work and net_work.
  UndefinedMetrics why_undefined;
};

class Metrics {
 public:
  // Throws Error for joints that do not exist or have no control.
  Metrics(const Model& model, const Load& load, const MetricsOptions& options);
  Metrics(Metrics&&) = default;
  Metrics(const Metrics&) = delete;  // motors point to mechanism_

  // Evaluates the present state. Must be called at the start and after each step. Throws the errors
  // of the references.
  void look(Simulation& simulation);
  // Continues after plugins or parameters of the scene's controls were changed. look() calls this
  // if a control has another law. Throws Error if the quantities to measure differ.
  void continue_with(const Load& load);
  // Returns the name of the first metric that is not finite, such as "the motor work of 'elbow'",
  // or "".
  std::string find_infinite() const;
  // Returns the metrics of each control, up to the last look().
  std::vector<ControlMetrics> result() const;

 private:
  struct ErrorTally {
    std::string name, unit;
    double square = 0, last = 0, peak = 0;
    // Samples (t - t_0, |e|) with a larger error than every later sample, so that |e| decreases.
    // They determine the settling time. Samples within the band are left out, because the band
    // never decreases.
    std::vector<std::pair<double, double>> above;
    double travel = 0, x_d = 0, direction = 0, beyond = 0;  // x_d = q_d (-) q(t_0)
    bool stands = false;
    void add(double t, double h, double e, double band);
    void follow(double x_d_now);
    double settling_time(double band, double t_end) const;
  };
  struct MotorTally {
    std::string name, unit;
    int column;
    bool has_motor;
    // The max_torque of its control.
    double limit;
    const ClampElement* clamp = nullptr;
    double tau = 0, rate = 0;  // at the last look()
    bool is_saturated = false;
    double peak = 0, work = 0, net = 0, saturated = 0;
    bool is_limited() const;
    void add(double h, bool held, double own_tau, double tau_now, double rate_now);
  };
  // Source of the errors of a law.
  struct Errors {
    std::shared_ptr<const ControlLaw> law;
    const ReferenceLaw* reference = nullptr;  // reference of joints, owned by the law
    std::optional<size_t> signal;             // for a frame: index of the first entry of the signal
  };
  struct Of {
    size_t control;
    std::string robot, name;
    Errors error;
    Reference now;
    int first_q = 0, first_v = 0;
    bool held = false, any_saturated = false;
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
