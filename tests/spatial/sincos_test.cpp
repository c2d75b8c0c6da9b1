// Tests of sine and cosine of arrays against extended precision.

#include "torsor/spatial/sincos.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "torsor/base/random.hpp"

namespace torsor::test {
namespace {

struct SineCosine {
  std::vector<double> sine, cosine;
};

SineCosine evaluate(const std::vector<double>& x) {
  SineCosine out{std::vector<double>(x.size()), std::vector<double>(x.size())};
  torsor_sincos(int(x.size()), x.data(), out.sine.data(), out.cosine.data());
  return out;
}

// Tolerances. The first is relative, in units of eps: two roundings of the reduced argument and one
// of the last sum, half an eps each. The second is absolute, for values near zero: pi/2 in three
// parts leaves the remainder k 1e-31.
constexpr double roundings = 1.5;
constexpr double near_zero = 1e-25;

void expect_accurate(const std::vector<double>& x) {
  const SineCosine got = evaluate(x);
  const double eps = std::numeric_limits<double>::epsilon();
  for (size_t i = 0; i < x.size(); ++i) {
    const long double s = sinl(x[i]), c = cosl(x[i]);
    EXPECT_LE(std::abs(got.sine[i] - s), roundings * eps * std::abs(s) + near_zero)
        << "sin at " << x[i];
    EXPECT_LE(std::abs(got.cosine[i] - c), roundings * eps * std::abs(c) + near_zero)
        << "cos at " << x[i];
  }
}

TEST(Sincos, AccurateWithin1e5) {
  Random random(1);
  std::vector<double> x;
  for (int k = 0; k < 200000; ++k) x.push_back(random.uniform(-1e5, 1e5));
  expect_accurate(x);
}

TEST(Sincos, AccurateWithinATurn) {
  Random random(2);
  std::vector<double> x;
  for (int k = 0; k < 200000; ++k) x.push_back(random.uniform(-7, 7));
  expect_accurate(x);
}

// Tests doubles near multiples of pi/4: zeros, extrema and the edges of the reduction.
TEST(Sincos, AccurateAtMultiplesOfAnEighthTurn) {
  std::vector<double> x;
  for (int k = -130000; k <= 130000; k += 7) {
    const double near = double(k * 0.785398163397448309616L);
    x.push_back(near);
    x.push_back(std::nextafter(near, 1e9));
    x.push_back(std::nextafter(near, -1e9));
  }
  expect_accurate(x);
}

TEST(Sincos, SmallArgumentsKeepAllDigits) {
  const std::vector<double> x{0, 1e-300, -1e-300, 1e-160, 1e-16, -1e-8, 1e-8, 1e-4};
  const SineCosine got = evaluate(x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(got.sine[i], std::sin(x[i])) << x[i];
    EXPECT_EQ(got.cosine[i], std::cos(x[i])) << x[i];
  }
}

// Tests both sides of the largest argument that torsor_sincos() reduces itself, and arguments far beyond
// it.
TEST(Sincos, LargeArguments) {
  expect_accurate({std::nextafter(1e6, 0)});
  expect_accurate({-std::nextafter(1e6, 0)});
  expect_accurate({1e6});
  expect_accurate({-1e6, 0.5});
  expect_accurate({1e9, -3e15, 2.0});
  const SineCosine huge = evaluate({1e22, 1e300, 0.25});
  // sin(1e22) is the classical test of argument reduction.
  EXPECT_NEAR(huge.sine[0], -0.8522008497671888, 1e-16);
  EXPECT_EQ(huge.sine[1], std::sin(1e300));
  EXPECT_EQ(huge.cosine[2], std::cos(0.25));
}

TEST(Sincos, AnEntryDoesNotDependOnTheOthersNorOnItsPlace) {
  Random random(4);
  for (int k = 0; k < 1000; ++k) {
    const double x = random.uniform(-9, 9);
    const SineCosine alone = evaluate({x});
    for (const double other : {0.5, 1e7}) {
      std::vector<double> many(11, other);
      many[size_t(k) % 11] = x;
      const SineCosine got = evaluate(many);
      EXPECT_EQ(got.sine[size_t(k) % 11], alone.sine[0]);
      EXPECT_EQ(got.cosine[size_t(k) % 11], alone.cosine[0]);
    }
  }
}

// Checks that an infinite or NaN argument gives NaN at its own place only.
TEST(Sincos, NotFinite) {
  const double inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {inf, -inf, nan})
    for (size_t place = 0; place < 3; ++place) {
      std::vector<double> x{1, 2, 3};
      x[place] = bad;
      const SineCosine got = evaluate(x);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(std::isnan(got.sine[i]), i == place) << bad << " at " << place;
        EXPECT_EQ(std::isnan(got.cosine[i]), i == place) << bad << " at " << place;
      }
    }
}

}  // namespace
}  // namespace torsor::test
