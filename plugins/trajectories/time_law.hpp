#pragma once
// Time laws r(t) from 0 to 1 over a duration T, and their minimum duration under limits. All laws
// except the linear one start and end at rest.
//
// Laws that are one polynomial in u = t / T (KHALIL 8.4, 8.6, 8.7, 8.8, 8.9, 8.11, 8.12, 8.13),
// with their peaks for T = 1:
//   law      r                                  max |r'|   max |r''|
//   linear   u                                  1          -
//   cubic    3u^2 - 2u^3                        3/2        6
//   quintic  10u^3 - 15u^4 + 6u^5               15/8       10/sqrt 3
//   septic   35u^4 - 84u^5 + 70u^6 - 20u^7      35/16      84/(5 sqrt 5)
// The septic law also has zero jerk at both ends.
//
// Laws with two ramps of duration tau and the constant speed V = 1 / (T - tau) between them. f(s)
// is the normalised distance covered in a ramp (8.19, 8.37-8.43 and the general forms after 8.34
// and 8.47). r in the first ramp, between the ramps and in the second ramp is
//   V tau f(t / tau),   V (t - tau/2),   1 - V tau f((T - t) / tau)
//   trapeze         f = s^2/2,         peak acceleration V / tau
//   smooth_trapeze  f = s^3 - s^4/2,   peak acceleration 3/2 V / tau (8.40)
//   s_curve         f'' = min(s, rho, 1 - s) / (rho (1 - rho)): the acceleration is a trapeze. It
//                   rises in the first part rho of the ramp and falls in the last (Fig. 8.9b). Peak
//                   acceleration V / (tau (1 - rho)), peak jerk V / (tau^2 rho (1 - rho))
// bang_bang is the trapeze with tau = T/2 (8.15).
//
// Limits k_vj on the speed and k_aj on the acceleration of each coordinate j, whose distance is
// D_j, become limits on r:
//   r' <= V_r = min_j k_vj / |D_j|,   r'' <= A_r = min_j k_aj / |D_j|
// The minimum time of a polynomial is T = max(peak_1 / V_r, sqrt(peak_2 / A_r)) (Table 8.1). With
// ramps of peak k V / tau, k = 1, 3/2 or 1 / (1 - rho):
//   V = min(V_r, sqrt(A_r / k)) (8.35, 8.47: if V = sqrt(A_r / k), the ramps meet)
//   tau = k V / A_r (8.33, 8.41),   T = tau + 1 / V (8.22, 8.45)
// These equations are 8.34 with the substitution of its NOTE, written for any number of joints.
//
// A limit on the jerk of each coordinate makes r''' <= J_r, and determines rho. The acceleration
// rises to A in the time A / J_r, so that a ramp to the speed V takes
//   tau = V / A + A / J_r,   rho = A / (J_r tau),   A = min(A_r, sqrt(J_r V))
// because a small V is reached before the acceleration is A_r. If V_r tau > 1, the ramps meet at a
// smaller V, for which V tau = 1:
//   V = 2 / (sqrt(sigma^2 + 4 / A_r) + sigma),     sigma = A_r / J_r,   if V >= A_r sigma
//   V = (J_r / 4)^(1/3),                                                otherwise

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.hpp"

