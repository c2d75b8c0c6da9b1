// Tests of the statistics of studies against closed forms.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulation/folder_test.hpp"
#include "torsor/study/sampling/design.hpp"
#include "torsor/study/sampling/distribution.hpp"
#include "torsor/study/statistics/shape.hpp"
#include "torsor/study/statistics/study_statistics.hpp"
#include "torsor/study/table/study_table.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;

constexpr double pi = std::numbers::pi, no_number = std::numeric_limits<double>::quiet_NaN();

TEST(Quantile, InterpolatesBetweenValues) {
  const std::vector<double> x{1, 2, 4, 8};
  EXPECT_EQ(quantile(x, 0), 1);
  EXPECT_EQ(quantile(x, 0.5), 3);
  EXPECT_EQ(quantile(x, 0.25), 1.75);
  EXPECT_EQ(quantile(x, 1), 8);
  EXPECT_EQ(quantile(std::vector<double>{5}, 0.3), 5);
}

// The quantiles of a sample of the normal distribution have the standard error
// sqrt(p (1 - p) / n) / density.
TEST(Quantile, AgreesWithTheNormalDistribution) {
  constexpr uint64_t n = 40'000;
  const auto design = make_design("random", 1, n, 5);
  const DistributionPtr law = normal(3, 2, -INFINITY, INFINITY);
  std::vector<double> x(n), u(1);
  for (uint64_t k = 0; k < n; ++k) {
    design->point(k, u);
    x[k] = law->quantile(u[0]);
  }
  std::ranges::sort(x);
  // p, its standard normal quantile, and the density there
  for (const auto& [p, z, density] : {std::tuple{0.05, -1.6448536269514722, 0.1031356403},
                                      {0.5, 0.0, 0.3989422804},
                                      {0.95, 1.6448536269514722, 0.1031356403}})
    EXPECT_NEAR(quantile(x, p), 3 + 2 * z, 4 * 2 * std::sqrt(p * (1 - p) / n) / density);
  EXPECT_NEAR(torsor::moments(x).mean, 3, 4 * 2 / std::sqrt(double(n)));
  EXPECT_NEAR(torsor::moments(x).deviation, 2, 4 * 2 / std::sqrt(2.0 * n));
}

TEST(Moments, KeepDigitsOfSmallDeviations) {
  const torsor::Moments out = torsor::moments(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3});
  EXPECT_EQ(out.mean, 1e9 + 2);
  EXPECT_EQ(out.deviation, 1);
  EXPECT_TRUE(std::isnan(torsor::moments(std::vector<double>{1}).deviation));
}

// Values of Wilson's formula: for no event, the upper end is z^2 / (n + z^2); symmetric at 1/2.
TEST(Wilson, HasItsClosedForm) {
  constexpr double z = 1.959963984540054;
  EXPECT_EQ(wilson_interval(0, 10).from, 0);
  EXPECT_NEAR(wilson_interval(0, 10).to, z * z / (10 + z * z), 1e-15);
  EXPECT_NEAR(wilson_interval(10, 10).from, 10 / (10 + z * z), 1e-15);
  const Interval half = wilson_interval(50, 100);
  EXPECT_NEAR(half.from + half.to, 1, 1e-15);
  EXPECT_NEAR(half.to - half.from, z / std::sqrt(100 + z * z), 1e-14);
}

// The interval contains the probability in about 95 % of all experiments.
TEST(Wilson, ContainsTheProbability) {
  constexpr uint64_t experiments = 2000, trials = 60;
  const auto design = make_design("random", trials, experiments, 11);
  std::vector<double> u(trials);
  int inside = 0;
  for (uint64_t k = 0; k < experiments; ++k) {
    design->point(k, u);
    const auto events = uint64_t(std::ranges::count_if(u, [](double x) { return x < 0.2; }));
    const Interval found = wilson_interval(events, trials);
    inside += found.from <= 0.2 && 0.2 <= found.to;
  }
  EXPECT_NEAR(inside / double(experiments), 0.95, 0.02);
}

