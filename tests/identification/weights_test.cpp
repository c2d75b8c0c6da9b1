// Tests of the weights of least squares, of physical parameters, of the energy model and of drive
// gains.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identification/measured_motion.hpp"
#include "support/error_of.hpp"
#include "torsor/identification/drive_gains.hpp"
#include "torsor/identification/energy_model.hpp"
#include "torsor/identification/physical.hpp"
#include "torsor/model/inertia.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;
using DenseMatrix = Eigen::MatrixXd;

double largest(const std::vector<double>& values) {
  double norm = 0;
  for (const double value : values) norm = std::max(norm, std::abs(value));
  return norm;
}

// Torques with noise of known, very different variances. The estimates, whose weights come from
// residuals, must be those of the normal equations with the known variances, up to a small part of
// their standard deviations.
TEST(WeightedLeastSquares, AgreeWithKnownVariances) {
  const auto model = iiwa_model();
  auto [motion, time] = random_harmonics(*model, 3, 50, 1500, 0.1, 0.5);
  const size_t samples = time.size();
  const auto sigma = [](size_t j) { return 0.01 * std::pow(3.0, double(j)); };
  Random random(4);
  for (size_t k = 0; k < motion.tau.size(); ++k) motion.tau[k] += sigma(k % 7) * normal(random);
  const Identification weighted = identify(model, down, {}, motion);
  const Identification equal = identify(model, down, {}, motion, {}, {}, {.equal_weights = true});
  LinearModel linear(model);
  State state(model);
  const Eigen::Index rank = Eigen::Index(weighted.base.rank());
  DenseMatrix normal_matrix = DenseMatrix::Zero(rank, rank);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(rank);
  Matrix Y(7, Eigen::Index(linear.parameters().size()));
  for (size_t k = 0; k < samples; ++k) {
    state.set_q(std::span(motion.q).subspan(7 * k, 7));
    state.v.assign(&motion.v[7 * k], &motion.v[7 * k] + 7);
    linear.regressor(state, &motion.vdot[7 * k], Y.data());
    for (size_t j = 0; j < 7; ++j) {
      Eigen::VectorXd row(rank);
      for (Eigen::Index i = 0; i < rank; ++i)
        row(i) = Y(Eigen::Index(j), weighted.base.grouping.independent[size_t(i)]);
      row /= sigma(j);
      normal_matrix += row * row.transpose();
      right += row * (motion.tau[7 * k + j] / sigma(j));
    }
  }
  const Eigen::VectorXd known = solve(normal_matrix, right);
  const DenseMatrix covariance = *inverse(normal_matrix);
  double off = 0, off_equal = 0;
  for (Eigen::Index i = 0; i < rank; ++i) {
    const double s = std::sqrt(covariance(i, i));
    off = std::max(off, std::abs(weighted.estimate[size_t(i)] - known(i)) / s);
    off_equal = std::max(off_equal, std::abs(equal.estimate[size_t(i)] - known(i)) / s);
    EXPECT_NEAR(weighted.covariance_root.row(i).norm(), s, 0.05 * s);
  }
  EXPECT_LT(off, 0.1);
  EXPECT_GT(off_equal, 3);
}

void expect_physical(const Model& model, const BaseParameters& base, const PhysicalFit& fit) {
  for (size_t p = 0; p < base.standard.size(); ++p) {
    const DynamicParameter& parameter = base.standard[p];
    if (parameter.link < 0) {
      EXPECT_GT(fit.standard[p], 0) << parameter.name;
      continue;
    }
    if (parameter.entry != 0) continue;
    std::array<double, n_inertial> x;
    std::copy_n(fit.standard.begin() + std::ptrdiff_t(p), n_inertial, x.begin());
    EXPECT_EQ(physical_defect(inertia_of(x)).value_or(""), "")
        << model.links[size_t(parameter.link)].name;
  }
}

