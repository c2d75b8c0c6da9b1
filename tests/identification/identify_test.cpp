// Tests of identification. Exact torques must give the exact parameters. Noisy torques must give
// intervals that contain the true values as often as stated. Also tests the check of physical
// consistency, and incomplete recordings.

#include "torsor/identification/identify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identification/measured_motion.hpp"
#include "support/error_of.hpp"
#include "support/known_robots.hpp"
#include "torsor/identification/physical.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

constexpr double viscous = 0.8, coulomb = 1.5;

// Returns Khalil's RX-90 with rotors, and with friction in every joint.
std::shared_ptr<const Model> rubbing_rx90() {
  RobotDescription robot = rx90(stored_table("rx90.json"), RxParameters::standard);
  for (LinkDescription& link : robot.links) {
    link.joint.drives.resize(1);
    link.joint.drives[0].friction = {.law = Friction::Law::coulomb,
                                     .viscous = viscous,
                                     .coulomb = coulomb,
                                     .breakaway = coulomb};
  }
  return build(robot);
}

Vector friction(const Vector& v) {
  return viscous * v + coulomb * v.cwiseSign();
}

// Returns a motion of a 6R arm: the sum of two sines in each of the first `moving` joints. The
// torques include friction.
MeasuredMotion waves(const Model& model, int samples, int moving = 6) {
  MeasuredMotion motion;
  for (int k = 0; k < samples; ++k) {
    const double t = 4.0 * k / samples;
    std::vector<double> q(6, 0.3), v(6, 0.0), vdot(6, 0.0);
    for (int i = 0; i < moving; ++i)
      for (int wave = 0; wave < 2; ++wave) {
        const double w = M_PI / 2 * (1 + wave * 2 + i % 3), a = (1.2 - 0.1 * i) / (1 + wave),
                     phase = 0.7 * i + wave;
        q[size_t(i)] += a * std::sin(w * t + phase);
        v[size_t(i)] += a * w * std::cos(w * t + phase);
        vdot[size_t(i)] -= a * w * w * std::sin(w * t + phase);
      }
    add_sample(model, motion, q, v, vdot, friction);
  }
  return motion;
}

TEST(Identification, RecoversTheParametersFromExactTorques) {
  const auto model = rubbing_rx90();
  const Identification found = identify(model, down, {}, waves(*model, 200));
  ASSERT_EQ(found.base.rank(), 40u + 12);
  EXPECT_EQ(found.equations, 1200);
  double norm = 0;
  for (const double value : found.base.values) norm = std::max(norm, std::abs(value));
  for (size_t i = 0; i < found.base.rank(); ++i)
    EXPECT_NEAR(found.estimate[i], found.base.values[i], 1e-12 * norm) << found.base.names[i];
  EXPECT_LT(found.condition, 500);
  EXPECT_TRUE(fit_physical(found).within_intervals());
}

// Checks exact torques of trees with every joint kind.
TEST(Identification, SupportsAnyTree) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(5, Shape::tree, seed, Kinds::every));
    MeasuredMotion motion;
    for (int k = 0; k < 120; ++k)
      add_sample(*model, motion, random_position(random, *model, 2),
                 random_values(random, model->n_v, 3), random_values(random, model->n_v, 10));
    const Identification found = identify(model, down, {}, motion);
    double norm = 0;
    for (const double value : found.base.values) norm = std::max(norm, std::abs(value));
    for (size_t i = 0; i < found.base.rank(); ++i)
      EXPECT_NEAR(found.estimate[i], found.base.values[i], 1e-9 * norm) << found.base.names[i];
  }
}

// Checks confidence intervals in 200 runs, with noise of standard deviation 0.1 (j + 1) at joint j.
// A 95% interval contains the true value 190 times on average. By the binomial distribution, fewer
// than 175 times have a probability of 9e-6. Over all parameters, the fraction must be 0.95 within
// 0.01.
TEST(Identification, IntervalsContainTheTrueValuesAsOftenAsStated) {
  const auto model = rubbing_rx90();
  const MeasuredMotion exact = waves(*model, 150);
  std::vector<int> inside(52, 0);
  double all = 0, residual[6] = {};
  constexpr int n_runs = 200;
  for (int run = 0; run < n_runs; ++run) {
    MeasuredMotion noisy = exact;
    Random random(uint64_t(1000 + run));
    for (size_t k = 0; k < noisy.tau.size(); ++k)
      noisy.tau[k] += 0.1 * double(k % 6 + 1) * normal(random);
    const Identification found = identify(model, down, {}, noisy);
    for (size_t i = 0; i < 52; ++i) {
      const bool holds = std::abs(found.estimate[i] - found.base.values[i]) <= found.half_width[i];
      inside[i] += holds;
      all += holds;
    }
    for (size_t j = 0; j < 6; ++j) residual[j] += found.joints[j].residual / n_runs;
  }
  for (size_t i = 0; i < 52; ++i)
    EXPECT_THAT(inside[i], testing::AllOf(testing::Ge(175), testing::Le(200))) << i;
  EXPECT_NEAR(all / (52 * n_runs), 0.95, 0.01);
  for (size_t j = 0; j < 6; ++j)
    EXPECT_NEAR(residual[j], 0.1 * double(j + 1), 0.01 * double(j + 1));
}

