// Tests of the time law with trapezoidal acceleration: its minimum time under limits, and its
// pieces.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "conformance/trajectories.hpp"
#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

struct SCurveLimits {
  List from, to, speed, acceleration, jerk;
  std::vector<Parameter> parameters() const {
    return {{"from", from},
            {"to", to},
            {"speed", speed},
            {"acceleration", acceleration},
            {"jerk", jerk}};
  }
};
SCurveLimits random_limits_with_jerk(Random& random, int n) {
  SCurveLimits out{random_values(random, n, 3), random_values(random, n, 3), {}, {}, {}};
  for (int j = 0; j < n; ++j) {
    out.speed.push_back(std::exp(random.uniform(-2, 2)));
    out.acceleration.push_back(std::exp(random.uniform(-2, 3)));
    out.jerk.push_back(std::exp(random.uniform(-2, 5)));
  }
  return out;
}

// Returns the minimum duration of a motion of length D from rest to rest, whose speed,
// acceleration and jerk are at most v, a and j: T_j is the time in which the acceleration rises,
// and T_a the time of a ramp (Biagiotti and Melchiorri 2008, 3.21-3.30, for zero velocities at the
// ends).
double double_s(double D, double v, double a, double j) {
  const double T_a = v * j < a * a ? 2 * std::sqrt(v / j) : a / j + v / a;
  if (D / v >= T_a) return D / v + T_a;
  const double T_limited = (a / j + std::sqrt(a * a / (j * j) + 4 * D / a)) / 2;
  return T_limited >= 2 * a / j ? 2 * T_limited : 4 * std::cbrt(D / (2 * j));
}

// Synchronised joints have the duration of one joint whose limits are the smallest ones, relative
// to the distances.
TEST(SCurve, TakesTheMinimumTimeUnderLimits) {
  const std::shared_ptr<const Model> models[] = {plain_chain(1), plain_chain(2), plain_chain(7)};
  int without_speed = 0, without_acceleration = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    const auto& model = models[seed % 3];
    const size_t n = size_t(model->n_v);
    const SCurveLimits limits = random_limits_with_jerk(random, model->n_v);
    const auto trajectory = make("s_curve", model, limits.parameters());
    double v = HUGE_VAL, a = HUGE_VAL, j = HUGE_VAL;
    for (size_t k = 0; k < n; ++k) {
      const double D = std::abs(limits.to[k] - limits.from[k]);
      v = std::min(v, limits.speed[k] / D);
      a = std::min(a, limits.acceleration[k] / D);
      j = std::min(j, limits.jerk[k] / D);
    }
    const double T = trajectory->duration();
    ASSERT_NEAR(T, double_s(1, v, a, j), 1e-13 * T);
    EXPECT_EQ(at(*trajectory, 0).q, limits.from);
    EXPECT_EQ(at(*trajectory, T).q, limits.to);
    double speed = 0, acceleration = 0, jerk = 0;
    std::vector<double> times = trajectory->breaks();
    for (int k = 0; k <= 64; ++k) times.push_back(T * k / 64);
    for (const double t : times) {
      const Reference now = at(*trajectory, std::min(t, T));
      for (size_t k = 0; k < n; ++k) {
        speed = std::max(speed, std::abs(now.v[k]) / limits.speed[k]);
        acceleration = std::max(acceleration, std::abs(now.vdot[k]) / limits.acceleration[k]);
      }
    }
    // A piece of constant jerk: the difference of accelerations at its ends.
    const std::vector<double>& breaks = trajectory->breaks();
    for (size_t i = 0; i + 1 < breaks.size(); ++i) {
      const double dt = std::min(breaks[i + 1], T) - breaks[i];
      if (dt < 1e-6 * T) continue;
      const Reference begin = at(*trajectory, breaks[i] + 0.25 * dt),
                      end = at(*trajectory, breaks[i] + 0.75 * dt);
      for (size_t k = 0; k < n; ++k)
        jerk = std::max(jerk, std::abs(end.vdot[k] - begin.vdot[k]) / (0.5 * dt) / limits.jerk[k]);
    }
    EXPECT_LE(std::max(speed, acceleration), 1 + 1e-12);
    EXPECT_NEAR(jerk, 1, 1e-7);
    without_speed += speed < 0.999;
    without_acceleration += acceleration < 0.999;
  }
  EXPECT_GT(without_speed, 100);  // the cases in which a limit is not reached
  EXPECT_GT(without_acceleration, 100);
}

