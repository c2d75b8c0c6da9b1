// Tests of distributions against closed forms.

#include "torsor/study/sampling/distribution.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/error_of.hpp"
#include "torsor/study/sampling/normal.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(PortableFunctions, AgreeWithTheCLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 1.7) {
    EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::abs(std::log(x))) << x;
  }
  for (double x = 1 - 1e-3; x < 1 + 1e-3; x += 1.3e-5)
    EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::abs(std::log(x))) << x;
  for (double x = -700; x < 700; x += 0.37)
    EXPECT_NEAR(portable_exp(x), std::exp(x), 4e-16 * std::exp(x)) << x;
}

TEST(PortableFunctions, HaveTheTailOfTheNormalDistribution) {
  for (double x = -8; x < 30; x += 0.123) {
    const double exact = std::erfc(x / std::numbers::sqrt2) / 2;
    // The rounding of x^2 / 2 in the exponent gives a relative error of x^2 eps / 2.
    EXPECT_NEAR(normal_tail(x), exact, (1e-14 + 4e-16 * x * x) * exact) << x;
  }
}

TEST(PortableFunctions, InvertTheNormalDistribution) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 2e-15);
  EXPECT_EQ(normal_quantile(0.5), 0);
  for (double p = 1e-300; p < 0.5; p *= 3) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(normal_tail(-x), p, 1e-13 * p * std::max(1.0, x * x)) << p;
    if (p > 1e-6) {
      EXPECT_NEAR(normal_quantile(1 - p), -x, 1e-9) << p;
    }
  }
}

// The mean and the variance of a distribution, by the midpoint rule in u.
struct Moments {
  double mean = 0, variance = 0;
};
Moments moments(const Distribution& distribution) {
  constexpr int n = 1'000'000;
  Moments out;
  double squares = 0;
  for (int k = 0; k < n; ++k) {
    const double x = distribution.quantile((k + 0.5) / n);
    out.mean += x / n, squares += x * x / n;
  }
  out.variance = squares - out.mean * out.mean;
  return out;
}

double density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

// Z = Phi(b) - Phi(a):
//   mean = mu + sigma (phi(a) - phi(b)) / Z
//   variance = sigma^2 (1 + (a phi(a) - b phi(b)) / Z - ((phi(a) - phi(b)) / Z)^2)
TEST(Normal, HasTheMomentsOfTheTruncatedDistribution) {
  struct Case {
    double mean, deviation, min, max;
  };
  for (const auto& [mean, deviation, min, max] :
       {Case{2, 0.3, -10, 10}, {2, 0.3, 1.9, 10}, {0, 1, 1, 2}, {0, 1, -3, -1}, {-1, 2, 3, 4}}) {
    const double a = (min - mean) / deviation, b = (max - mean) / deviation,
                 Z = (std::erfc(a / std::numbers::sqrt2) - std::erfc(b / std::numbers::sqrt2)) / 2,
                 shift = (density(a) - density(b)) / Z;
    const Moments found = moments(*normal(mean, deviation, min, max));
    EXPECT_NEAR(found.mean, mean + deviation * shift, 1e-6 * deviation);
    EXPECT_NEAR(found.variance,
                deviation * deviation * (1 + (a * density(a) - b * density(b)) / Z - shift * shift),
                2e-5 * deviation * deviation);
  }
}

TEST(Normal, HasItsQuantiles) {
  const auto plain = normal(2, 0.5, -infinity, infinity);
  EXPECT_NEAR(plain->quantile(0.975), 2 + 0.5 * 1.959963984540054, 1e-15);
  EXPECT_EQ(plain->quantile(0.5), 2);
  EXPECT_EQ(plain->nominal(), 2);
  EXPECT_EQ(normal(2, 0.5, 3, 4)->nominal(), 3);
  // Far tail: x - 10 has nearly an exponential distribution with the rate 10.
  const double median = normal(0, 1, 10, infinity)->quantile(0.5);
  EXPECT_NEAR(std::erfc(median / std::numbers::sqrt2) / std::erfc(10 / std::numbers::sqrt2), 0.5,
              1e-12);
}

TEST(Normal, StaysWithinItsLimits) {
  for (const auto& each : {normal(0, 1, 0.1, 0.2), normal(5, 1, -1, 0.3), normal(0, 1, -2, 40)})
    for (const double u : {0x1p-53, 0.1, 0.5, 1 - 0x1p-53}) {
      EXPECT_GE(each->quantile(u), -2);
      EXPECT_LE(each->quantile(u), 40);
      EXPECT_LE(each->quantile(u / 2), each->quantile(u));
    }
}

