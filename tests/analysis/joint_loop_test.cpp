// Tests of the linear analysis of a joint under PID: poles against the characteristic polynomial,
// margins against scans of the frequency response, responses against an integration.

#include "torsor/analysis/joint_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "torsor/analysis/polynomial_roots.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/random.hpp"

namespace torsor::test {
namespace {

using Complex = std::complex<double>;
using testing::HasSubstr;

// Returns a loop whose numbers are over three decades. Every fourth loop has no integral term, and
// every third no friction.
JointLoop random_loop(Random& random, int k) {
  const auto any = [&] { return std::pow(10, random.uniform(-1.5, 1.5)); };
  return {any(), k % 3 == 0 ? 0 : any(), any(), any(), k % 4 == 0 ? 0 : any()};
}

// Returns the largest real part of the roots, found by Durand and Kerner's iteration.
double rightmost(const std::vector<double>& c) {
  std::vector<Complex> x;
  for (size_t k = 0; k + 1 < c.size(); ++k) x.push_back(std::pow(Complex(0.4, 0.9), k));
  double scale = 0;
  for (size_t k = 1; k < c.size(); ++k)
    scale = std::max(scale, std::pow(std::abs(c[k] / c[0]), 1.0 / double(k)));
  for (Complex& z : x) z *= scale;
  for (int sweep = 0; sweep < 2000; ++sweep)
    for (size_t i = 0; i < x.size(); ++i) {
      Complex f = 0, below = 1;
      for (const double coefficient : c) f = f * x[i] + coefficient / c[0];
      for (size_t j = 0; j < x.size(); ++j)
        if (j != i) below *= x[i] - x[j];
      if (below != 0.0) x[i] -= f / below;
    }
  double out = -INFINITY;
  for (const Complex& z : x) out = std::max(out, z.real());
  return out;
}

TEST(PolynomialRoots, AreThoseFromWhichThePolynomialIsMade) {
  Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const double a = random.uniform(-2, 2), r = random.uniform(-9, 9), x = random.uniform(-9, 9),
                 y = k % 3 == 0 ? 0 : random.uniform(0, 9);
    // a (s - r) ((s - x)^2 + y^2)
    if (std::abs(r - x) < 0.1) continue;  // nearly a triple root
    const double p = -2 * x, q = x * x + y * y;
    for (const Complex& root : polynomial_roots({a, a * (p - r), a * (q - r * p), -a * q * r})) {
      const double off =
          std::min(std::abs(root - r), std::abs(root - Complex(x, root.imag() < 0 ? -y : y)));
      EXPECT_LT(off, y == 0 ? 1e-7 : 1e-10) << r << ", " << x << " +- " << y << " j";
      EXPECT_EQ(root.imag() == 0, y == 0 || root == Complex(root.real(), 0));
    }
  }
}

TEST(PolynomialRoots, OfMultiplePolesAreNotSplit) {
  for (const double r : {-1.0, -12.0, -1e3, -0.37}) {
    for (const Complex& root : polynomial_roots({1.7, -5.1 * r, 5.1 * r * r, -1.7 * r * r * r}))
      EXPECT_LE(std::abs(root - r), 1e-15 * std::abs(r));
    const std::vector<Complex> two = polynomial_roots({0, 0.3, -0.6 * r, 0.3 * r * r});
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0], two[1]);
    EXPECT_NEAR(two[0].real(), r, 1e-15 * std::abs(r));
  }
  EXPECT_THAT(polynomial_roots({0, 0, 2, 3}), testing::ElementsAre(Complex(-1.5, 0)));
  EXPECT_THAT(polynomial_roots({0, 0, 0, 3}), testing::IsEmpty());
  EXPECT_THAT(polynomial_roots({2, 0, 0, 0}), testing::ElementsAre(0.0, 0.0, 0.0));
}

// Equations: KHALIL 9.8.
TEST(JointLoop, PolesAreRootsOfTheCharacteristicPolynomial) {
  Random random(2);
  for (int k = 0; k < 500; ++k) {
    const JointLoop loop = random_loop(random, k);
    const auto c = loop.characteristic();
    const LoopAnalysis of = analyse(loop);
    ASSERT_EQ(of.poles.size(), loop.ki == 0 ? 2u : 3u);
    Complex sum = 0;
    for (const Complex& s : of.poles) {
      Complex value = 0;
      double size = 0;
      for (const double coefficient : c)
        value = value * s + coefficient, size = size * std::abs(s) + std::abs(coefficient);
      EXPECT_LT(std::abs(value), 1e-12 * size);
      sum += s;
    }
    EXPECT_NEAR(sum.real(), -c[1] / c[0], 1e-10 * c[1] / c[0]);
    EXPECT_GE(of.poles.front().real(), of.poles.back().real());
  }
}

