#include "torsor/analysis/joint_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <span>

#include "torsor/analysis/polynomial_roots.hpp"
#include "torsor/base/error.hpp"

namespace torsor {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Returns the positive roots x of a polynomial in x = omega^2 as frequencies, ascending.
std::vector<double> frequencies(const std::array<double, 4>& polynomial) {
  std::vector<double> out;
  for (const std::complex<double>& x : polynomial_roots(polynomial))
    if (x.imag() == 0 && x.real() > 0) out.push_back(std::sqrt(x.real()));
  std::sort(out.begin(), out.end());
  return out;
}

// Routh: the cubic has its roots left of the imaginary axis if and only if all coefficients are
// positive and (K_d + F_v) K_p > a K_i. The quadratic without integral term needs K_d + F_v > 0 and
// K_p > 0.
Stability routh(const JointLoop& loop) {
  const double d = loop.kd + loop.viscous;
  const double table[] = {d, loop.kp, loop.ki,
                          loop.ki == 0 ? 1 : d * loop.kp - loop.inertia * loop.ki};
  if (std::any_of(std::begin(table), std::end(table), [](double x) { return x < 0; }))
    return Stability::unstable;
  return d > 0 && loop.kp > 0 && table[3] > 0 ? Stability::stable : Stability::marginal;
}

// |L| = 1:  |K_i - K_d w^2 + j K_p w|^2 = w^4 |F_v + j a w|^2
std::vector<double> crossovers(const JointLoop& loop) {
  const auto& [a, F, kp, kd, ki] = loop;
  return frequencies({a * a, F * F - kd * kd, 2 * ki * kd - kp * kp, -ki * ki});
}

// Returns the angle of L(jw) above -pi, in (-pi, pi].
double phase_margin_at(const JointLoop& loop, double w) {
  return std::remainder(std::atan2(loop.kp * w, loop.ki - loop.kd * w * w) -
                            std::atan2(loop.inertia * w, loop.viscous),
                        2 * std::numbers::pi);
}

// L(jw) is real at w^2 = (a K_i - F_v K_p) / (a K_d), where it is -K_p / (a w^2). The loop has the
// same stability with all factors above it, and with all factors just below it, of which half of
// it is one.
void find_gain_margin(const JointLoop& loop, LoopAnalysis& out) {
  const auto& [a, F, kp, kd, ki] = loop;
  const double w2 = (a * ki - F * kp) / (a * kd), margin = a * w2 / kp;
  if (!(w2 > 0 && std::isfinite(w2) && kp > 0)) return;
  const auto stable = [&](double factor) {
    return routh(loop.with_gains_times(factor)) == Stability::stable;
  };
  const bool above = stable(2 * margin);
  if (stable(margin / 2) == above) return;
  out.stable_above_margin = above;
  out.gain_frequency = std::sqrt(w2);
  out.gain_margin = margin;
}

// |q / q_d|^2 = 1/2, for 9.7
double bandwidth(const JointLoop& loop) {
  const auto& [a, F, kp, kd, ki] = loop;
  const double d = kd + F;
  const std::vector<double> found = frequencies(
      {a * a, d * d - 2 * a * kp - 2 * kd * kd, 4 * ki * kd - 2 * d * ki - kp * kp, -ki * ki});
  return found.empty() ? no_number : found.front();
}

// The sixth power of a ratio is below the largest number. The analysis has no higher powers.
constexpr double largest_ratio = 1e50;

void require_loop(const JointLoop& loop) {
  const auto& [a, F, kp, kd, ki] = loop;
  if (!(a > 0) || !std::isfinite(a))
    throw Error(fmt::format("the inertia of the joint is {}; it must be positive", a));
  for (const double x : {F, kp, kd, ki})
    if (!std::isfinite(x)) throw Error("a gain or the friction is not a finite number");
  for (const double x : {F, kp, kd, ki})
    if (!(std::abs(x) / a < largest_ratio))
      throw Error(fmt::format(
          "a gain or the friction is {:g} with an inertia of {:g}; their ratio must be below {:g}",
          x, a, largest_ratio));
}

// Multiplies all numbers by the power of 2 that makes 1 <= a < 2, which changes no result and
// rounds nothing.
JointLoop scaled(const JointLoop& loop) {
  const int exponent = std::ilogb(loop.inertia);
  const auto of = [&](double x) { return std::ldexp(x, -exponent); };
  return {of(loop.inertia), of(loop.viscous), of(loop.kp), of(loop.kd), of(loop.ki)};
}

using Complex = std::complex<double>;

std::vector<Complex> poles_of(const JointLoop& loop) {
  const auto& [a, d, kp, ki] = scaled(loop).characteristic();
  std::vector<Complex> out =
      loop.ki == 0 ? polynomial_roots({0, a, d, kp}) : polynomial_roots({a, d, kp, ki});
  std::ranges::stable_sort(out, std::greater(), [](const Complex& pole) { return pole.real(); });
  return out;
}

// Returns the divided difference of exp(s t), as a function of s, at the points p. It is
// (f[p_2 ..] - f[p_1 ..]) / (p_n - p_1) for points far apart. For points so close that this
// cancels, it is the series around their mean,
//   exp(mean t) sum_k t^(n-1+k) / (n-1+k)! h_k,
// where h_k is the sum of all products of k distances from the mean.
Complex divided_exponential(std::span<const Complex> p, double t) {
  const size_t n = p.size();
  if (n == 1) return std::exp(p[0] * t);
  std::array<Complex, 3> at{};
  std::ranges::copy(p, at.begin());
  // The first and the last point become those with the largest distance.
  if (n == 3 && std::abs(at[0] - at[1]) > std::abs(at[0] - at[2])) std::swap(at[1], at[2]);
  if (n == 3 && std::abs(at[1] - at[2]) > std::abs(at[0] - at[2])) std::swap(at[0], at[1]);
  const std::span<const Complex> points = std::span(at).first(n);
  const Complex apart = points.back() - points.front();
  if (std::abs(apart) * t > 1)
    return (divided_exponential(points.subspan(1), t) -
            divided_exponential(points.first(n - 1), t)) /
           apart;
  Complex mean = 0;
  for (const Complex& x : points) mean += x / double(n);
  double factor = n == 2 ? t : t * t / 2;  // t^(n-1) / (n-1)!
  Complex sum = 0;
  std::array<Complex, 3> h{1, 1, 1};  // h_k of the first 1, 2, 3 points, times t^k
  constexpr int terms = 20;           // the distances times t are at most 1
  for (int k = 0; k < terms; ++k) {
    if (k > 0)
      for (size_t i = 0; i < n; ++i) h[i] = (points[i] - mean) * t * h[i] + (i > 0 ? h[i - 1] : 0);
    sum += factor * h[n - 1];
    factor /= double(n) + k;
  }
  return std::exp(mean * t) * sum;
}

// The response q(t) to a step. Newton's form has no singularity at multiple poles p:
//   q = 1 + c_1 f[p_1] + c_2 f[p_1, p_2] + c_3 f[p_1, p_2, p_3],   f(s) = exp(s t)
// q(0) = qdot(0) = 0 and qddot(0) = K_p / a = p_1 p_2 + p_1 p_3 + p_2 p_3 determine the c.
class Response {
 public:
  explicit Response(const JointLoop& loop) : p_(poles_of(loop)) {}