TEST(Uniform, HasItsMoments) {
  const Moments found = moments(*uniform(-1, 3));
  EXPECT_NEAR(found.mean, 1, 1e-9);
  EXPECT_NEAR(found.variance, 16.0 / 12, 1e-9);
  EXPECT_EQ(uniform(-1, 3)->nominal(), 1);
}

// mean = (b - a) / log(b / a),  mean of squares = (b^2 - a^2) / (2 log(b / a))
TEST(LogUniform, HasItsMoments) {
  const double a = 0.01, b = 10, l = std::log(b / a), mean = (b - a) / l;
  const Moments found = moments(*log_uniform(a, b));
  EXPECT_NEAR(found.mean, mean, 1e-6);
  EXPECT_NEAR(found.variance, (b * b - a * a) / (2 * l) - mean * mean, 1e-5);
  EXPECT_NEAR(log_uniform(a, b)->nominal(), std::sqrt(a * b), 1e-15);
}

TEST(Integer, TakesEachValueEquallyOften) {
  const auto die = integer(1, 6);
  int counts[7] = {};
  for (int k = 0; k < 600; ++k) ++counts[int(die->quantile((k + 0.5) / 600))];
  EXPECT_THAT(counts, ElementsAre(0, 100, 100, 100, 100, 100, 100));
  EXPECT_EQ(die->nominal(), 3);
  EXPECT_EQ(integer(-4, -1)->nominal(), -3);
  EXPECT_EQ(*die->count(), 6u);
}

TEST(Choice, HasLabelsOrNumbers) {
  using Values = std::vector<SceneParameter>;
  const auto law = choice(Values{std::string("pid"), std::string("adaptive")});
  EXPECT_THAT(law->labels(), ElementsAre("pid", "adaptive"));
  EXPECT_EQ(law->quantile(0.49), 0);
  EXPECT_EQ(law->quantile(0.51), 1);
  EXPECT_EQ(law->nominal(), 0);
  EXPECT_EQ(law->text(), "choice{\"pid\", \"adaptive\"}");
  const auto flag = choice(Values{true, false});
  EXPECT_THAT(flag->labels(), ElementsAre("true", "false"));
  const auto numbers = choice(Values{2.5, 1.0});
  EXPECT_TRUE(numbers->labels().empty());
  EXPECT_EQ(numbers->quantile(0.9), 1);
}

TEST(Rows, AreNumbersOrText) {
  const auto mass = rows("t.csv", "mass", {"1", "2.5", "1"});
  EXPECT_TRUE(mass->labels().empty());
  EXPECT_EQ(mass->value(1), 2.5);
  EXPECT_EQ(*mass->count(), 3u);
  EXPECT_EQ(mass->table(), "t.csv");
  const auto law = rows("t.csv", "law", {"pid", "1", "pid"});
  EXPECT_THAT(law->labels(), ElementsAre("pid", "1"));
  EXPECT_EQ(law->value(2), 0);
}

TEST(Distributions, RejectInvalidArguments) {
  const double nan = std::nan("");
  const auto error = [](auto make) { return error_of([&] { make(); }); };
  EXPECT_EQ(error([] { normal(2, 0, -infinity, infinity); }),
            "the deviation is 0; it must be positive");
  EXPECT_EQ(error([] { normal(2, 1, 3, 1); }), "min is 3, which is not below max, 1");
  EXPECT_THAT(error([&] { normal(nan, 1, 0, 1); }), HasSubstr("the mean is nan"));
  EXPECT_THAT(error([&] { normal(0, 1, nan, 1); }), HasSubstr("a limit is NaN"));
  EXPECT_THAT(error([] { normal(0, 1, 100, 101); }), HasSubstr("its probability is zero"));
  EXPECT_EQ(error([] { uniform(2, 1); }), "the first limit is 2, which is not below the second, 1");
  EXPECT_EQ(error([] { log_uniform(0, 1); }), "the first limit is 0; it must be positive");
  EXPECT_EQ(error([] { integer(2, 1); }), "the first limit is 2, which is above the second, 1");
  EXPECT_THAT(error([] { choice({}); }), HasSubstr("the list is empty"));
  EXPECT_THAT(error([] { choice({1.0, true}); }), HasSubstr("value 2 has another type"));
  EXPECT_THAT(error([] { choice({1.0, 1.0}); }), HasSubstr("the value 1 is listed twice"));
}

}  // namespace
}  // namespace torsor::test
