#pragma once
// Linear analysis of one joint under PID (KHALIL 9.3.1). For a joint that translates, read N for
// N m and m for rad.

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace torsor {

// A joint with constant inertia under PID:
//
//   tau = a qddot + F_v qdot + disturbance                                         KHALIL 9.6
//   tau = K_p (q_d - q) + K_d (v_d - v) + K_i int (q_d - q)                        KHALIL 9.5
struct JointLoop {
  double inertia;     // a, kg m^2, positive
  double viscous;     // F_v, N m s/rad
  double kp, kd, ki;  // N m/rad, N m s/rad, N m/(rad s)

  // Returns the loop whose poles all are -omega, rad/s. The triple pole (order 3) is KHALIL 9.10:
  //   K_p = 3 a omega^2,  K_d = 3 a omega - F_v,  K_i = a omega^3
  // The double pole (order 2) has no integral term: K_p = a omega^2, K_d = 2 a omega - F_v. Throws
  // Error if the friction alone damps more than that.
  static JointLoop with_pole(double inertia, double viscous, double omega, int order);

  // Returns the loop with all gains multiplied by a factor.
  JointLoop with_gains_times(double factor) const {
    return {inertia, viscous, factor * kp, factor * kd, factor * ki};
  }
  // Returns the open loop, K_p + K_d s + K_i / s times 1 / (a s^2 + F_v s), at s.
  std::complex<double> open(std::complex<double> s) const;
  // Returns q(s) / q_d(s), with v_d the derivative of q_d (KHALIL 9.7).
  std::complex<double> closed(std::complex<double> s) const;
  // Returns the coefficients a, K_d + F_v, K_p, K_i of the characteristic polynomial
  //   a s^3 + (K_d + F_v) s^2 + K_p s + K_i                                        KHALIL 9.8
  std::array<double, 4> characteristic() const { return {inertia, kd + viscous, kp, ki}; }
};

enum class Stability { stable, marginal, unstable };
const char* name(Stability stability);

// Returns the roots of the characteristic polynomial, rad/s, the slowest first. Without integral
// term, the factor s of numerator and denominator is cancelled, and there are two. Throws Error in
// the cases of analyse().
std::vector<std::complex<double>> poles(const JointLoop& loop);

struct LoopAnalysis {
  std::vector<std::complex<double>> poles;  // poles()
  // The stability follows from the signs of Routh's table, which do not suffer from rounding.
  // marginal: a pole is on the imaginary axis and none is right of it.
  Stability stability;
  // The phase margin, rad, at the frequency where the open loop has gain 1, rad/s. If there are
  // several such frequencies, that of the smallest margin. NaN if there is none.
  double phase_margin, crossover;
  // The factor on all gains at which the closed loop is at the limit of stability, and the
  // frequency of its oscillation there, rad/s. NaN if every positive factor gives the same
  // stability.
  double gain_margin, gain_frequency;
  // The lowest frequency at which |q / q_d| is 1/sqrt(2), rad/s. NaN if there is none.
  double bandwidth;
  // true: the loop is stable with larger factors than gain_margin. false: with smaller factors, as
  // for negative K_d.
  bool stable_above_margin = false;
};
// Throws Error if a number of the loop is not finite, the inertia is not positive, or the ratio of
// a gain or the friction to the inertia is 1e50 or larger. Gains of zero and unstable gains are
// results, not errors.
LoopAnalysis analyse(const JointLoop& loop);

// Returns q at the times 0, h, .., (count - 1) h s, if the reference jumps from 0 to 1 rad at time
// 0 and v_d is 0. This is the response that a run with a constant reference has:
//   q / q_d = (K_p s + K_i) / (a s^3 + (K_d + F_v) s^2 + K_p s + K_i)
std::vector<double> step_response(const JointLoop& loop, double h, size_t count);

struct StepResponse {
  double overshoot;  // largest q minus 1, at least 0
  double settling;   // s, after which q stays within 2 % of 1
};
// Measures the response of a stable loop.
StepResponse measure_step(const JointLoop& loop, const LoopAnalysis& analysis);
// Returns a time for pictures of the step response, s: ten times that of the slowest pole.
double shown_time(const LoopAnalysis& analysis);

}  // namespace torsor
