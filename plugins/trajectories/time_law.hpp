#pragma once
// Laws of time r(t) from 0 to 1 over a duration T, at rest at both ends (but for the linear one),
// and the least T under limits.
//
// Those of one polynomial (KHALIL 8.4-8.13; septic: jerk too is zero at both ends), u = t / T:
//   linear u;  cubic 3u^2 - 2u^3;  quintic 10u^3 - 15u^4 + 6u^5;  septic 35u^4 - 84u^5 + 70u^6 -
//   20u^7
// Their peaks at T = 1, as max |r'| and max |r''|:  1, -;  3/2, 6;  15/8, 10/sqrt 3;  35/16, 84/(5
// sqrt 5).
//
// Those with ramps of tau, a speed V = 1 / (T - tau) between them, and the shape f of the ramp's
// way (8.19, 8.37-8.43 and the general forms after 8.34 and 8.47):
//   r = V tau f(t / tau),   V (t - tau/2),   1 - V tau f((T - t) / tau)
//   trapeze f = s^2/2, peak acceleration V / tau;  smooth_trapeze f = s^3 - s^4/2, peak
//   acceleration 3/2 V / tau (8.40)
// bang_bang is the trapeze with tau = T/2 (8.15).
//
// Limits |D_j| r' <= k_vj, |D_j| r'' <= k_aj are limits on r alone: r' <= V_r = min_j k_vj / |D_j|,
// r'' <= A_r = min_j k_aj / |D_j|. Least times: of a polynomial max(peak_1 / V_r, sqrt(peak_2 /
// A_r)) (Table 8.1). With ramps of peak k V / tau, k = 1 or 3/2: V as large as it may be, but no
// more than sqrt(A_r / k) (8.35, 8.47: then no time is left between the ramps), tau = k V / A_r
// (8.33, 8.41) and T = tau + 1 / V (8.22, 8.45). In this form 8.34 with the NOTE after it is the
// same for any number of joints.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.hpp"

namespace torsor::trajectories {

// A function of time and its derivatives.
using Rates = std::array<double, TORSOR_MAX_ORDER + 1>;

// sum c_k x^k and its derivatives by x.
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

enum class Ramps { none, half, free };  // one polynomial; tau = T/2; tau to be chosen

struct Shape {
  const char* name;
  int smoothness;                        // derivatives that are continuous, the ends included
  double peak_speed, peak_acceleration;  // at T = 1; with free ramps k
  Ramps ramps;
  std::array<double, 8> c;  // of the polynomial, or of the ramp
};
inline constexpr Shape shapes[] = {
    {"linear", 0, 1, 0, Ramps::none, {0, 1}},
    {"cubic", 1, 1.5, 6, Ramps::none, {0, 0, 3, -2}},
    {"quintic", 2, 1.875, 5.7735026918962576, Ramps::none, {0, 0, 0, 10, -15, 6}},
    {"septic", 3, 2.1875, 7.5131884043984155, Ramps::none, {0, 0, 0, 0, 35, -84, 70, -20}},
    {"bang_bang", 1, 2, 4, Ramps::half, {0, 0, 0.5}},
    {"trapeze", 1, 1, 1, Ramps::free, {0, 0, 0.5}},
    {"smooth_trapeze", 2, 1, 1.5, Ramps::free, {0, 0, 0, 1, -0.5}},
};
inline constexpr const char* shape_names[] = {"linear",    "cubic",   "quintic",        "septic",
                                              "bang_bang", "trapeze", "smooth_trapeze", nullptr};

struct TimeLaw {
  const Shape* shape = nullptr;
  double duration = 0;  // T, s; 0: it is at its end
  double ramp = 0;      // tau, s, where it has ramps