// Searches speeds V and accelerations A of other profiles with the largest jerk. A profile of
// length 1 takes 1/V + V/A + A/J, if A is reached (A^2/J <= V) and the ramps do not overlap.
TEST(SCurve, NoFasterProfileIsFound) {
  const auto model = plain_chain(1);
  for (int seed = 0; seed < 100; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random{uint64_t(seed)};
    SCurveLimits limits = random_limits_with_jerk(random, 1);
    limits.from = {0};
    limits.to = {1};
    const double v = limits.speed[0], a = limits.acceleration[0], j = limits.jerk[0];
    double least = HUGE_VAL;
    for (int i = 1; i <= 400; ++i)
      for (int k = 1; k <= 400; ++k) {
        const double V = v * i / 400, A = std::min(a * k / 400, std::sqrt(j * V));
        const double ramp = V / A + A / j;
        if (V * ramp <= 1) least = std::min(least, 1 / V + ramp);
      }
    const double T = make("s_curve", model, limits.parameters())->duration();
    EXPECT_LE(T, least * (1 + 1e-12));
    EXPECT_GE(T, least * 0.99);
  }
}

TEST(SCurve, RisesInThePartOfTheRampThatIsGiven) {
  const auto model = plain_chain(1);
  const auto trajectory = make("s_curve", model,
                               {{"from", List{0}},
                                {"to", List{1}},
                                {"duration", List{2}},
                                {"ramp", List{0.4}},
                                {"rise", List{0.25}}});
  const std::vector<double> expected{0, 0.2, 0.6, 0.8, 1.2, 1.4, 1.8, 2};
  ASSERT_EQ(trajectory->breaks().size(), expected.size());
  for (size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(trajectory->breaks()[k], expected[k], 1e-15);
  // The speed is 1 / (2 - 0.8), and the acceleration is constant from 0.2 s to 0.6 s.
  const double V = 1 / 1.2, A = V / (0.8 * 0.75);
  EXPECT_NEAR(at(*trajectory, 1).v[0], V, 1e-15);
  EXPECT_NEAR(at(*trajectory, 0.1).vdot[0], A / 2, 1e-14);
  for (const double t : {0.2, 0.4, 0.6}) EXPECT_NEAR(at(*trajectory, t).vdot[0], A, 1e-14);
  EXPECT_NEAR(at(*trajectory, 1.6).vdot[0], -A, 1e-14);
}

TEST(SCurve, SaysWhichSettingsContradictEachOther) {
  const auto model = plain_chain(1);
  const auto error = [&](std::vector<Parameter> more) {
    std::vector<Parameter> all{{"from", List{0}}, {"to", List{1}}};
    all.insert(all.end(), more.begin(), more.end());
    return error_of([&] { make("s_curve", model, all); });
  };
  EXPECT_THAT(error({{"duration", List{1}}, {"rise", List{0.6}}}),
              testing::HasSubstr("'rise' of 'trajectory.s_curve' must be a list of numbers in [0, "
                                 "0.5]"));
  EXPECT_THAT(
      error(
          {{"speed", List{1}}, {"acceleration", List{1}}, {"jerk", List{1}}, {"rise", List{0.2}}}),
      testing::HasSubstr("the jerk limit determines the rise; remove 'rise' or 'jerk'"));
  EXPECT_THAT(error({{"jerk", List{1}}}),
              testing::HasSubstr("the ramps need limits of both speed and acceleration"));
  EXPECT_THAT(error({{"speed", List{1}}, {"acceleration", List{1}}, {"jerk", List{0}}}),
              testing::HasSubstr("is not positive; give a positive number"));
}

// Limits near the largest and smallest numbers give finite motions or an error.
TEST(SCurve, LimitsOfAnySize) {
  const auto model = plain_chain(1);
  const auto with = [&](double speed, double acceleration, double jerk) {
    return make("s_curve", model,
                {{"from", List{0}},
                 {"to", List{1}},
                 {"speed", List{speed}},
                 {"acceleration", List{acceleration}},
                 {"jerk", List{jerk}}});
  };
  // Without effective limits of speed and acceleration, T = (32 D / J)^(1/3).
  EXPECT_NEAR(with(1e300, 1e300, 1e300)->duration() / std::cbrt(32e-300), 1, 1e-12);
  EXPECT_NEAR(with(1e300, 1e300, 4)->duration(), 2, 1e-12);
  EXPECT_THAT(error_of([&] { with(1, 1e-300, 1e300); }),
              testing::HasSubstr("are too many orders of magnitude apart"));
}

}  // namespace
}  // namespace torsor::test