TEST(Correlation, IsThatOfLinesAndRanks) {
  const std::vector<double> x{1, 2, 3, 4, 5}, line{-1, -3, -5, -7, -9}, cube{1, 8, 27, 64, 125},
      ties{1, 1, 2, 2, 3}, constant(5, 7.0);
  EXPECT_NEAR(correlation(x, line), -1, 1e-15);
  EXPECT_NEAR(rank_correlation(x, cube), 1, 1e-15);
  EXPECT_NEAR(correlation(x, cube), 0.943117, 1e-6);
  // ranks 1.5 1.5 3.5 3.5 5 against 1..5: 9 / sqrt(9 * 10)
  EXPECT_NEAR(rank_correlation(x, ties), 9 / std::sqrt(90.0), 1e-15);
  EXPECT_TRUE(std::isnan(correlation(x, constant)));
  EXPECT_TRUE(std::isnan(correlation({}, {})));
}

// f = sin x_1 + a sin^2 x_2 + b x_3^4 sin x_1 on [-pi, pi]^3 (Ishigami and Homma, 1990):
//   V_1 = (1 + b pi^4 / 5)^2 / 2,  V_2 = a^2 / 8,  V_13 = 8 b^2 pi^8 / 225,  V = V_1 + V_2 + V_13
TEST(Sensitivity, IsThatOfIshigamisFunction) {
  constexpr double a = 7, b = 0.1;
  const double b4 = b * std::pow(pi, 4), V1 = std::pow(1 + b4 / 5, 2) / 2, V2 = a * a / 8,
               V13 = 8 * b4 * b4 / 225, V = V1 + V2 + V13;
  constexpr uint64_t pairs = 8192;
  const auto design = make_design("saltelli", 3, 5 * pairs, 1);
  std::vector<double> values(5 * pairs), u(3);
  for (uint64_t k = 0; k < values.size(); ++k) {
    design->point(k, u);
    const double x = pi * (2 * u[0] - 1), y = pi * (2 * u[1] - 1), z = pi * (2 * u[2] - 1);
    values[k] =
        1000 + std::sin(x) + a * std::pow(std::sin(y), 2) + b * std::pow(z, 4) * std::sin(x);
  }
  values[7] = no_number;  // its pair is left out
  uint64_t used = 0;
  const auto found = sensitivity_indices(values, 3, used);
  EXPECT_EQ(used, pairs - 1);
  const double first[] = {V1 / V, V2 / V, 0}, total[] = {(V1 + V13) / V, V2 / V, V13 / V};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found[i].first, first[i], 0.01) << i;
    EXPECT_NEAR(found[i].total, total[i], 0.01) << i;
    EXPECT_LT(found[i].first_interval.from, first[i]) << i;
    EXPECT_GT(found[i].first_interval.to, first[i]) << i;
    EXPECT_LT(found[i].total_interval.from, total[i]) << i;
    EXPECT_GT(found[i].total_interval.to, total[i]) << i;
  }
}

TEST(Sensitivity, NeedsPairsAndAnOutcomeThatVaries) {
  uint64_t used = 0;
  EXPECT_TRUE(sensitivity_indices(std::vector<double>(30, 2.0), 1, used).empty());
  EXPECT_EQ(used, 10u);
  EXPECT_TRUE(sensitivity_indices(std::vector<double>{1, 2, 3, 4}, 1, used).empty());
  EXPECT_EQ(used, 1u);
}

TEST(Histogram, CountsEachFiniteValueOnce) {
  const Histogram one = histogram(std::vector<double>{2, 2, no_number});
  EXPECT_EQ(one.from, 2);
  EXPECT_THAT(one.counts, ElementsAre(2));
  EXPECT_TRUE(histogram(std::vector<double>{INFINITY}).counts.empty());
  std::vector<double> x;
  for (int k = 0; k < 1000; ++k) x.push_back(k);
  const Histogram found = histogram(x);
  EXPECT_EQ(found.counts.size(), 20u);
  EXPECT_THAT(found.counts, testing::Each(50));
  EXPECT_EQ(found.from + 20 * found.width, 999);
}

