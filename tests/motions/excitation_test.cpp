// Tests of exciting motions: limits, rest at the ends, condition numbers, and errors.

#include "torsor/motions/excitation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identification/measured_motion.hpp"
#include "support/error_of.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/identification/measured_positions.hpp"
#include "torsor/identification/physical.hpp"
#include "torsor/identification/prediction.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// Returns the condition number of the equations at N samples by a singular value decomposition.
double condition_of(const std::shared_ptr<const Model>& model, const Excitation& motion, int N) {
  LinearModel linear(model);
  const BaseParameters base = base_parameters(model, down);
  const ExcitationSamples at = sample(*model, motion, N);
  State state(model);
  const Eigen::Index n_v = model->n_v, rank = Eigen::Index(base.rank());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Y(
      n_v, Eigen::Index(linear.parameters().size()));
  const Eigen::MatrixXd G = free_rows(*model);
  Eigen::MatrixXd W(N * G.cols(), rank);
  for (int k = 0; k < N; ++k) {
    state.set_q(std::span(at.q).subspan(size_t(k * model->n_q), size_t(model->n_q)));
    state.v.assign(&at.v[size_t(k * n_v)], &at.v[size_t(k * n_v)] + n_v);
    linear.regressor(state, &at.vdot[size_t(k * n_v)], Y.data());
    for (Eigen::Index i = 0; i < rank; ++i)
      W.block(k * G.cols(), i, G.cols(), 1) =
          G.transpose() * Y.col(base.grouping.independent[size_t(i)]);
  }
  return scaled_condition(qr_triangle(W));
}

RobotDescription limited_iiwa() {
  RobotDescription robot = iiwa(stored_table("iiwa_second_order.json"));
  for (LinkDescription& link : robot.links) {
    link.joint.lower = -2;
    link.joint.upper = 1.8;
    link.joint.velocity_limit = 1.5;
  }
  return robot;
}

TEST(Excitation, IsBetterThanRandomMotionsAndWithinItsLimits) {
  const auto model = build(limited_iiwa());
  const Excitation found =
      find_excitation(model, down, {}, {.velocity = {}, .acceleration = 4, .evaluations = 2000});
  EXPECT_LT(found.condition, 0.5 * found.random_condition);
  EXPECT_NEAR(condition_of(model, found, 200), found.condition, 1e-6 * found.condition);
  const ExcitationSamples at = sample(*model, found, 5000);
  double peak[3] = {};
  for (size_t k = 0; k < at.q.size(); ++k) {
    EXPECT_GE(at.q[k], -2 - 1e-9);
    EXPECT_LE(at.q[k], 1.8 + 1e-9);
    peak[1] = std::max(peak[1], std::abs(at.v[k]));
    peak[2] = std::max(peak[2], std::abs(at.vdot[k]));
  }
  EXPECT_LE(peak[1], 1.5 * (1 + 1e-9));
  EXPECT_LE(peak[2], 4 * (1 + 1e-9));
  EXPECT_GT(std::max(peak[1] / 1.5, peak[2] / 4), 0.9);
  for (size_t c = 0; c < 7; ++c) {
    EXPECT_NEAR(at.v[c], 0, 1e-12);
    EXPECT_NEAR(at.vdot[c], 0, 1e-12);
  }
  // v and vdot are the derivatives of q.
  const double h = 1 / found.frequency / 5000;
  for (size_t c = 0; c < 7; ++c)
    EXPECT_NEAR((at.q[7 * 101 + c] - at.q[7 * 99 + c]) / (2 * h), at.v[7 * 100 + c], 1e-5);

  const Excitation again =
      find_excitation(model, down, {}, {.velocity = {}, .acceleration = 4, .evaluations = 2000});
  EXPECT_EQ(found.sine, again.sine);
}

