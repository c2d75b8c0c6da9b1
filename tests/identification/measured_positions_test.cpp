// Tests of the low-pass filter, of central differences, and of identification from noisy positions
// without rates.

#include "torsor/identification/measured_positions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identification/measured_motion.hpp"
#include "support/error_of.hpp"
#include "torsor/identification/prediction.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// The gain of a Butterworth filter of order 4 in both directions, from the bilinear transform:
// 1 / (1 + (tan(pi f / f_s) / tan(pi f_c / f_s))^8).
double closed_form_gain(double f, double cutoff, double rate) {
  return 1 / (1 + std::pow(std::tan(M_PI * f / rate) / std::tan(M_PI * cutoff / rate), 8));
}

// The amplitude and the phase of the output, by projection on the sine and cosine of the middle
// half, which contains whole periods.
TEST(LowPass, HasTheGainOfButterworthAndNoPhase) {
  constexpr double rate = 1000, cutoff = 20;
  const LowPass filter(cutoff, rate);
  for (const double f : {0.0, 2.0, 10.0, 15.0, 20.0, 25.0, 40.0, 80.0, 300.0}) {
    constexpr int n = 4000;
    std::vector<double> x;
    for (int k = 0; k < n; ++k) x.push_back(std::cos(2 * M_PI * f * k / rate + 0.3));
    filter.apply(x);
    double in_phase = 0, quadrature = 0;
    for (int k = n / 4; k < 3 * n / 4; ++k) {
      in_phase += x[size_t(k)] * std::cos(2 * M_PI * f * k / rate + 0.3);
      quadrature += x[size_t(k)] * std::sin(2 * M_PI * f * k / rate + 0.3);
    }
    const double scale = f == 0 ? std::pow(std::cos(0.3), 2) * n / 2 : n / 4;
    EXPECT_NEAR(in_phase / scale, closed_form_gain(f, cutoff, rate), 1e-9) << f;
    if (f > 0) {
      EXPECT_NEAR(quadrature / scale, 0, 1e-9) << f;
    }
  }
  EXPECT_EQ(closed_form_gain(cutoff, cutoff, rate), 0.5);
}

// A line is its own reflection in its end, so the filter does not change it, up to rounding.
TEST(LowPass, KeepsLines) {
  std::vector<double> x;
  for (int k = 0; k < 3000; ++k) x.push_back(3 + 0.01 * k);
  const std::vector<double> line = x;
  LowPass(5, 1000).apply(x);
  for (size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], line[k], 1e-5) << k;
}

TEST(LowPass, RejectsCutoffsBeyondTheRate) {
  EXPECT_EQ(error_of([] { LowPass(60, 100); }),
            "the cut-off of 60 Hz must be above 0 and below 50 Hz, half the rate of the samples");
  for (const double bad : {0.0, -1.0, 50.0, double(NAN)})
    EXPECT_THAT(error_of([&] { LowPass(bad, 100); }), HasSubstr("must be above 0"));
}

// Halving the interval divides the errors of order six by 64, for every kind of joint.
TEST(CentralDifferences, AreOfOrderSixForEveryJointKind) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(6, Shape::tree, seed, Kinds::every));
    double error[2][2] = {};
    for (int halving = 0; halving < 2; ++halving) {
      const double rate = 10 * (1 + halving);
      const auto [motion, time] =
          random_harmonics(*model, seed, rate, 21 * (1 + halving), 0.2, 0.3);
      // The same time, 0.5 s, in both.
      const size_t k = size_t(0.5 * rate), n_v = size_t(model->n_v);
      const Rates rates = central_differences(*model, motion.q, k, 1 / rate);
      for (size_t c = 0; c < n_v; ++c) {
        error[halving][0] += std::pow(rates.v[c] - motion.v[k * n_v + c], 2);
        error[halving][1] += std::pow(rates.vdot[c] - motion.vdot[k * n_v + c], 2);
      }
    }
    for (int of = 0; of < 2; ++of)
      EXPECT_NEAR(std::log2(std::sqrt(error[0][of] / error[1][of])), 6, 0.5) << of;
  }
}

TEST(MeasuredPositions, EstimateNoiseAndBandwidth) {
  const auto model = iiwa_model();
  auto [motion, time] = random_harmonics(*model, 1, 1000, 8000, 0.25, 0.3);
  add_noise(*model, motion, 12, 0, 1);
  const FilteredMotion found = filter_positions(*model, time, motion.q, motion.tau);
  // An error that is uniform over a step has the standard deviation step / sqrt(12).
  const double sigma = 2 * M_PI / 4096 / std::sqrt(12);
  for (const double noise : found.noise) EXPECT_NEAR(noise, sigma, 0.3 * sigma);
  // The highest harmonic is 1.25 Hz.
  EXPECT_GT(found.bandwidth, 1.25);
  EXPECT_LT(found.bandwidth, 4);
  EXPECT_EQ(found.position_filter.cutoff(), 2 * found.bandwidth);
  EXPECT_EQ(found.decimation.filter.cutoff(), 5 * found.bandwidth);
}