namespace torsor::trajectories {

// The value of a function of time, followed by its derivatives.
using Rates = std::array<double, TORSOR_MAX_ORDER + 1>;

// Returns sum c_k x^k and its derivatives with respect to x.
template <size_t N>
Rates polynomial(const std::array<double, N>& c, double x) {
  Rates out{};
  for (size_t d = 0; d < out.size(); ++d)
    for (size_t k = N; k-- > d;) {
      double factor = 1;
      for (size_t i = 0; i < d; ++i) factor *= double(k - i);
      out[d] = out[d] * x + factor * c[k];
    }
  return out;
}

// The ramps of a law. none: one polynomial without ramps; half: tau = T/2; free: tau is adjustable;
// rising: tau and rho are adjustable.
enum class Ramps { none, half, free, rising };

struct Shape {
  const char* name;
  // Number of continuous derivatives, including those at both ends of the motion.
  int smoothness;
  // Peaks of |r'| and |r''| for T = 1. For free ramps, peak_acceleration is the factor k.
  double peak_speed, peak_acceleration;
  Ramps ramps;
  std::array<double, 8> c;  // coefficients of the polynomial or of the ramp f
  bool has_free_ramps() const { return ramps == Ramps::free || ramps == Ramps::rising; }
};
inline constexpr Shape shapes[] = {
    {"linear", 0, 1, 0, Ramps::none, {0, 1}},
    {"cubic", 1, 1.5, 6, Ramps::none, {0, 0, 3, -2}},
    {"quintic", 2, 1.875, 5.7735026918962576, Ramps::none, {0, 0, 0, 10, -15, 6}},
    {"septic", 3, 2.1875, 7.5131884043984155, Ramps::none, {0, 0, 0, 0, 35, -84, 70, -20}},
    {"bang_bang", 1, 2, 4, Ramps::half, {0, 0, 0.5}},
    {"trapeze", 1, 1, 1, Ramps::free, {0, 0, 0.5}},
    {"smooth_trapeze", 2, 1, 1.5, Ramps::free, {0, 0, 0, 1, -0.5}},
    {"s_curve", 2, 1, 0, Ramps::rising, {}},
};
inline constexpr const char* shape_names[] = {"linear",         "cubic",     "quintic",
                                              "septic",         "bang_bang", "trapeze",
                                              "smooth_trapeze", "s_curve",   nullptr};

// Equations: KHALIL 8.15, 8.19, 8.37, 8.38, 8.39, 8.42, 8.43.
struct TimeLaw {
  const Shape* shape = nullptr;
  double duration = 0;  // T, s; 0: the start equals the goal
  double ramp = 0;      // tau, s, for a law with ramps
  // rho tau, s, for a law with rising ramps: a time, because the product could be rounded
  // differently in the comparison of times and in add_breaks().
  double rise = 0;

  // Evaluates r at a time in [start, start + T]. Pieces change at exactly the times that
  // add_breaks() appends.
  Rates operator()(double time, double start = 0) const {
    if (duration == 0) return {1};
    const double t = time - start;
    if (shape->ramps == Ramps::none) return scaled(polynomial(shape->c, t / duration), 1, duration);
    const double V = 1 / (duration - ramp);
    if (time < start + ramp) {
      const Piece piece = time < start + corner(0)   ? Piece::rises
                          : time < start + corner(1) ? Piece::constant
                                                     : Piece::falls;
      return scaled(along_ramp(piece, t / ramp), V * ramp, ramp);
    }
    if (time < start + (duration - ramp)) return {V * (t - ramp / 2), V};
    // The last ramp is the first one backwards.
    const Piece piece = time < start + (duration - corner(1))   ? Piece::falls
                        : time < start + (duration - corner(0)) ? Piece::constant
                                                                : Piece::rises;
    Rates back = scaled(along_ramp(piece, (duration - t) / ramp), -V * ramp, -ramp);
    back[0] += 1;
    return back;
  }
  void add_breaks(double start, std::vector<double>& out) const {
    out.push_back(start);
    const auto add = [&](double time) {
      if (start + time > out.back()) out.push_back(start + time);
    };
    const bool rising = shape->ramps == Ramps::rising;
    if (rising) add(corner(0)), add(corner(1));
    if (shape->ramps != Ramps::none) add(ramp), add(duration - ramp);
    if (rising) add(duration - corner(1)), add(duration - corner(0));
    add(duration);
  }