  // At a time in [start, start + T]; which piece that is by the very numbers of add_breaks().
  Rates operator()(double time, double start = 0) const {
    if (duration == 0) return {1};
    const double t = time - start;
    if (shape->ramps == Ramps::none) return scaled(polynomial(shape->c, t / duration), 1, duration);
    const double V = 1 / (duration - ramp);
    if (time < start + ramp) return scaled(polynomial(shape->c, t / ramp), V * ramp, ramp);
    if (time < start + (duration - ramp)) return {V * (t - ramp / 2), V};
    Rates back = scaled(polynomial(shape->c, (duration - t) / ramp), -V * ramp, -ramp);
    back[0] += 1;
    return back;
  }
  void add_breaks(double start, std::vector<double>& out) const {
    out.push_back(start);
    if (shape->ramps != Ramps::none) {
      out.push_back(start + ramp);
      if (duration - ramp > ramp) out.push_back(start + (duration - ramp));
    }
    out.push_back(start + duration);
  }

 private:
  // f(x) with x = t / time + ..., times gain, by t.
  static Rates scaled(Rates f, double gain, double time) {
    for (double& rate : f) {
      rate *= gain;
      gain /= time;
    }
    return f;
  }
};

// A number in a message: the shortest that reads back to the same.
inline std::string shown(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

// Max_j |D_j| / k_j for limits k, of which there is one for all or one each; none where there are
// none.
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
// Of two groups of coordinates.
inline std::optional<double> greater(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}

// Values that must be positive, and those of which there is at most one.
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

// What a user says of the time that a motion takes.
struct Timing {
  std::optional<double> duration, ramp;  // s; tau / T

  void set_duration(std::span<const double> values) {
    duration = at_most_one(positive(values, "s"));
  }
  void set_ramp(std::span<const double> values) {
    ramp = at_most_one(positive(values, "of the duration"));
    if (ramp && *ramp > 0.5)
      throw sdk::bad_argument("the value " + shown(*ramp) +
                              " is too large; a ramp takes at most 0.5 of the duration");
  }

  // speed = 1 / V_r, acceleration = 1 / A_r, 0 where nothing moves; none where there is no limit.
  TimeLaw law(const Shape& shape, std::optional<double> speed,
              std::optional<double> acceleration) const {
    const bool limited = speed || acceleration;
    if (ramp && shape.ramps != Ramps::free)
      throw sdk::bad_argument("the law " + std::string(shape.name) +
                              " has no adjustable ramps; remove 'ramp'");
    if (ramp && limited)
      throw sdk::bad_argument("the limits determine the ramps; remove 'ramp' or the limits");
    if (limited) {
      const TimeLaw least = fastest(shape, speed, acceleration);
      if (!duration) return least;
      if (*duration < least.duration)
        throw sdk::bad_argument("the duration " + shown(*duration) +
                                " s is too short for the limits; allow at least " +
                                shown(least.duration) + " s");
      // Slower in proportion. Where nothing moves there are no ramps to keep.
      const double share = least.duration > 0 ? least.ramp / least.duration : 0.25;
      return {&shape, *duration, share * *duration};
    }
    if (!duration)
      throw sdk::bad_argument(
          "neither a duration nor limits are set; set 'duration', or limits for the minimum time");
    return {&shape, *duration,
            (shape.ramps == Ramps::half ? 0.5 : ramp.value_or(0.25)) * *duration};
  }

 private:
  static TimeLaw fastest(const Shape& shape, std::optional<double> speed,
                         std::optional<double> acceleration) {
    if (shape.peak_acceleration == 0 && acceleration)
      throw sdk::bad_argument(
          "the speed of this law jumps, so no acceleration limit can be met; remove "
          "'acceleration'");
    if (shape.ramps == Ramps::free) {
      if (!speed || !acceleration)
        throw sdk::bad_argument("the ramps need limits of both speed and acceleration; set both");
      if (*speed == 0) return {&shape, 0, 0};
      const double k = shape.peak_acceleration,
                   V = std::min(1 / *speed, std::sqrt(1 / (k * *acceleration)));
      const double ramp = k * V * *acceleration;
      return {&shape, std::max(ramp + 1 / V, 2 * ramp), ramp};
    }
    const double T = std::max(shape.peak_speed * speed.value_or(0),
                              std::sqrt(shape.peak_acceleration * acceleration.value_or(0)));
    return {&shape, T, T / 2};
  }
};

}  // namespace torsor::trajectories