  double operator()(double t) const {
    const std::span<const Complex> p(p_);
    Complex y = -divided_exponential(p.first(1), t) + p[0] * divided_exponential(p.first(2), t);
    if (p.size() == 3) y += p[2] * (p[0] + p[1]) * divided_exponential(p, t);
    return 1 + y.real();
  }

 private:
  std::vector<Complex> p_;
};

// Returns the time in [from, to] at which f is largest, if it has one maximum there.
double time_of_maximum(const Response& f, double from, double to) {
  for (int k = 0; k < 60; ++k) {
    const double third = (to - from) / 3;
    (f(from + third) < f(to - third) ? from : to) +=
        f(from + third) < f(to - third) ? third : -third;
  }
  return (from + to) / 2;
}

// Returns true if the response is more than 2 % away from 1 at one of `count` times from t on.
bool is_outside(const Response& q, double t, double interval, int count) {
  for (int i = 0; i < count; ++i)
    if (std::abs(q(t + i * interval) - 1) > 0.02) return true;
  return false;
}

}  // namespace

const char* name(Stability stability) {
  constexpr const char* names[] = {"stable", "marginal", "unstable"};
  return names[int(stability)];
}

// Equations: KHALIL 9.9, 9.10.
JointLoop JointLoop::with_pole(double inertia, double viscous, double omega, int order) {
  const double a = inertia, w = omega;
  const JointLoop out =
      order == 3 ? JointLoop{a, viscous, 3 * a * w * w, 3 * a * w - viscous, a * w * w * w}
                 : JointLoop{a, viscous, a * w * w, 2 * a * w - viscous, 0};
  require_loop(out);
  if (!(w > 0)) throw Error(fmt::format("the pole is {} rad/s; give a positive number", w));
  if (out.kd < 0)
    throw Error(fmt::format(
        "the viscous friction {:g} damps more than poles at -{:g} rad/s need; choose a faster pole",
        viscous, w));
  return out;
}