// Checks intervals for joints with dry friction that are at rest for some time, with noisy rates.
// At rest, friction may be any torque up to its maximum. Near rest, noise changes the sign of the
// rate. Without the dead band, less than 85% of the intervals contain the true value.
TEST(Identification, IntervalsAreCorrectForNoisyRatesAndStiction) {
  const auto model = rubbing_rx90();
  MeasuredMotion exact = waves(*model, 300);
  std::vector<double> time;
  Random at_rest(5);
  // Adds a rest, in which each joint has a random static friction.
  for (int k = 0; k < 100; ++k) {
    std::vector<double> q(6, 0.2), v(6, 0.0), vdot(6, 0.0);
    add_sample(*model, exact, q, v, vdot, [&](const Vector& rate) {
      Vector hold = rate;
      for (double& torque : hold) torque = at_rest.uniform(-coulomb, coulomb);
      return hold;
    });
  }
  const size_t samples = exact.v.size() / 6;
  for (size_t k = 0; k < samples; ++k) time.push_back(0.01 * double(k));
  for (const double rate_deviation : {0.005, 0.02}) {
    constexpr int n_runs = 60;
    double inside = 0, inside_without = 0;
    for (int run = 0; run < n_runs; ++run) {
      MeasuredMotion noisy = exact;
      Random random(uint64_t(5000 + run));
      for (size_t k = 0; k < noisy.tau.size(); ++k)
        noisy.tau[k] += 0.1 * double(k % 6 + 1) * normal(random);
      for (double& v : noisy.v) v += rate_deviation * normal(random);
      const std::vector<double> noise = rate_noise(time, noisy.v, 6);
      for (const double sigma : noise) EXPECT_NEAR(sigma, rate_deviation, 0.5 * rate_deviation);
      const auto count = [&](std::span<const double> dead_band) {
        const Identification found = identify(model, down, {}, noisy, {}, dead_band);
        double in = 0;
        for (size_t i = 0; i < 52; ++i)
          in += std::abs(found.estimate[i] - found.base.values[i]) <= found.half_width[i];
        return in / (52 * n_runs);
      };
      inside += count(dead_band_of(noise));
      inside_without += count({});
    }
    EXPECT_NEAR(inside, 0.95, 0.02) << rate_deviation;
    EXPECT_LT(inside_without, 0.85) << rate_deviation;
  }
}

TEST(Identification, NoiseOfRatesIsEstimatedFromTheirDifferences) {
  Random random(7);
  std::vector<double> time, v;
  for (int k = 0; k < 2000; ++k) {
    time.push_back(0.001 * k);
    v.push_back(2 * std::sin(3 * time.back()));                     // without noise
    v.push_back((k % 500 < 250 ? 1 : -1) + 0.03 * normal(random));  // with noise and jumps
  }
  const std::vector<double> noise = rate_noise(time, v, 2);
  EXPECT_LT(noise[0], 1e-9);
  EXPECT_NEAR(noise[1], 0.03, 0.003);
  time.assign(time.size(), 0);  // without times, no noise is estimated
  EXPECT_EQ(rate_noise(time, v, 2), (std::vector<double>{0, 0}));
}

TEST(Identification, UsesStudentsDistribution) {
  EXPECT_NEAR(student_95(10), 2.2281388520, 1e-5);
  EXPECT_NEAR(student_95(20), 2.0859634473, 1e-6);
  EXPECT_NEAR(student_95(100), 1.9839715185, 1e-8);
  EXPECT_NEAR(student_95(1e9), 1.9599639845, 1e-8);
}