// Exact positions and torques, without rates: the parameters are exact up to the effect of the
// filters on the highest harmonics.
TEST(MeasuredPositions, DetermineTheParametersOfTreesWithEveryJointKind) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(4, Shape::tree, seed, Kinds::every));
    const auto [motion, time] = random_harmonics(*model, seed, 200, 3000, 0.2, 0.4);
    const FilteredMotion filtered =
        filter_positions(*model, time, motion.q, motion.tau, {.position = 80, .equations = 20});
    const Identification found =
        identify(model, down, {}, filtered.motion, {}, {}, {.decimation = filtered.decimation});
    EXPECT_LT(found.samples, 750);
    double norm = 0;
    for (const double value : found.base.values) norm = std::max(norm, std::abs(value));
    for (size_t i = 0; i < found.base.rank(); ++i)
      EXPECT_NEAR(found.estimate[i], found.base.values[i], 1e-5 * norm) << found.base.names[i];
  }
}

// The memory limits how many joints are filtered at once. It must not change a bit of the result.
TEST(MeasuredPositions, DoNotDependOnTheMemory) {
  const auto model = iiwa_model();
  const auto [motion, time] = random_harmonics(*model, 4, 200, 2000, 0.2, 0.4);
  FilteredMotion filtered = filter_positions(*model, time, motion.q, motion.tau);
  const auto estimate = [&](size_t memory) {
    filtered.decimation.memory = memory;
    return identify(model, down, {}, filtered.motion, {}, {}, {.decimation = filtered.decimation})
        .estimate;
  };
  const std::vector<double> at_once = estimate(size_t(1) << 30);
  EXPECT_EQ(estimate(0), at_once);                // joint by joint
  EXPECT_EQ(estimate(size_t(2) << 20), at_once);  // two joints at a time
}

// Sensors with 12 bits and torques with noise of 1 %: the parameters predict other motions. The raw
// differences of the same data do not.
TEST(MeasuredPositions, PredictUnseenMotions) {
  const auto model = iiwa_model();
  const auto [exact, time] = random_harmonics(*model, 1, 1000, 30000, 0.1, 0.4);
  MeasuredMotion noisy = exact;
  add_noise(*model, noisy, 12, 0.01, 5);
  const FilteredMotion filtered = filter_positions(*model, time, noisy.q, noisy.tau);
  const Identification found =
      identify(model, down, {}, filtered.motion, {}, {}, {.decimation = filtered.decimation});
  MeasuredMotion unseen = random_harmonics(*model, 77, 100, 1000, 0.15, 0.4).motion;
  const std::vector<double> sigma = add_noise(*model, unseen, 40, 0.01, 6);
  const Prediction good = predict(model, down, {}, found.base, found.estimate, unseen);
  for (size_t j = 0; j < sigma.size(); ++j)
    EXPECT_LT(good.joints[j].error, 1.5 * sigma[j]) << good.joints[j].name;

  // Ordinary least squares with the raw differences.
  MeasuredMotion raw;
  for (size_t k = 3; k + 3 < time.size(); k += 10) {
    const Rates rates = central_differences(*model, noisy.q, k, 1e-3);
    const auto append = [](std::vector<double>& to, std::span<const double> x) {
      to.insert(to.end(), x.begin(), x.end());
    };
    append(raw.q, std::span(noisy.q).subspan(k * 7, 7));
    append(raw.v, rates.v);
    append(raw.vdot, rates.vdot);
    append(raw.tau, std::span(noisy.tau).subspan(k * 7, 7));
  }
  const Identification poor = identify(model, down, {}, raw, {}, {}, {.equal_weights = true});
  const Prediction bad = predict(model, down, {}, poor.base, poor.estimate, unseen);
  EXPECT_GT(bad.relative_error(), 5 * good.relative_error());
}

TEST(MeasuredPositions, RejectUnusableSamples) {
  const auto model = iiwa_model();
  const auto [motion, time] = random_harmonics(*model, 1, 100, 400, 0.5, 0.4);
  const auto filter = [&](std::vector<double> t, std::vector<double> q, Cutoffs cutoffs = {}) {
    return error_of(
        [&] { filter_positions(*model, t, q, std::vector<double>(t.size() * 7, 0.0), cutoffs); });
  };
  std::vector<double> uneven = time;
  uneven[7] += 0.002;
  EXPECT_EQ(filter(uneven, motion.q),
            "the samples are not evenly spaced: 0.012 s between samples 7 and 8, and 0.01 s on "
            "average; filters need a constant interval: interpolate the measurement at even times");
  EXPECT_THAT(filter(std::vector<double>(400, 1.0), motion.q), HasSubstr("not evenly spaced"));
  EXPECT_EQ(filter({0, 1, 2}, std::vector<double>(21, 0.0)),
            "3 samples are too few to filter positions; at least 64 are needed");
  EXPECT_THAT(filter(time, std::vector<double>(2800, 0.7)),
              HasSubstr("the positions are constant, or only noise"));
  EXPECT_THAT(filter(time, motion.q, {.position = 50, .equations = {}}),
              HasSubstr("the cut-off of 50 Hz must be above 0 and below 50 Hz"));
  EXPECT_THAT(filter(time, motion.q, {.position = {}, .equations = 70}),
              HasSubstr("the cut-off of 70 Hz must be above 0 and below 50 Hz"));
  EXPECT_EQ(
      filter(time, motion.q, {.position = 0.4, .equations = {}}),
      "400 samples are too few for a cut-off of 0.4 Hz: 750 at each end are omitted, where the "
      "filter has not settled; record a longer motion, or give a higher cut-off");
}

}  // namespace
}  // namespace torsor::test