// KHALIL 9.9, 9.10.
TEST(JointLoop, HasTheChosenPole) {
  const JointLoop triple = JointLoop::with_pole(2.5, 1.5, 6, 3);
  EXPECT_EQ(triple.kp, 3 * 2.5 * 36);
  EXPECT_EQ(triple.kd + 1.5, 3 * 2.5 * 6);
  EXPECT_EQ(triple.ki, 2.5 * 216);
  EXPECT_THAT(analyse(triple).poles, testing::ElementsAre(Complex(-6), Complex(-6), Complex(-6)));
  const JointLoop twice = JointLoop::with_pole(2.5, 1.5, 6, 2);
  EXPECT_EQ(twice.ki, 0);
  EXPECT_THAT(analyse(twice).poles, testing::ElementsAre(Complex(-6), Complex(-6)));
  // The triple pole has no overshoot in the response to a disturbance, but its zeros overshoot
  // here: q = 1 - (1 + w t - w^2 t^2 / 2 ..) is measured below.
  const StepResponse step = measure_step(twice, analyse(twice));
  EXPECT_LT(step.overshoot, 1e-12) << "critically damped";
  // 1 - (1 + w t) exp(-w t) = 0.98 at w t = 5.8339
  EXPECT_NEAR(step.settling, 5.8339 / 6, 2e-3);
}

// Scans the open loop for gain 1, and the closed loop for the gain 1/sqrt(2).
// Equations: KHALIL 9.7.
TEST(JointLoop, PhaseMarginAndBandwidthAreThoseOfTheFrequencyResponse) {
  Random random(3);
  for (int k = 0; k < 40; ++k) {
    const JointLoop loop = random_loop(random, k);
    const LoopAnalysis of = analyse(loop);
    // Returns the place between w / ratio and w where a function of the frequency is 0.
    const double ratio = 1.0005;
    const auto zero = [&](double w, const auto& f) {
      double low = w / ratio, high = w;
      for (int halving = 0; halving < 50; ++halving) {
        const double middle = (low + high) / 2;
        ((f(low) > 0) == (f(middle) > 0) ? low : high) = middle;
      }
      return low;
    };
    const auto gain = [&](double w) { return std::abs(loop.open({0, w})) - 1; };
    const auto closed = [&](double w) { return std::abs(loop.closed({0, w})) - std::sqrt(0.5); };
    double margin = NAN, crossover = NAN, bandwidth = NAN;
    for (double w = 1e-4 * ratio; w < 1e5; w *= ratio) {
      if ((gain(w / ratio) > 0) != (gain(w) > 0)) {
        const double there = zero(w, gain), angle = std::arg(loop.open({0, there}));
        const double here = std::remainder(angle + std::numbers::pi, 2 * std::numbers::pi);
        if (!(std::abs(here) >= std::abs(margin))) margin = here, crossover = there;
      }
      if (std::isnan(bandwidth) && closed(w / ratio) > 0 && closed(w) <= 0)
        bandwidth = zero(w, closed);
    }
    EXPECT_NEAR(of.crossover, crossover, 1e-9 * crossover);
    EXPECT_NEAR(of.phase_margin, margin, 1e-8);
    EXPECT_NEAR(of.bandwidth, bandwidth, 1e-9 * bandwidth);
  }
}

// Scales all gains. The stability changes exactly at the gain margin.
TEST(JointLoop, GainMarginIsTheLimitOfStability) {
  Random random(4);
  int limited = 0;
  for (int k = 0; k < 300; ++k) {
    const JointLoop loop = random_loop(random, k);
    const LoopAnalysis of = analyse(loop);
    const auto unstable = [&](double factor) {
      const double d = factor * loop.kd + loop.viscous;
      return loop.ki == 0 ? rightmost({loop.inertia, d, factor * loop.kp}) > 0
                          : rightmost({loop.inertia, d, factor * loop.kp, factor * loop.ki}) > 0;
    };
    if (std::isnan(of.gain_margin)) {
      for (const double factor : {1e-3, 1.0, 1e3}) EXPECT_FALSE(unstable(factor));
      continue;
    }
    ++limited;
    EXPECT_TRUE(unstable(0.999 * of.gain_margin));
    EXPECT_FALSE(unstable(1.001 * of.gain_margin));
    EXPECT_EQ(of.stability == Stability::stable, of.gain_margin < 1);
    EXPECT_NEAR(std::abs(std::arg(of.gain_margin * loop.open({0, of.gain_frequency}))),
                std::numbers::pi, 1e-9);
  }
  EXPECT_GT(limited, 50);
}