TEST(PhysicalFit, FindsARobotOrNamesAnImpossibleParameter) {
  const auto model = rubbing_rx90();
  Identification found = identify(model, down, {}, waves(*model, 200));
  const std::vector<double> own = found.estimate;
  found.estimate[0] += 3;  // a larger first parameter, which is physical
  const PhysicalFit heavier = fit_physical(found);
  EXPECT_TRUE(heavier.within_intervals());
  const Eigen::Map<const Vector> pi(heavier.standard.data(), Eigen::Index(heavier.standard.size())),
      other(found.estimate.data(), Eigen::Index(found.estimate.size()));
  EXPECT_TRUE(close(found.base.grouping.B * pi, other, 1, 1e-4));
  for (const char* name : {"link6.ZZ", "joint4.Ia", "joint2.Fc"}) {
    found.estimate = own;
    found.estimate[size_t(std::ranges::find(found.base.names, name) - found.base.names.begin())] =
        -0.5;
    const PhysicalFit fit = fit_physical(found);
    EXPECT_GT(fit.farthest, 100) << name;
    EXPECT_EQ(found.base.names[size_t(fit.of)], name);
  }
}

TEST(Identification, NamesParametersThatTheMotionDoesNotDetermine) {
  const auto model = rubbing_rx90();
  EXPECT_EQ(error_of([&] { identify(model, down, {}, waves(*model, 10)); }),
            "10 samples give 60 equations for 52 parameters; at least 62 are needed; record a "
            "longer motion");
  // The last joint is at rest, so its friction and the parameters about its axis are not
  // determined.
  const std::string standing = error_of([&] { identify(model, down, {}, waves(*model, 200, 5)); });
  EXPECT_THAT(standing, HasSubstr("the motion does not determine "));
  EXPECT_THAT(standing, testing::AllOf(HasSubstr("joint6.Fv"), HasSubstr("joint6.Fc"),
                                       HasSubstr("joint6.Ia")));
  EXPECT_THAT(standing, Not(HasSubstr("joint1.Fv")));
}

// Checks that an equation is left out if its joint is at rest, because static friction is unknown
// there. Also checks that all equations of a joint are left out if its torque was not measured.
TEST(Identification, LeavesOutInvalidEquations) {
  const auto model = rubbing_rx90();
  MeasuredMotion motion = waves(*model, 200);
  std::vector<double> q(6, 0.1), v(6, 1.0), vdot(6, 2.0);
  v[3] = 0;
  add_sample(*model, motion, q, v, vdot, friction);
  motion.tau[200 * 6 + 3] = 1e6;
  const Identification found = identify(model, down, {}, motion);
  EXPECT_EQ(found.at_rest, 1);
  EXPECT_EQ(found.joints[3].equations, 200);
  EXPECT_NEAR(found.estimate[0], found.base.values[0], 1e-10);
  for (size_t k = 0; k < motion.tau.size(); k += 6) motion.tau[k] = 1e6;
  const int unmeasured[] = {0};
  EXPECT_THAT(error_of([&] { identify(model, down, {}, motion, unmeasured); }),
              HasSubstr("link1.ZZR"));
}

TEST(Identification, RejectsSprings) {
  RobotDescription robot = rx90(stored_table("rx90.json"), RxParameters::standard);
  robot.links[2].joint.drives.resize(1);
  robot.links[2].joint.drives[0].spring = {.stiffness = 3};
  EXPECT_THAT(error_of([&] { identify(build(robot), down, {}, {}); }),
              HasSubstr("joint 'joint3' has a spring"));
  robot.links[2].joint.drives[0].spring = {};
  robot.links[2].joint.drives[0].elasticity = Elasticity{1e4};
  robot.links[2].joint.drives[0].motor.rotor_inertia = 0.01;
  robot.links[2].joint.armature = 0;
  EXPECT_THAT(error_of([&] { identify(build(robot), down, {}, {}); }),
              HasSubstr("joint 'joint3' is elastic"));
  robot.links[2].joint = JointDescription{};
  robot.links[2].joint.name = "ball";
  robot.links[2].joint.kind = JointKind::spherical;
  robot.links[2].joint.spring = PoseSpring{.angular = 3};
  EXPECT_THAT(error_of([&] { identify(build(robot), down, {}, {}); }),
              HasSubstr("joint 'ball' has a spring"));
  robot.links[2].joint.spring->angular = 0;
  EXPECT_NO_THROW(require_no_springs(*build(robot)));
}

}  // namespace
}  // namespace torsor::test