// An iiwa with rotors and friction follows an optimal motion for 30 s. Its positions have 12 bits
// per turn at 1 kHz, its torques noise of 1 %, and no rates are measured. The parameters predict
// the torques of another motion with errors below 1.5 times the noise. Ordinary least squares with
// the raw differences of the same data do not.
TEST(Excitation, IdentifiesAnArmFromItsEncoders) {
  const double armature[] = {0.4, 0.4, 0.3, 0.3, 0.1, 0.05, 0.03},
               viscous[] = {5, 5, 3, 3, 1, 0.6, 0.4}, coulomb[] = {3, 3, 2, 2, 1, 0.5, 0.3};
  RobotDescription robot = limited_iiwa();
  for (size_t j = 0; j < 7; ++j) {
    JointDescription& joint = robot.links[j].joint;
    joint.armature = armature[j];
    joint.drives.resize(1);
    joint.drives[0].friction = {.law = Friction::Law::coulomb,
                                .viscous = viscous[j],
                                .coulomb = coulomb[j],
                                .breakaway = coulomb[j]};
  }
  const auto model = build(robot);
  const auto friction = [&](const Vector& v) {
    Vector out(7);
    for (Eigen::Index j = 0; j < 7; ++j)
      out(j) = viscous[j] * v(j) + coulomb[j] * double((v(j) > 0) - (v(j) < 0));
    return out;
  };
  const Excitation found =
      find_excitation(model, down, {}, {.velocity = {}, .acceleration = 5, .evaluations = 1000});
  const ExcitationSamples at = sample(*model, found, 10000);
  MeasuredMotion noisy;
  std::vector<double> time;
  for (size_t k = 0; k < 30000; ++k) {
    const auto row = [&](const std::vector<double>& of) {
      const auto first = of.begin() + std::ptrdiff_t(k % 10000 * 7);
      return std::vector<double>(first, first + 7);
    };
    add_sample(*model, noisy, row(at.q), row(at.v), row(at.vdot), friction);
    time.push_back(double(k) / 1000);
  }
  add_noise(*model, noisy, 12, 0.01, 5);
  MeasuredMotion unseen = random_harmonics(*model, 77, 100, 1000, 0.12, 0.4, friction).motion;
  const std::vector<double> sigma = add_noise(*model, unseen, 52, 0.01, 6);

  const FilteredMotion filtered = filter_positions(*model, time, noisy.q, noisy.tau);
  const Identification weighted =
      identify(model, down, {}, filtered.motion, {}, dead_band_of(filtered.rate_noise),
               {.decimation = filtered.decimation});
  const PhysicalFit physical = fit_physical(weighted);
  MeasuredMotion raw;  // every tenth sample
  for (size_t k = 3; k + 3 < time.size(); k += 10) {
    const Rates rates = central_differences(*model, noisy.q, k, 1e-3);
    const auto append = [](std::vector<double>& to, std::span<const double> x) {
      to.insert(to.end(), x.begin(), x.end());
    };
    append(raw.q, std::span(noisy.q).subspan(7 * k, 7));
    append(raw.v, rates.v);
    append(raw.vdot, rates.vdot);
    append(raw.tau, std::span(noisy.tau).subspan(7 * k, 7));
  }
  const Identification ordinary = identify(model, down, {}, raw, {}, {}, {.equal_weights = true});
  const auto errors = [&](const std::vector<double>& parameters) {
    return predict(model, down, {}, weighted.base, parameters, unseen);
  };
  const Prediction good = errors(weighted.estimate), possible = errors(physical.base),
                   bad = errors(ordinary.estimate);
  double worst = 0;
  for (size_t j = 0; j < 7; ++j) {
    EXPECT_LT(good.joints[j].error, 1.5 * sigma[j]) << good.joints[j].name;
    EXPECT_LT(possible.joints[j].error, 1.5 * sigma[j]) << good.joints[j].name;
    worst = std::max(worst, bad.joints[j].error / sigma[j]);
  }
  EXPECT_GT(worst, 3);
  EXPECT_LT(physical.distance, 2);
}

