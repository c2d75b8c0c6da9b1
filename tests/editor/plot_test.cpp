// Tests of axes, ticks and decimation: a plot must be correct at every size.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "editor/plot/decimate.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Ticks, AreOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_THAT(ticks({0, 10}, 10).values, ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(ticks({-0.31, 0.32}, 8).values, ElementsAre(-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3));
  EXPECT_THAT(ticks({0, 50}, 2).values, ElementsAre(0, 50));
  EXPECT_THAT(ticks({1.2e6, 2.9e6}, 4).values, ElementsAre(1.5e6, 2e6, 2.5e6));
}

// Returns ranges of all sizes, near zero and far from it.
std::vector<Range> all_sorts_of_ranges() {
  std::vector<Range> ranges;
  for (int power = -280; power <= 280; power += 7)
    for (const double middle : {0.0, 1.0, -31.4, 1e6, 1e11})
      ranges.push_back(
          usable({std::pow(10, power) * (middle - 0.37), std::pow(10, power) * (middle + 1.3)}));
  ranges.push_back(usable({7, 7}));
  ranges.push_back(usable({1e-14, 1e-14}));
  return ranges;
}

TEST(Ticks, OfPowersAreWhole) {
  EXPECT_THAT(power_ticks({-2.2, 0.4}, 20).values, ElementsAre(-2, -1, 0));
  EXPECT_THAT(power_ticks({-16, 0}, 5).values, ElementsAre(-15, -10, -5, 0));
  EXPECT_EQ(power_ticks({-16, 0}, 5).label(-15), "1e-15");
}

TEST(Ticks, OfNamesAreAtTheIntegersOfTheRange) {
  const Ticks found = named_ticks({0.5, 2.5}, {"pid", "adaptive", "none", "last"});
  EXPECT_EQ(found.values, (std::vector<double>{1, 2}));
  EXPECT_EQ(found.label(1), "adaptive");
  EXPECT_EQ(found.label(2), "none");
}

TEST(Ticks, CoverTheRangeWithoutRepeating) {
  for (const Range& range : all_sorts_of_ranges())
    for (const int most : {2, 5, 12}) {
      const Ticks found = ticks(range, most);
      ASSERT_FALSE(found.values.empty()) << range.low << " " << range.high << " " << most;
      ASSERT_LE(int(found.values.size()), most);
      const double rounding = 1e-15 * std::max(std::abs(range.low), std::abs(range.high));
      EXPECT_GE(found.values.front(), range.low - rounding);
      EXPECT_LE(found.values.back(), range.high + rounding);
      EXPECT_LT(found.values.front() - range.low, found.step * (1 + 1e-9)) << range.low;
      EXPECT_LT(range.high - found.values.back(), found.step * (1 + 1e-9));
      EXPECT_TRUE(std::ranges::is_sorted(found.values, std::less_equal<>{}));
      std::set<std::string> labels;
      for (const double value : found.values) labels.insert(found.label(value));
      EXPECT_EQ(labels.size(), found.values.size())
          << range.low << " " << range.high << " " << *labels.begin();
    }
}

TEST(Ticks, LabelsReadBackAsTheirValues) {
  for (const Range& range : all_sorts_of_ranges()) {
    const Ticks found = ticks(range, 8);
    for (const double value : found.values)
      EXPECT_NEAR(std::stod(found.label(value)), value, 1e-3 * found.step) << found.label(value);
  }
}

TEST(Ticks, LabelsAreShort) {
  const auto labels = [](const Range& range, int most) {
    std::vector<std::string> texts;
    const Ticks found = ticks(range, most);
    for (const double value : found.values) texts.push_back(found.label(value));
    return texts;
  };
  EXPECT_THAT(labels({-1, 1}, 5), ElementsAre("-1.0", "-0.5", "0", "0.5", "1.0"));
  EXPECT_THAT(labels({0, 3e-14}, 4), ElementsAre("0", "1e-14", "2e-14", "3e-14"));
  EXPECT_THAT(labels({0, 2e6}, 5), ElementsAre("0", "5e5", "1.0e6", "1.5e6", "2.0e6"));
  EXPECT_THAT(labels({100, 130}, 4), ElementsAre("100", "110", "120", "130"));
}

TEST(Axis, PixelsAndValuesAreInverse) {
  // On the vertical axis, values increase as pixels decrease.
  const Axis time{{2, 7}, 40, 640}, value{{-1e-9, 3e-9}, 500, 20};
  EXPECT_EQ(time.pixel(2), 40);
  EXPECT_EQ(value.pixel(3e-9), 20);
  for (const float pixel : {40.0f, 41.5f, 333.0f, 640.0f})
    EXPECT_NEAR(time.pixel(time.value(pixel)), pixel, 1e-3);
  for (const double v : {-1e-9, 0.0, 2.5e-9}) EXPECT_NEAR(value.value(value.pixel(v)), v, 1e-14);
  EXPECT_TRUE(std::isfinite(value.pixel(1e300)));
}