TEST(JointLoop, StabilityIsThatOfThePoles) {
  Random random(5);
  int counts[3] = {};
  for (int k = 0; k < 2000; ++k) {
    JointLoop loop = random_loop(random, k);
    for (double* gain : {&loop.kp, &loop.kd, &loop.ki})
      if (random.uniform(0, 1) < 0.2) *gain = random.uniform(0, 1) < 0.5 ? 0 : -*gain;
    const LoopAnalysis of = analyse(loop);
    ++counts[int(of.stability)];
    const double right = of.poles.front().real(), size = std::abs(of.poles.back());
    switch (of.stability) {
      case Stability::stable:
        EXPECT_LT(right, 0);
        break;
      case Stability::unstable:
        EXPECT_GT(right, 0);
        break;
      case Stability::marginal:
        EXPECT_NEAR(right, 0, 1e-6 * size);
    }
  }
  for (const int count : counts) EXPECT_GT(count, 50);
  // Without gains, the joint keeps its position: a pole at 0.
  EXPECT_EQ(analyse({1, 0.5, 0, 0, 0}).stability, Stability::marginal);
  EXPECT_EQ(analyse({1, 0, 4, 0, 0}).stability, Stability::marginal) << "oscillates for ever";
  EXPECT_EQ(analyse({1, 0, 4, 2, 8}).stability, Stability::marginal) << "K_d K_p = a K_i";
  EXPECT_EQ(analyse({1, 0, 4, 2, 8.001}).stability, Stability::unstable);
  EXPECT_EQ(analyse({1, 0, 4, 2, 7.999}).stability, Stability::stable);
}