TEST(Excitation, SupportsTreesWithEveryJointKind) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    TORSOR_TRACE_SEED(seed);
    RobotDescription robot =
        random_robot(4, Shape::tree, seed,
                     {JointKind::revolute, JointKind::prismatic, JointKind::helical,
                      JointKind::cylindrical, JointKind::planar, JointKind::spherical});
    // Motors also for joints that connect the robot to the world.
    for (LinkDescription& link : robot.links)
      link.joint.drives.assign(size_t(traits(link.joint.kind).n_v), Drive{});
    const auto model = build(robot);
    const Excitation found = find_excitation(
        model, down, {}, {.range = 1, .velocity = {}, .acceleration = {}, .evaluations = 300});
    EXPECT_LE(found.condition, found.random_condition);
    EXPECT_NEAR(condition_of(model, found, 200), found.condition, 1e-5 * found.condition);
  }
}

TEST(Excitation, ObservesLimitsOfEffort) {
  RobotDescription robot = limited_iiwa();
  for (LinkDescription& link : robot.links) link.joint.effort_limit = 100;
  const Excitation found = find_excitation(build(robot), down, {},
                                           {.velocity = {}, .acceleration = 4, .evaluations = 500});
  EXPECT_GT(found.torque_use, 0);
  EXPECT_LE(found.torque_use, 1);
  // Joint 2 carries the arm.
  robot.links[1].joint.effort_limit = 0.5;
  EXPECT_THAT(error_of([&] {
                find_excitation(build(robot), down, {},
                                {.velocity = {}, .acceleration = 4, .evaluations = 100});
              }),
              HasSubstr("no motion was found within the limits of effort: 'joint2' needs "));
}

// The second joint moves at three times the rate of the first.
TEST(Excitation, ObservesLimitsOfJointsThatMimicOthers) {
  RobotDescription robot = iiwa(stored_table("iiwa_second_order.json"));
  robot.links[1].joint.mimic = Mimic{robot.links[0].joint.name, -3};
  const auto model = build(robot);
  const Excitation found = find_excitation(
      model, down, {}, {.range = 2, .velocity = 1.5, .acceleration = 4, .evaluations = 100});
  const ExcitationSamples at = sample(*model, found, 2000);
  const auto size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  EXPECT_LE(std::abs(std::ranges::max(at.v, size)), 1.5 * (1 + 1e-9));
  EXPECT_LE(std::abs(std::ranges::max(at.vdot, size)), 4 * (1 + 1e-9));
}

TEST(Excitation, RejectsRobotsWithoutMotion) {
  RobotDescription robot = limited_iiwa();
  robot.links[3].joint.lower = robot.links[3].joint.upper = 0.5;
  EXPECT_EQ(error_of([&] { find_excitation(build(robot), down, {}, {}); }),
            "the limits of 'joint4' leave no motion");
  EXPECT_THAT(error_of([&] {
                find_excitation(build(limited_iiwa()), down, {},
                                {.velocity = 0.0, .acceleration = {}});
              }),
              HasSubstr("leave no motion"));
  robot = iiwa(stored_table("iiwa_second_order.json"));
  for (const ExcitationRequest& request :
       {ExcitationRequest{.frequency = 1e300, .velocity = {}, .acceleration = {}},
        ExcitationRequest{.range = 1e300, .velocity = {}, .acceleration = {}}})
    EXPECT_THAT(error_of([&] { find_excitation(build(robot), down, {}, request); }),
                HasSubstr("whose torques are finite numbers; lower the frequency"));
  robot = limited_iiwa();
  robot.links[2].joint.drives.resize(1);
  robot.links[2].joint.drives[0].passive = true;
  EXPECT_EQ(
      error_of([&] { find_excitation(build(robot), down, {}, {}); }),
      "joint 'joint3' has no motor that could excite it; fix it in the model, or add a motor");
}

}  // namespace
}  // namespace torsor::test
