#include "torsor/analysis/joint_loop.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

// L(jw) is real at w^2 = (a K_i - F_v K_p) / (a K_d), where it is -K_p / (a w^2).
void find_gain_margin(const JointLoop& loop, LoopAnalysis& out) {
  const auto& [a, F, kp, kd, ki] = loop;
  const double w2 = (a * ki - F * kp) / (a * kd);
  if (!(w2 > 0 && std::isfinite(w2) && kp > 0)) return;
  out.gain_frequency = std::sqrt(w2);
  out.gain_margin = a * w2 / kp;
}

// |q / q_d|^2 = 1/2, for 9.7
double bandwidth(const JointLoop& loop) {
  const auto& [a, F, kp, kd, ki] = loop;
  const double d = kd + F;
  const std::vector<double> found = frequencies(
      {a * a, d * d - 2 * a * kp - 2 * kd * kd, 4 * ki * kd - 2 * d * ki - kp * kp, -ki * ki});
  return found.empty() ? no_number : found.front();
}

void require_loop(const JointLoop& loop) {
  const auto& [a, F, kp, kd, ki] = loop;
  if (!(a > 0) || !std::isfinite(a))
    throw Error(fmt::format("the inertia of the joint is {}; it must be positive", a));
  for (const double x : {F, kp, kd, ki})
    if (!std::isfinite(x)) throw Error("a gain or the friction is not a finite number");
}

// Returns exp(A) by scaling, a Taylor series and squaring.
Eigen::Matrix4d exponential(Eigen::Matrix4d A) {
  int halvings = 0;
  for (double size = A.cwiseAbs().rowwise().sum().maxCoeff(); size > 0.5; size /= 2) ++halvings;
  A /= std::ldexp(1.0, halvings);
  Eigen::Matrix4d out = Eigen::Matrix4d::Identity(), term = out;
  for (int k = 1; k <= 16; ++k) term = term * A / k, out += term;
  for (int k = 0; k < halvings; ++k) out = out * out;
  return out;
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

LoopAnalysis analyse(const JointLoop& loop) {
  require_loop(loop);
  LoopAnalysis out{{}, routh(loop), no_number, no_number, no_number, no_number, bandwidth(loop)};
  const auto& [a, d, kp, ki] = loop.characteristic();
  out.poles = loop.ki == 0 ? polynomial_roots({0, a, d, kp}) : polynomial_roots({a, d, kp, ki});
  std::stable_sort(out.poles.begin(), out.poles.end(),
                   [](const auto& x, const auto& y) { return x.real() > y.real(); });
  for (const double w : crossovers(loop)) {
    const double margin = phase_margin_at(loop, w);
    if (std::abs(margin) >= std::abs(out.phase_margin)) continue;
    out.phase_margin = margin, out.crossover = w;
  }
  find_gain_margin(loop, out);
  return out;
}

// The state is (q, qdot, int e, 1).
std::vector<double> step_response(const JointLoop& loop, double h, size_t count) {
  require_loop(loop);
  const auto& [a, F, kp, kd, ki] = loop;
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A.row(0) << 0, 1, 0, 0;
  A.row(1) << -kp / a, -(kd + F) / a, ki / a, kp / a;
  A.row(2) << -1, 0, 0, 1;
  const Eigen::Matrix4d advance = exponential(h * A);
  Eigen::Vector4d x(0, 0, 0, 1);
  std::vector<double> out;
  for (size_t k = 0; k < count; ++k, x = advance * x) out.push_back(x[0]);
  return out;
}

double shown_time(const LoopAnalysis& analysis) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const std::complex<double>& pole : analysis.poles)
    if (pole != 0.0)
      slowest = std::min(slowest, pole.real() == 0 ? std::abs(pole) / 10 : std::abs(pole.real()));
  return std::isfinite(slowest) ? 10 / slowest : 1;
}

StepResponse measure_step(const JointLoop& loop, const LoopAnalysis& analysis) {
  constexpr size_t count = 20'000;
  const double h = 2 * shown_time(analysis) / count;
  const std::vector<double> q = step_response(loop, h, count);
  size_t last = 0;
  for (size_t k = 0; k < count; ++k)
    if (std::abs(q[k] - 1) > 0.02) last = k + 1;
  return {std::max(0.0, *std::max_element(q.begin(), q.end()) - 1), h * double(last)};
}

}  // namespace torsor