// Integrates the joint under the law with small steps of the classical Runge-Kutta method.
TEST(JointLoop, StepResponseIsThatOfTheDifferentialEquation) {
  for (const JointLoop& loop :
       {JointLoop{2, 0.5, 40, 12, 30}, JointLoop{1, 0, 9, 6, 0}, JointLoop{1, 0, 4, 0.5, 6}}) {
    const auto rate = [&](const std::array<double, 3>& x) -> std::array<double, 3> {
      const double e = 1 - x[0], tau = loop.kp * e - loop.kd * x[1] + loop.ki * x[2];
      return {x[1], (tau - loop.viscous * x[1]) / loop.inertia, e};
    };
    const double h = 1e-3;
    const std::vector<double> q = step_response(loop, h, 3000);
    std::array<double, 3> x{};
    for (const double now : q) {
      ASSERT_NEAR(now, x[0], 1e-9 * (1 + std::abs(x[0])));
      std::array<double, 3> k[4], at = x;
      for (int stage = 0; stage < 4; ++stage) {
        k[stage] = rate(at);
        for (int c = 0; c < 3; ++c) at[c] = x[c] + (stage < 2 ? h / 2 : h) * k[stage][c];
      }
      for (int c = 0; c < 3; ++c) x[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
  }
}

// Equations: KHALIL 9.8.
TEST(JointLoop, GainMarginNamesItsSide) {
  // a (F_v - k) k K_p > a k K_i, hence k < 1.9
  const LoopAnalysis below = analyse({1, 2, 10, -1, 1});
  EXPECT_NEAR(below.gain_margin, 1.9, 1e-12);
  EXPECT_FALSE(below.stable_above_margin);
  EXPECT_EQ(below.stability, Stability::stable);
  EXPECT_EQ(analyse({1, 2, 18.9, -1.89, 1.89}).stability, Stability::stable);
  EXPECT_EQ(analyse({1, 2, 19.1, -1.91, 1.91}).stability, Stability::unstable);
  EXPECT_TRUE(analyse({1, 0, 4, 2, 6}).stable_above_margin);
  // Unstable with every factor: a real pole is positive.
  EXPECT_TRUE(std::isnan(analyse({1, 0.1, 40, -1, -3.9}).gain_margin));
}

// Measures the response at small steps of the classical Runge-Kutta method.
StepResponse integrated(const JointLoop& loop, double h, double until) {
  const auto rate = [&](const std::array<double, 3>& x) -> std::array<double, 3> {
    const double e = 1 - x[0], tau = loop.kp * e - loop.kd * x[1] + loop.ki * x[2];
    return {x[1], (tau - loop.viscous * x[1]) / loop.inertia, e};
  };
  std::array<double, 3> x{};
  StepResponse out{0, 0};
  for (double t = 0; t < until; t += h) {
    std::array<double, 3> k[4], at = x;
    for (int stage = 0; stage < 4; ++stage) {
      k[stage] = rate(at);
      for (int c = 0; c < 3; ++c) at[c] = x[c] + (stage < 2 ? h / 2 : h) * k[stage][c];
    }
    for (int c = 0; c < 3; ++c) x[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    out.overshoot = std::max(out.overshoot, x[0] - 1);
    if (std::abs(x[0] - 1) > 0.02) out.settling = t + h;
  }
  return out;
}

TEST(JointLoop, StepOfPolesThatDifferWidelyIsMeasured) {
  const JointLoop stiff{1, 0, 1e6, 100, 1e4};  // poles at -50 +- 999 j and -0.01
  const JointLoop loops[] = {stiff, {2, 0.5, 40, 12, 30}, {1, 0, 400, 1, 300}};
  for (const JointLoop& loop : loops) {
    const double h = loop.kp == 1e6 ? 1e-5 : 1e-4;
    const StepResponse now = measure_step(loop, analyse(loop)),
                       expected = integrated(loop, h, 100'000 * h * (loop.kp == 1e6 ? 1 : 4));
    EXPECT_NEAR(now.overshoot, expected.overshoot, 1e-4 * (1 + expected.overshoot));
    EXPECT_NEAR(now.settling, expected.settling, 1e-3 * expected.settling);
  }
  EXPECT_NEAR(measure_step(stiff, analyse(stiff)).overshoot, 0.85, 0.01);
  // Poles at -0.01 +- 100 j: half a period after the step, 1 + exp(-pi / 10^4). Its envelope
  // reaches 2 % after ln(50) / 0.01 s.
  const JointLoop ringing{1, 0, 1e4, 0.02, 0};
  const StepResponse rung = measure_step(ringing, analyse(ringing));
  EXPECT_NEAR(rung.overshoot, std::exp(-std::numbers::pi * 1e-4), 1e-8);
  EXPECT_NEAR(rung.settling, std::log(50) / 0.01, 1);
}

// The response has no singularity where poles become equal.
TEST(JointLoop, StepOfNearlyEqualPolesIsContinuous) {
  const JointLoop triple = JointLoop::with_pole(2, 0, 3, 3),
                  twice = JointLoop::with_pole(2, 0, 3, 2);
  for (const JointLoop& loop : {triple, twice})
    for (const double change : {1e-14, 1e-11, 1e-8, 1e-5}) {
      JointLoop near = loop;
      near.kp *= 1 + change;
      const std::vector<double> a = step_response(loop, 0.1, 100),
                                b = step_response(near, 0.1, 100);
      for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 3 * change + 1e-12) << k;
    }
}

TEST(JointLoop, ErrorsNameTheCause) {
  const auto error = [](const auto& call) {
    try {
      call();
    } catch (const Error& thrown) {
      return std::string(thrown.what());
    }
    return std::string();
  };
  EXPECT_THAT(error([] { analyse({0, 0, 1, 1, 1}); }), HasSubstr("must be positive"));
  EXPECT_THAT(error([] { analyse({NAN, 0, 1, 1, 1}); }), HasSubstr("must be positive"));
  EXPECT_THAT(error([] { analyse({1, 0, INFINITY, 1, 1}); }), HasSubstr("not a finite number"));
  for (const JointLoop& loop :
       {JointLoop{1e-300, 0, 1e300, 1e300, 1e300}, JointLoop{1, 0, 1, 1e60, 1}})
    EXPECT_THAT(error([&] { analyse(loop); }), HasSubstr("their ratio must be below 1e+50"));
  EXPECT_THAT(error([] { JointLoop::with_pole(1, 0, 0, 3); }), HasSubstr("give a positive number"));
  EXPECT_THAT(error([] { JointLoop::with_pole(1, 10, 2, 3); }), HasSubstr("choose a faster pole"));
}

}  // namespace
}  // namespace torsor::test