// The published inertias of the iiwa violate the triangle inequality. With noise of 10 %, the
// estimates are far from possible. The physical fit is near to them in units of their covariance.
TEST(PhysicalFit, IsPossibleAndNearToTheEstimates) {
  const auto model = iiwa_model();
  auto [motion, time] = random_harmonics(*model, 3, 50, 1500, 0.1, 0.5);
  add_noise(*model, motion, 40, 0.1, 1);
  const Identification found = identify(model, down, {}, motion);
  const PhysicalFit fit = fit_physical(found);
  expect_physical(*model, found.base, fit);
  EXPECT_LT(fit.distance, 1.2);
  // Optimality: no neighbouring possible robot is nearer, for random directions.
  const auto distance = [&](const std::vector<double>& standard) {
    const Eigen::Map<const Eigen::VectorXd> pi(standard.data(), Eigen::Index(standard.size())),
        x(found.estimate.data(), Eigen::Index(found.estimate.size()));
    return found.covariance_root.triangularView<Eigen::Upper>()
        .solve(Eigen::VectorXd(found.base.grouping.B * pi - x))
        .squaredNorm();
  };
  const double least = distance(fit.standard);
  EXPECT_NEAR(std::sqrt(least / double(found.base.rank())), fit.distance, 1e-9);
  // Towards the model's own possible robot, the distance increases: the problem is convex.
  std::vector<double> nominal;
  for (const DynamicParameter& parameter : found.base.standard) nominal.push_back(parameter.value);
  for (const double part : {0.01, 0.1, 0.5}) {
    std::vector<double> moved = fit.standard;
    for (size_t p = 0; p < moved.size(); ++p) moved[p] += part * (nominal[p] - moved[p]);
    EXPECT_GT(distance(moved), least) << part;
  }
}

// Exact torques of trees with possible bodies: the fit keeps the base parameters.
TEST(PhysicalFit, KeepsExactBaseParameters) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(5, Shape::tree, seed, Kinds::every));
    MeasuredMotion motion;
    for (int k = 0; k < 120; ++k)
      add_sample(*model, motion, random_position(random, *model, 2),
                 random_values(random, model->n_v, 3), random_values(random, model->n_v, 10));
    const Identification found = identify(model, down, {}, motion);
    const PhysicalFit fit = fit_physical(found);
    expect_physical(*model, found.base, fit);
    for (size_t i = 0; i < found.base.rank(); ++i)
      EXPECT_NEAR(fit.base[i], found.base.values[i], 1e-5 * largest(found.base.values))
          << found.base.names[i];
  }
}

// The derivative of the energy along a motion is the power of the torques: h(q, v) pi is an
// independent formula, and the regressor of torques is v . Y pi.
TEST(EnergyModel, ChangesByThePowerOfTheTorques) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(5, Shape::tree, seed, Kinds::every));
    const auto [motion, time] = random_harmonics(*model, seed, 1000, 9, 0.3, 0.5);
    const LinearModel linear(model);
    Eigen::VectorXd pi(Eigen::Index(linear.parameters().size()));
    for (size_t p = 0; p < linear.parameters().size(); ++p)
      pi(Eigen::Index(p)) = linear.parameters()[p].value;
    State state(model);
    const size_t n_q = size_t(model->n_q), n_v = size_t(model->n_v);
    const auto energy = [&](size_t k) {
      state.set_q(std::span(motion.q).subspan(n_q * k, n_q));
      state.v.assign(&motion.v[n_v * k], &motion.v[n_v * k] + n_v);
      return energy_row(linear, state).dot(pi);
    };
    double power = 0;
    for (size_t c = 0; c < n_v; ++c) power += motion.v[n_v * 4 + c] * motion.tau[n_v * 4 + c];
    const double slope = (8 * (energy(5) - energy(3)) - (energy(6) - energy(2))) / (12 * 1e-3);
    EXPECT_NEAR(slope, power, 1e-6 * (1 + std::abs(power)));
  }
}