 private:
  // The pieces of a ramp, by its acceleration. Other ramps are one piece.
  enum class Piece { rises, constant, falls };
  // Returns the time at which the acceleration is constant, or begins to fall.
  double corner(int k) const { return k == 0 ? rise : ramp - rise; }
  // Returns f(s) and its derivatives.
  Rates along_ramp(Piece piece, double s) const {
    if (shape->ramps != Ramps::rising) return polynomial(shape->c, s);
    const double rho = rise / ramp, a = 1 / (1 - rho), jerk = a / rho;
    if (piece == Piece::rises) return {jerk * s * s * s / 6, jerk * s * s / 2, jerk * s, jerk};
    if (piece == Piece::constant)
      return {a * (s * s / 2 - rho * s / 2 + rho * rho / 6), a * (s - rho / 2), a};
    const double u = 1 - s;
    return {0.5 - u + jerk * u * u * u / 6, 1 - jerk * u * u / 2, jerk * u, -jerk};
  }
  // Returns gain f(x) and its derivatives with respect to t, where x = t / time + const. The
  // argument contains f(x) and its derivatives with respect to x.
  static Rates scaled(Rates f, double gain, double time) {
    for (double& rate : f) {
      rate *= gain;
      gain /= time;
    }
    return f;
  }
};

// Formats a number for a message: the shortest string that reads back as the same number.
inline std::string shown(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

// Returns max_j |D_j| / k_j for the limits k. k is empty, or contains one limit for all coordinates
// or one for each. Returns nullopt if k is empty. Throws bad_argument for any other number of
// limits.
// Equations: KHALIL 8.14, 8.34.
inline std::optional<double> need(const std::vector<double>& D, const std::vector<double>& k,
                                  const char* name) {
  if (k.empty()) return std::nullopt;
  if (k.size() != 1 && k.size() != D.size())
    throw sdk::bad_argument("'" + std::string(name) + "' has " + std::to_string(k.size()) +
                            " values for " + std::to_string(D.size()) +
                            " coordinates; give one value, or one for each");
  double most = 0;
  for (size_t j = 0; j < D.size(); ++j)
    most = std::max(most, std::abs(D[j]) / k[k.size() == 1 ? 0 : j]);
  return most;
}
// Returns the greater of the values that are present.
inline std::optional<double> greater(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}

// Return the values after a check. positive() throws bad_argument for a value that is not positive,
// at_most_one() for more than one value.
inline std::vector<double> positive(std::span<const double> values, const char* unit) {
  for (const double x : values)
    if (!(x > 0))
      throw sdk::bad_argument("the value " + shown(x) + " " + unit +
                              " is not positive; give a positive number");
  return {values.begin(), values.end()};
}
inline std::optional<double> at_most_one(std::span<const double> values) {
  if (values.size() > 1)
    throw sdk::bad_argument("it takes one number, not " + std::to_string(values.size()));
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

// The limits of r: 1 / V_r, 1 / A_r and 1 / J_r. Each is 0 if no coordinate moves, and nullopt
// without a limit.
struct Limits {
  std::optional<double> speed, acceleration, jerk = std::nullopt;
};

// The settings of the user for the duration and the ramps of a motion.
struct Timing {
  std::optional<double> duration, ramp, rise;  // duration T, s; ramp tau / T; rise rho

  void set_duration(std::span<const double> values) {
    duration = at_most_one(positive(values, "s"));
  }
  void set_ramp(std::span<const double> values) {
    ramp = at_most_half(values, "of the duration", "a ramp takes at most 0.5 of the duration");
  }
  void set_rise(std::span<const double> values) {
    rise = at_most_half(values, "of the ramp", "the rise takes at most 0.5 of the ramp");
  }

  // Returns the time law. Throws bad_argument if the settings are incomplete or contradict each
  // other.
  TimeLaw law(const Shape& shape, const Limits& limits) const {
    const bool limited = limits.speed || limits.acceleration || limits.jerk;
    if (ramp && !shape.has_free_ramps())
      throw sdk::bad_argument("the law " + std::string(shape.name) +
                              " has no adjustable ramps; remove 'ramp'");
    if (ramp && limited)
      throw sdk::bad_argument("the limits determine the ramps; remove 'ramp' or the limits");
    if (rise && limits.jerk)
      throw sdk::bad_argument("the jerk limit determines the rise; remove 'rise' or 'jerk'");
    if (limited) {
      const TimeLaw least = fastest(shape, limits);
      if (!duration) return least;
      if (*duration < least.duration)
        throw sdk::bad_argument("the duration " + shown(*duration) +
                                " s is too short for the limits; allow at least " +
                                shown(least.duration) + " s");
      // Stretches the fastest law with constant ratios tau / T and rho. If no coordinate moves, the
      // fastest law has no ramps, and both are those of a law without limits.
      const double share = least.duration > 0 ? least.ramp / least.duration : 0.25;
      const double part = least.ramp > 0 ? least.rise / least.ramp : rho();
      return {&shape, *duration, share * *duration, part * (share * *duration)};
    }
    if (!duration)
      throw sdk::bad_argument(
          "neither a duration nor limits are set; set 'duration', or limits for the minimum time");
    const double tau = (shape.ramps == Ramps::half ? 0.5 : ramp.value_or(0.25)) * *duration;
    return {&shape, *duration, tau, rho() * tau};
  }

 private:
  static std::optional<double> at_most_half(std::span<const double> values, const char* unit,
                                            const char* why) {
    const std::optional<double> out = at_most_one(positive(values, unit));
    if (out && *out > 0.5)
      throw sdk::bad_argument("the value " + shown(*out) + " is too large; " + why);
    return out;
  }
  double rho() const { return rise.value_or(0.25); }

  // Equations: KHALIL 8.16, 8.17, 8.18, 8.20, 8.22, 8.32, 8.33, 8.35, 8.40, 8.41, 8.45, 8.46, 8.47.
  TimeLaw fastest(const Shape& shape, const Limits& limits) const {
    const auto& [speed, acceleration, jerk] = limits;
    if (shape.smoothness == 0 && acceleration)
      throw sdk::bad_argument(
          "the speed of this law jumps, so no acceleration limit can be met; remove "
          "'acceleration'");
    if (shape.has_free_ramps()) {
      if (!speed || !acceleration)
        throw sdk::bad_argument("the ramps need limits of both speed and acceleration; set both");
      if (*speed == 0) return {&shape, 0, 0};
      if (jerk) return s_curve(shape, 1 / *speed, 1 / *acceleration, 1 / *jerk);
      const double k = shape.ramps == Ramps::rising ? 1 / (1 - rho()) : shape.peak_acceleration,
                   V = std::min(1 / *speed, std::sqrt(1 / (k * *acceleration)));
      const double ramp = k * V * *acceleration;
      return {&shape, std::max(ramp + 1 / V, 2 * ramp), ramp, rho() * ramp};
    }
    const double T = std::max(shape.peak_speed * speed.value_or(0),
                              std::sqrt(shape.peak_acceleration * acceleration.value_or(0)));
    return {&shape, T, T / 2};
  }

  // Returns the fastest law within limits of r', r'' and r'''.
  static TimeLaw s_curve(const Shape& shape, double V_r, double A_r, double J_r) {
    // The acceleration that a ramp to V reaches without a limit of it. Separate roots, because J_r
    // V may overflow.
    const auto free_peak = [&](double V) { return std::sqrt(J_r) * std::sqrt(V); };
    const auto tau = [&](double V) {
      const double A = std::min(A_r, free_peak(V));
      return V / A + A / J_r;
    };
    double V = V_r;
    const bool ramps_meet = V_r * tau(V_r) > 1;
    if (ramps_meet) {
      const double sigma = A_r / J_r;
      V = 2 / (std::hypot(sigma, 2 / std::sqrt(A_r)) + sigma);
      if (V < A_r * sigma) V = std::cbrt(J_r / 4);
    }
    // Exactly half of the ramp if A_r is not reached: a rounding error would leave a piece of
    // constant acceleration.
    const double ramp = tau(V), rise = A_r < free_peak(V) ? A_r / J_r : ramp / 2;
    if (!(rise / ramp > 0))
      throw sdk::bad_argument(
          "the limits of speed, acceleration and jerk are too many orders of magnitude apart");
    return {&shape, ramps_meet ? 2 * ramp : ramp + 1 / V, ramp, rise};
  }
};

}  // namespace torsor::trajectories