TEST(Axis, ZoomKeepsThePointUnderTheMouse) {
  const Range half = zoomed({0, 10}, 2, 0.5);
  EXPECT_DOUBLE_EQ(half.low, 1);
  EXPECT_DOUBLE_EQ(half.high, 6);
  Range range{0, 10};
  for (int k = 0; k < 1000; ++k) range = zoomed(range, 3, 0.7);
  EXPECT_GT(range.width(), 0);
  EXPECT_NEAR(range.low, 3, 1e-9);
  for (int k = 0; k < 10000; ++k) range = zoomed(range, 3, 1.4);
  EXPECT_TRUE(std::isfinite(range.width()));
}

TEST(Axis, FitsWhatThereIs) {
  const auto fit = [](double low, double high) {
    Extremes extremes;
    extremes.include(low);
    extremes.include(high);
    return fitted(extremes);
  };
  EXPECT_LT(fit(-1, 2).low, -1);
  EXPECT_GT(fit(-1, 2).high, 2);
  EXPECT_LT(fit(-1, 2).width(), 3.6);
  for (const double constant : {0.0, 5.0, -3e-12, 1e200}) {
    const Range range = fit(constant, constant);
    EXPECT_LT(range.low, constant);
    EXPECT_GT(range.high, constant);
  }
  EXPECT_EQ(fitted({}), (Range{0, 1}));
}

struct Curve {
  std::vector<double> time;
  Series values;
};
Curve curve(int n, double (*value)(int)) {
  Curve made;
  for (int i = 0; i < n; ++i) {
    made.time.push_back(i * 1e-3);
    made.values.push(value(i));
  }
  return made;
}

PlotLine decimated(const Curve& curve, const Range& range, int columns) {
  return decimate(time_columns(curve.time, range, columns), curve.time, curve.values);
}

TEST(Decimation, FewSamplesStayAsTheyAre) {
  const Curve few = curve(100, [](int i) { return std::sin(0.3 * i); });
  const PlotLine line = decimated(few, {0, 0.099}, 400);
  ASSERT_EQ(line.points.size(), 100u);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(line.points[i].value, few.values[i]);
}

// Checks a million samples with a single peak. Each column has exactly the extremes of its samples,
// so the peak is in its column.
TEST(Decimation, KeepsTheExtremesOfEveryColumn) {
  const Curve many = curve(
      1000000, [](int i) { return i == 765432 ? 17.25 : std::sin(1e-2 * i) * std::cos(1e-5 * i); });
  const Range range{100.0005, 900.0005};
  constexpr int columns = 800;
  const PlotLine line = decimated(many, range, columns);
  EXPECT_LE(line.points.size(), size_t(2 * columns + 2));
  std::vector<Extremes> drawn(columns);
  for (const PlotPoint& point : line.points)
    if (point.time >= range.low && point.time <= range.high)
      drawn[size_t((point.time - range.low) / range.width() * columns)].include(point.value);
  for (int k = 0; k < columns; ++k) {
    // Column k covers a second from 100.0005 + k on: sample 100001 + 1000 k and the 999 after it.
    Extremes expected;
    for (int i = 100001 + 1000 * k; i < 101001 + 1000 * k; ++i)
      expected.include(many.values[size_t(i)]);
    ASSERT_EQ(drawn[size_t(k)].low, expected.low) << k;
    ASSERT_EQ(drawn[size_t(k)].high, expected.high) << k;
  }
}

TEST(Decimation, TheLineEntersAndLeavesTheRange) {
  const Curve many = curve(10000, [](int i) { return double(i); });
  for (const int columns : {10, 100000}) {
    const PlotLine line = decimated(many, {2.0005, 3.0005}, columns);
    EXPECT_EQ(line.points.front().value, 2000);
    EXPECT_EQ(line.points.back().value, 3001);
    EXPECT_TRUE(std::ranges::is_sorted(line.points, {}, &PlotPoint::time));
  }
  // A single point is needed to draw a line through the range.
  EXPECT_EQ(decimated(many, {20, 30}, 100).points.size(), 1u);
  EXPECT_TRUE(decimated({}, {0, 1}, 100).points.empty());
}

TEST(Decimation, TheLineIsInterruptedAtNaN) {
  const auto holes = [](int i) { return i % 100 < 50 ? 1.0 : i % 100 < 60 ? infinity : NAN; };
  for (const int n : {200, 200000}) {
    const Curve broken = curve(n, holes);
    const int columns = n == 200 ? 200 : 20000;
    const PlotLine line = decimated(broken, {0, n * 1e-3}, columns);
    EXPECT_FALSE(line.infinite.empty());
    for (const PlotPoint& point : line.infinite) EXPECT_EQ(point.value, infinity);
    const auto breaks =
        std::ranges::count_if(line.points, [](const PlotPoint& p) { return std::isnan(p.value); });
    EXPECT_EQ(breaks, n / 100) << "one for each hole";
    for (const PlotPoint& point : line.points)
      EXPECT_TRUE(point.value == 1 || std::isnan(point.value));
  }
}

}  // namespace
}  // namespace torsor::editor::test