TEST(EnergyModel, FindsTheParametersOfTheTorqueModel) {
  const auto model = iiwa_model();
  const auto [motion, time] = random_harmonics(*model, 3, 500, 10000, 0.1, 0.5);
  MeasuredMotion without = motion;
  without.vdot.clear();
  const Identification torques = identify(model, down, {}, motion),
                       energies = identify_energy(model, down, {}, without, 500);
  ASSERT_EQ(torques.base.names, energies.base.names);
  const double norm = largest(torques.base.values);
  for (size_t i = 0; i < torques.base.rank(); ++i) {
    EXPECT_NEAR(energies.estimate[i], torques.estimate[i], 1e-6 * norm) << torques.base.names[i];
    EXPECT_NEAR(torques.estimate[i], torques.base.values[i], 1e-9 * norm) << torques.base.names[i];
  }
  EXPECT_THAT(error_of([&] { identify_energy(model, down, {}, without, 500, 7); }),
              HasSubstr("an interval of 7 samples has no middle"));
  EXPECT_THAT(error_of([&] { identify_energy(model, down, {}, without, 500, 2000); }),
              HasSubstr("give 4 equations for 43 parameters"));
}

// Signals u = tau / K of two motions, one with a known load on the last link. All gains and
// parameters follow, also from noisy signals.
TEST(DriveGains, FollowFromAKnownLoad) {
  RobotDescription robot = iiwa(stored_table("iiwa_second_order.json"));
  const auto model = build(robot);
  const SpatialInertia<double> load =
      inertia_about_com(5, {0.1, 0.05, 0.2}, {0.02, 0.03, 0.04, 0, 0, 0});
  for (LinkDescription& link : robot.links)
    if (link.name == "link7") link.inertia = link.inertia + load;
  const auto loaded = build(robot);
  const double gains[] = {12, 15, 9, 9, 5, 3, 2};
  for (const double noise : {0.0, 0.01}) {
    std::vector<SignalMotion> motions;
    for (int k = 0; k < 2; ++k) {
      const Model& carrier = k == 0 ? *model : *loaded;
      MeasuredMotion motion = random_harmonics(carrier, uint64_t(3 + k), 50, 1500, 0.1, 0.5).motion;
      if (noise > 0) add_noise(*model, motion, 40, noise, uint64_t(8 + k));
      for (size_t i = 0; i < motion.tau.size(); ++i) motion.tau[i] /= gains[i % 7];
      motions.push_back(
          {motion, k == 0 ? std::nullopt : std::optional(CarriedLoad{"link7", load})});
    }
    const DriveGains found = identify_gains(model, down, {}, motions);
    for (size_t j = 0; j < 7; ++j) {
      const DriveGains::Joint& joint = found.joints[j];
      EXPECT_NEAR(joint.gain, gains[j], noise == 0 ? 1e-8 * gains[j] : 4 * joint.deviation)
          << joint.name;
      EXPECT_LT(joint.deviation, 0.02 * gains[j]) << joint.name;
    }
    const double norm = largest(found.base.values);
    for (size_t i = 0; noise == 0 && i < found.base.rank(); ++i)
      EXPECT_NEAR(found.estimate[i], found.base.values[i], 1e-8 * norm) << found.base.names[i];

    // One motion with one known gain gives the others.
    const DriveGains relative =
        identify_gains(model, down, {}, std::span(motions).first(1), KnownGain{2, gains[2]});
    for (size_t j = 0; j < 7; ++j)
      EXPECT_NEAR(relative.joints[j].gain, gains[j], (noise == 0 ? 1e-8 : 0.02) * gains[j]) << j;
    EXPECT_EQ(relative.joints[2].gain, gains[2]);

    EXPECT_THAT(
        error_of([&] { identify_gains(model, down, {}, std::span(motions).first(1)); }),
        HasSubstr("only up to a common factor; give motions with and without a known load"));
    // A single motion with a load does not tell the load from the robot.
    EXPECT_THAT(error_of([&] { identify_gains(model, down, {}, std::span(motions).last(1)); }),
                HasSubstr("only up to a common factor"));
    motions[1].load->link = "hand";
    EXPECT_THAT(error_of([&] { identify_gains(model, down, {}, motions); }),
                HasSubstr("no moving link is named 'hand'"));
  }
}

}  // namespace
}  // namespace torsor::test