std::complex<double> JointLoop::open(std::complex<double> s) const {
  return (kp + kd * s + ki / s) / (s * (inertia * s + viscous));
}

// Equations: KHALIL 9.7.
std::complex<double> JointLoop::closed(std::complex<double> s) const {
  const std::complex<double> numerator = (kd * s + kp) * s + ki;
  return numerator / (((inertia * s + (kd + viscous)) * s + kp) * s + ki);
}

std::vector<Complex> poles(const JointLoop& loop) {
  require_loop(loop);
  return poles_of(loop);
}

LoopAnalysis analyse(const JointLoop& given) {
  require_loop(given);
  const JointLoop loop = scaled(given);
  LoopAnalysis out{poles_of(loop), routh(loop), no_number,      no_number,
                   no_number,      no_number,   bandwidth(loop)};
  for (const double w : crossovers(loop)) {
    const double margin = phase_margin_at(loop, w);
    if (std::abs(margin) >= std::abs(out.phase_margin)) continue;
    out.phase_margin = margin, out.crossover = w;
  }
  find_gain_margin(loop, out);
  return out;
}

std::vector<double> step_response(const JointLoop& loop, double h, size_t count) {
  require_loop(loop);
  const Response q(loop);
  std::vector<double> out;
  for (size_t k = 0; k < count; ++k) out.push_back(q(h * double(k)));
  return out;
}

double shown_time(const LoopAnalysis& analysis) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const std::complex<double>& pole : analysis.poles)
    if (pole != 0.0)
      slowest = std::min(slowest, pole.real() == 0 ? std::abs(pole) / 10 : std::abs(pole.real()));
  return std::isfinite(slowest) ? 10 / slowest : 1;
}

// Each decade of times, from the fastest pole to the slowest, has equal cells. A slow pole
// therefore does not hide what fast ones do. A cell that is longer than the period of the
// oscillation is sampled during one period, in which the amplitude hardly changes.
StepResponse measure_step(const JointLoop& loop, const LoopAnalysis& analysis) {
  constexpr int cells = 500, parts = 24;
  const Response q(loop);
  double fastest = 0, oscillation = 0;
  for (const Complex& pole : analysis.poles) {
    fastest = std::max(fastest, std::abs(pole));
    oscillation = std::max(oscillation, std::abs(pole.imag()));
  }
  const double period = 2 * std::numbers::pi / oscillation, end = 2 * shown_time(analysis);
  struct {
    double time = 0, value = 0, interval = 0;
  } highest;
  double last = 0, cell = 0;  // the start and length of the last cell outside of 2 %
  for (double h = 0.1 / fastest / cells, t = 0; t < end; h *= 10)
    for (int k = t == 0 ? 0 : cells / 10; k < cells && t < end; ++k) {
      t = h * k;
      const double interval = std::min(h, period) / parts;
      for (int i = 0; i < parts; ++i)
        if (const double now = q(t + i * interval); now > highest.value)
          highest = {t + i * interval, now, interval};
      if (is_outside(q, t, interval, parts)) last = t, cell = h;
    }
  const double peak = time_of_maximum(q, std::max(0.0, highest.time - highest.interval),
                                      highest.time + highest.interval);
  const double interval = std::min(cell, period) / parts;
  // Halves the cell, at the end of which the response stays within 2 %.
  double from = last, to = last + cell;
  while (to - from > interval) {
    const double middle = (from + to) / 2;
    (is_outside(q, middle, std::min(to - middle, period) / parts, parts) ? from : to) = middle;
  }
  return {std::max({0.0, highest.value - 1, q(peak) - 1}), to};
}

}  // namespace torsor