// y = x + u with u uniform on (0, 1): the median is x + 1/2, the outer quantiles x + 0.05, x +
// 0.95.
TEST(Bands, FollowTheQuantilesOfAnOutcome) {
  constexpr uint64_t n = 40'000;
  const auto design = make_design("random", 2, n, 3);
  std::vector<double> x(n), y(n), u(2);
  for (uint64_t k = 0; k < n; ++k) {
    design->point(k, u);
    x[k] = 10 * u[0], y[k] = x[k] + u[1];
  }
  const std::vector<Band> found = bands(x, y);
  ASSERT_EQ(found.size(), 40u);
  for (const Band& band : found) {  // a band is 0.25 wide
    EXPECT_NEAR(band.quantiles[2], band.x + 0.5, 0.1);
    EXPECT_NEAR(band.quantiles[0], band.x + 0.05, 0.15);
    EXPECT_NEAR(band.quantiles[4], band.x + 0.95, 0.15);
  }
  for (double& each : x) each = std::floor(each);
  const std::vector<Band> of_values = bands(x, y);
  ASSERT_EQ(of_values.size(), 10u);
  for (size_t k = 0; k < 10; ++k) EXPECT_EQ(of_values[k].x, double(k));
  EXPECT_TRUE(bands(std::vector<double>(5, 1.0), std::vector<double>(5, 1.0)).empty());
}

class StudyStatisticsTest : public FolderTest {};

// The outcome is 10 - parameter. Sample 2 fails, sample 3 has no finite outcome, 5 has not run.
TEST_F(StudyStatisticsTest, CountsSamplesAndDescribesOutcomes) {
  StudyLayout layout{.parameters = {{"x", "m"}, {"law", "", {"a", "b"}}},
                     .outcomes = {{"other", ""}, {"y", "N"}},
                     .samples = 6,
                     .description = "{}"};
  StudyTable table = StudyTable::create(folder_ / "study.h5", layout);
  for (const uint64_t k : {0, 1, 2, 3, 4}) {
    const SampleStatus status = k == 2   ? SampleStatus::failed
                                : k == 3 ? SampleStatus::undefined
                                         : SampleStatus::done;
    table.write(k, {.status = status,
                    .parameters = {double(k), double(k % 2)},
                    .outcomes = {0, k == 3 ? no_number : 10 - double(k)}});
  }
  table.finish();
  const StudyStatistics found = study_statistics(StudyReader(folder_ / "study.h5"), {1});
  EXPECT_THAT(found.statuses, ElementsAre(1, 3, 1, 1, 0, 0));
  EXPECT_EQ(found.run, 5u);
  EXPECT_EQ(found.failed, 1u);
  EXPECT_EQ(found.failure.to, wilson_interval(1, 5).to);
  ASSERT_EQ(found.outcomes.size(), 1u);
  const OutcomeStatistics& y = found.outcomes[0];
  EXPECT_EQ(y.column.name, "y");
  EXPECT_EQ(y.moments.count, 3u);
  EXPECT_EQ(y.not_finite, 1u);
  EXPECT_EQ(y.largest, 0u);
  EXPECT_EQ(y.smallest, 4u);
  EXPECT_THAT(y.quantiles, ElementsAre(6, testing::_, testing::_, 9, testing::_, testing::_, 10));
  EXPECT_NEAR(y.parameters[0].linear, -1, 1e-15);
  EXPECT_TRUE(std::isnan(y.parameters[1].rank));
  EXPECT_TRUE(y.sensitivities.empty());
  // The same outcome of the table in memory.
  const StudyColumns columns = read_columns(StudyReader(folder_ / "study.h5"), {0, 1});
  EXPECT_THAT(columns.wall_time, ElementsAre(0, 0, 0, 0, 0, testing::IsNan()));
  const StudyStatistics same = study_statistics(layout, columns, 1, columns.outcomes[1]);
  EXPECT_EQ(same.statuses, found.statuses);
  ASSERT_EQ(same.outcomes.size(), 1u);
  EXPECT_EQ(same.outcomes[0].column.name, "y");
  EXPECT_EQ(same.outcomes[0].quantiles, y.quantiles);
  EXPECT_EQ(same.outcomes[0].not_finite, 1u);
}

}  // namespace
}  // namespace torsor::test
