// Tests of the coefficients of the exponential against sums of their series in extended precision.

#include "torsor/spatial/series.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "torsor/spatial/dexp_slope.hpp"

namespace torsor {
namespace {

// Returns sum_k (-x)^k / (2k + offset)!, summed until the terms vanish.
long double many_terms(int offset, long double x) {
  long double term = 1, sum = 0;
  for (int k = 2; k <= offset; ++k) term /= k;
  for (int k = 1; k < 60; ++k) {
    sum += term;
    term *= -x / ((2 * k + offset - 1) * (2 * k + offset));
  }
  return sum;
}

std::vector<double> squares_of_angles() {
  std::vector<double> x{0, 1e-320, 1e-32, 1e-16, 1e-12, 1e-8, 1e-4, 1e-2};
  for (const double step : {1e-15, 1e-9, 1e-3}) {
    x.push_back(series_switch * (1 - step));
    x.push_back(series_switch * (1 + step));
  }
  x.push_back(series_switch);
  for (double theta = 0.01; theta < 3.2; theta += 0.0137) x.push_back(theta * theta);
  return x;
}

// Returns the error relative to the coefficient if x is below the switch. Above it, the error is
// relative to the coefficient at 0, because sin theta is zero at pi.
double error(double value, int offset, double x, double at_zero) {
  const long double exact = many_terms(offset, x);
  const double scale = x < series_switch ? double(std::abs(exact)) : at_zero;
  return double(std::abs((long double)value - exact)) / scale;
}

constexpr double digits = 1e-15;

TEST(Series, AEqualsItsSeries) {
  for (const double x : squares_of_angles())
    EXPECT_LT(error(series_a(x), 1, x, 1), digits) << "x = " << x;
}

TEST(Series, BEqualsItsSeries) {
  for (const double x : squares_of_angles())
    EXPECT_LT(error(series_b(x), 2, x, 1.0 / 2), digits) << "x = " << x;
}

TEST(Series, CEqualsItsSeries) {
  for (const double x : squares_of_angles())
    EXPECT_LT(error(series_c(x), 3, x, 1.0 / 6), digits) << "x = " << x;
}

// Returns d = (1 - a/(2b))/x, where 2b - a = sum_(k>=1) (-x)^k (2/(2k+2)! - 1/(2k+1)!).
long double exact_d(long double x) {
  long double sum = 0, power = 1, factorial = 2;  // (-x)^(k-1), (2k)!
  for (int k = 1; k < 40; ++k) {
    const long double odd = factorial * (2 * k + 1), even = odd * (2 * k + 2);
    sum -= power * (2 / even - 1 / odd);
    power *= -x;
    factorial = even;
  }
  return sum / (2 * many_terms(2, x));
}

TEST(Series, DEqualsItsClosedForm) {
  for (const double x : squares_of_angles()) {
    const double exact = double(exact_d(x));
    EXPECT_NEAR(series_d(x), exact, (x < series_switch ? 1 : 4) * digits * exact) << "x = " << x;
  }
}

// Compares the slope of d with central differences of its sum in extended precision, extrapolated
// once.
TEST(Series, TheSlopeOfDIsItsDerivative) {
  for (const double x : squares_of_angles()) {
    const auto slope = [&](long double h) { return (exact_d(x + h) - exact_d(x - h)) / (2 * h); };
    const double exact = double((4 * slope(0.005L) - slope(0.01L)) / 3);
    EXPECT_NEAR(series_d_slope(x), exact, 1e-10 * exact) << "x = " << x;
  }
}

TEST(Series, TheCurvatureOfDIsTheSlopesDerivative) {
  for (const double x : squares_of_angles()) {
    const double h = 0.05 * std::max(1.0, std::min(x, 1.5));
    const auto slope = [&](double by) {
      return (series_d_slope(x + by) - series_d_slope(x - by)) / (2 * by);
    };
    const double expected = (4 * slope(h / 2) - slope(h)) / 3;
    EXPECT_NEAR(series_d_curvature(x), expected, 1e-5 * expected) << "x = " << x;
  }
}

// Compares the derivative of dexp_inverse(D, V) along W, for constant V, with central differences.
TEST(Series, DexpInverseSlopeEqualsDifferences) {
  const Twist<double> V{{0.3, -0.7, 0.5}, {0.2, 0.9, -0.4}}, W{{-0.6, 0.1, 0.8}, {0.5, -0.3, 0.7}};
  // The sizes of D.w are on both sides of the switch.
  for (const double size : {0.0, 1e-4, 0.5, 1.2, 1.25, 3.0, 5.0}) {
    const Twist<double> D = size * Twist<double>{{0.48, 0.6, -0.64}, {0.3, -0.8, 0.6}};
    const auto difference = [&](double h) {
      return 1 / (2 * h) * (dexp_inverse(D + h * W, V) - dexp_inverse(D - h * W, V));
    };
    const Twist<double> fine = difference(5e-3), coarse = difference(1e-2),
                        exact = dexp_inverse_slope(D, W, V),
                        off = 1.0 / 3 * (4.0 * fine - coarse) - exact;
    EXPECT_LT(norm(off.w) + norm(off.v), 1e-7 * (norm(exact.w) + norm(exact.v)))
        << "|D| = " << size;
  }
}

TEST(Series, ValuesAtZero) {
  EXPECT_EQ(series_a(0), 1);
  EXPECT_EQ(series_b(0), 1.0 / 2);
  EXPECT_EQ(series_c(0), 1.0 / 6);
  EXPECT_EQ(series_d(0), 1.0 / 12);
  EXPECT_EQ(series_d_slope(0), 1.0 / 720);
}

// Checks the closed forms far beyond one turn. There the sum of the series suffers from
// cancellation.
TEST(Series, LargeAngles) {
  for (const double theta : {4.0, 7.5, 100.0, 12345.0}) {
    const double x = theta * theta;
    EXPECT_NEAR(series_a(x), double(sinl(theta) / theta), digits);
    EXPECT_NEAR(series_b(x), double((1 - cosl(theta)) / (theta * (long double)theta)), digits);
    EXPECT_NEAR(series_c(x), double((theta - sinl(theta)) / powl(theta, 3)), digits);
  }
}

}  // namespace
}  // namespace torsor
