// Tests of the reductions of signals, against closed forms.

#include "torsor/study/signal_rows.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Rows of sin t and of 3 - t, every 1/64 s up to 8 s.
SignalRows waves() {
  SignalRows rows({{"time", "s", ""}, {"arm.q.joint1", "rad", ""}, {"energy.error", "J", ""}});
  for (int k = 0; k <= 512; ++k) {
    const double t = k / 64.0;
    rows.add(std::array{t, std::sin(t), 3 - t});
  }
  return rows;
}

// Between rows, the error of a linear function is at most h^2 / 8, with h = 1/64 s.
constexpr double h2 = 1.0 / 64 / 64;

TEST(SignalRows, HaveValuesAtTimes) {
  const SignalRows rows = waves();
  for (double t = 0; t <= 8; t += 0.1) EXPECT_NEAR(rows.at(1, t), std::sin(t), h2 / 8);
  EXPECT_EQ(rows.at(2, 0), 3);
  EXPECT_EQ(rows.at(2, 8), -5);
  EXPECT_EQ(rows.at(1, 5.5), std::sin(5.5)) << "a row is exact";
}

TEST(SignalRows, HaveExtremes) {
  const SignalRows rows = waves();
  const auto highest = rows.maximum(1, {0, 4});
  EXPECT_NEAR(highest.value, 1, h2 / 8);
  EXPECT_NEAR(highest.time, std::numbers::pi / 2, 1.0 / 128);
  EXPECT_NEAR(rows.minimum(1, {0, 3}).value, 0, 1e-15);
  EXPECT_NEAR(rows.maximum(1, {2.02, 4}).value, std::sin(2.02), h2);
  EXPECT_EQ(rows.maximum(1, {2.02, 4}).time, 2.02);
  EXPECT_NEAR(rows.maximum(1, {2.02, 2.02}).value, std::sin(2.02), h2);
}

TEST(SignalRows, HaveIntegrals) {
  const SignalRows rows = waves();
  EXPECT_NEAR(rows.integral(1, {0, std::numbers::pi}), 2, h2);
  EXPECT_NEAR(rows.integral(2, {0.3, 0.9}), 1.8 - (0.81 - 0.09) / 2, 1e-14);
  EXPECT_NEAR(rows.square_integral(1, {0, std::numbers::pi}), std::numbers::pi / 2, h2);
  EXPECT_NEAR(rows.square_integral(2, {0.3, 0.9}), (std::pow(2.7, 3) - std::pow(2.1, 3)) / 3,
              1e-14);
}

TEST(SignalRows, HaveCrossings) {
  const SignalRows rows = waves();
  const auto near = [](double t) { return testing::DoubleNear(t, h2); };
  const double pi = std::numbers::pi, up = std::asin(0.5);
  EXPECT_THAT(rows.crossings(1, 0.5, rows.whole(), true, true),
              ElementsAre(near(up), near(pi - up), near(2 * pi + up)));
  EXPECT_THAT(rows.crossings(1, 0.5, rows.whole(), true, false),
              ElementsAre(near(up), near(2 * pi + up)));
  EXPECT_THAT(rows.crossings(1, 0.5, {1, 8}, false, true), ElementsAre(near(pi - up)));
  EXPECT_THAT(rows.crossings(2, -1, rows.whole(), true, true), ElementsAre(4));
}

TEST(SignalRows, ReportUnknownSignalsAndTimes) {
  const SignalRows rows = waves();
  EXPECT_EQ(rows.column("arm.q"), 1u) << "a signal with one value";
  EXPECT_THAT(error_of([&] { rows.column("arm.q.joint2"); }),
              HasSubstr("there is no recorded signal 'arm.q.joint2'; add it to `record`"));
  EXPECT_THAT(error_of([&] { rows.column("arm.q.joint2"); }),
              HasSubstr("did you mean 'arm.q.joint1'?"));
  EXPECT_EQ(error_of([&] { (void)rows.at(1, 9); }),
            "t = 9 s is outside the run, which has rows from 0 s to 8 s");
  EXPECT_THAT(error_of([&] { (void)rows.at(1, std::nan("")); }), HasSubstr("outside the run"));
  EXPECT_THAT(error_of([&] {
                (void)rows.integral(1, {2, 1});
              }),
              HasSubstr("`from`, 2 s, is after `to`, 1 s"));
}

}  // namespace
}  // namespace torsor::test
