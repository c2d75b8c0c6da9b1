#pragma once
// How well the controls of a run do, in numbers, of every step from t_0, its start or
// MetricsOptions::from, to its end at t_1, T = t_1 - t_0.
//
// Errors. Of a reference of joints, e_j = (q_d (-) q)_j at the joints, whatever the law measures;
// of a frame's, the entries of the law's signal `error`, as it gave them last (those that stay
// exactly 0, as components that it does not control, have no row).
//   rms_error      sqrt(1/T int e_j^2 dt), by the trapezoidal rule         of all: of |e|, the root
//   of the sum of e_j^2 peak_error     max |e_j|                                               of
//   all: max |e| D_j            the travel: max over t of |q_d(t) (-) q(t_0)|_j, so of a step its
//   height settling_time  the last t - t_0 with |e_j| > band, 0 where there is none; band =
//   settling_band D_j, or settling_error.
//                  Infinite where |e_j| is above it at t_1                 of all: the largest
//   overshoot      max (q (-) q_d)_j / D_j in the direction of the reference's last motion, from
//   when it came to rest
//                                                                          of all: the largest
// Motors of the robot, whatever drives them; tau and its rate omega on the joint's side of the gear
// (of an elastic joint its motor's):
//   peak_torque      max |tau_j|
//   motor_work       int |tau_j omega_j| dt: what is spent where braking takes energy too; net_work
//   = int tau_j omega_j dt saturated        share of the time in which the control's own |tau_j| is
//   at its max_torque, or |tau_j| at what the motor's clamp
//                    or torque-speed line lets through                     of all: in which one of
//                    them is
// where tau is held over a step of a robot whose controls are all sampled, else linear.
//
// NaN is what is not defined: where T = 0, without a reference of its kind, without travel, with a
// reference that moves to the end or, measured from later than 0, does not move, without a motor,
// without a limit, of all where units differ.

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
  double settling_band = 0.02;           // of the travel
  std::optional<double> settling_error;  // rad or m, in place of it
  std::vector<std::string> joints;       // those that have rows; empty: all
};

struct MetricsRow {
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  std::string name, error_unit, torque_unit;  // units: "" where there is none
  double rms_error = undefined, peak_error = undefined, settling_time = undefined,
         overshoot = undefined;
  double peak_torque = undefined, motor_work = undefined, net_work = undefined,
         saturated = undefined;
};

// Why measurements of all joints are NaN, as "the reference moves to the end"; "" where they are
// defined.
struct UndefinedMetrics {
  std::string_view errors, settling_time, overshoot, peak_torque, work, saturated;
};

struct ControlMetrics {
  std::string robot, control;
  std::vector<MetricsRow>
      rows;  // by column of the robot; of a frame's reference first its errors, then the motors
  MetricsRow all;
  UndefinedMetrics
      why_undefined;  // in the row all; errors: rms_error, peak_error; work: motor_work, net_work
};

class Metrics {
 public:
  // Throws Error for joints that are not there, or have no control.
  Metrics(const Model& model, const Load& load, const MetricsOptions& options);
  Metrics(Metrics&&) = default;
  Metrics(const Metrics&) = delete;  // motors point into mechanism_

  // The present state: the start, then after each step. Throws Error as the references.
  void look(Simulation& simulation);
  // The controls from here on, of the same scene with other plugins or parameters; look() takes
  // those in force. Throws Error where what is measured of them is something else.
  void go_on_with(const Load& load);
  // Returns the name of the first measurement that is not a finite number, as "the motor work of
  // 'elbow'", or "".
  std::string find_infinite() const;
  // By control, up to the last look.
  std::vector<ControlMetrics> result() const;

 private:
  struct ErrorTally {
    std::string name, unit;
    double square = 0, last = 0, peak = 0;
    // (t - t_0, |e|), falling in |e|: with the last time at which |e| was above any band that is
    // still possible
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
    double limit;  // of its control
    const ClampElement* clamp = nullptr;
    double tau = 0, rate = 0;  // at the last look
    bool is_saturated = false;
    double peak = 0, work = 0, net = 0, saturated = 0;
    bool is_limited() const;
    void add(double h, bool held, double own_tau, double tau_now, double rate_now);
  };
  // Where a law tells them.
  struct Errors {
    std::shared_ptr<const ControlLaw> law;
    const ReferenceLaw* reference = nullptr;  // of joints; the law's
    std::optional<size_t> signal;             // of a frame, where it starts
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
  void look_at_errors(Of& of, Simulation& simulation, double h);
  void look_at_motors(Of& of, Simulation& simulation, double h);
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
