// Tests of velocities of logarithmic coordinates and of their derivatives. The references are the
// inverse differential, and the power series of the differential of the exponential, summed term by
// term.

#include "torsor/spatial/taylor.hpp"

#include <gtest/gtest.h>

#include "torsor/base/random.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {
namespace {

Taylor random_series(Random& random, double size) {
  Taylor out;
  for (double& c : out.c) c = random.uniform(-size, size);
  return out;
}
Twist<Taylor> random_twist(Random& random, double size) {
  const auto vector = [&] {
    return Vec3<Taylor>{random_series(random, size), random_series(random, size),
                        random_series(random, size)};
  };
  return {vector(), vector()};
}
// Returns random coordinates whose rotation has the given angle at t = 0.
Twist<Taylor> random_coordinates(Random& random, double angle) {
  Twist<Taylor> D = random_twist(random, 1);
  const Vec3<double> axis = random.direction();
  D.w.x.c[0] = angle * axis.x;
  D.w.y.c[0] = angle * axis.y;
  D.w.z.c[0] = angle * axis.z;
  return D;
}

// Returns sum_k (-ad_D)^k / (k + 1)! D_dot.
Twist<Taylor> many_terms(const Twist<Taylor>& D, const Twist<Taylor>& D_dot) {
  Twist<Taylor> term = D_dot, sum = D_dot;
  for (int k = 1; k < 80; ++k) {
    term = Taylor(-1.0 / (k + 1)) * ad(D, term);
    sum = sum + term;
  }
  return sum;
}

std::vector<const Taylor*> entries(const Twist<Taylor>& V) {
  return {&V.w.x, &V.w.y, &V.w.z, &V.v.x, &V.v.y, &V.v.z};
}

constexpr double angles[] = {0,    1e-9, 1e-4, 0.3,    1.2247, 1.2248, 3,
                             M_PI, 5,    6.2,  6.3245, 6.3246, 6.4,    8};

// Compares dexp with its power series. The terms of the sum, and so its rounding errors, grow up to
// exp(angle).
TEST(Taylor, DexpIsItsPowerSeries) {
  Random random(1);
  for (const double angle : angles)
    for (int round = 0; round < 20; ++round) {
      const Twist<Taylor> D = random_coordinates(random, angle), D_dot = random_twist(random, 1);
      const Twist<Taylor> V = dexp(D, D_dot), sum = many_terms(D, D_dot);
      for (size_t i = 0; i < 6; ++i)
        for (int k = 0; k < Taylor::size; ++k)
          EXPECT_NEAR(entries(V)[i]->c[k], entries(sum)[i]->c[k], 1e-13 * std::exp(angle))
              << "angle " << angle << " entry " << i << " coefficient " << k;
    }
}

// A number with a mantissa of 113 bits. The terms of the sums below grow to exp(30) and cancel.
__extension__ using Quad = __float128;

// Returns the k-th derivative of sum_j (-x)^j / (2j + n)! with respect to x.
double many_terms(int n, int k, double x) {
  Quad sum = 0, power = 1;
  for (int j = k; j < 120; ++j) {
    Quad term = j % 2 ? -power : power;
    for (int i = 0; i < k; ++i) term *= j - i;
    Quad factorial = 1;
    for (int i = 2; i <= 2 * j + n; ++i) factorial *= i;
    sum += term / factorial;
    power *= x;
  }
  return double(sum);
}

// Compares the coefficients on both sides of the switch, to rounding of their values at 0.
TEST(Taylor, CoefficientsAreTheirSeries) {
  for (const double x :
       {0.0, 1e-20, 1e-8, 0.1, 1.0, 9.8, 30.0, 39.999, 40.001, 60.0, 200.0, 900.0}) {
    const ExponentialSeries series(x);
    for (int k = 0; k <= Taylor::size; ++k) {
      EXPECT_NEAR(series.b[size_t(k)], many_terms(2, k, x), 1e-14 * std::abs(many_terms(2, k, 0)))
          << x << " " << k;
      EXPECT_NEAR(series.c[size_t(k)], many_terms(3, k, x), 1e-14 * std::abs(many_terms(3, k, 0)))
          << x << " " << k;
    }
  }
}

TEST(Taylor, DexpIsUndoneByItsInverse) {
  Random random(2);
  for (const double angle : angles) {
    if (angle > 6.2) continue;
    const Twist<Taylor> D = random_coordinates(random, angle), D_dot = random_twist(random, 1);
    const Twist<Taylor> V = dexp(D, D_dot);
    const auto now = [](const Twist<Taylor>& x) {
      return Twist<double>{{x.w.x.c[0], x.w.y.c[0], x.w.z.c[0]},
                           {x.v.x.c[0], x.v.y.c[0], x.v.z.c[0]}};
    };
    const Twist<double> back = dexp_inverse(now(D), now(V)) - now(D_dot);
    EXPECT_LT(norm(back.w) + norm(back.v), angle < 6 ? 1e-13 : 1e-9) << angle;
  }
}

TEST(Taylor, ComposesWithFunctions) {
  Taylor x;
  x.c[0] = 0.3;
  x.c[1] = 2;
  x.c[2] = -1;
  x.c[3] = 0.5;
  const double s = std::sin(0.3), c = std::cos(0.3);
  const Taylor sine = compose({s, c, -s, -c}, x), cosine = compose({c, -s, -c, s}, x),
               one = sine * sine + cosine * cosine;
  for (int k = 0; k < Taylor::size; ++k) EXPECT_NEAR(one.c[k], k == 0 ? 1 : 0, 1e-15);
  // Checks (sin x)' = x' cos x.
  for (int k = 0; k + 1 < Taylor::size; ++k) {
    double sum = 0;
    for (int i = 0; i <= k; ++i) sum += (i + 1) * x.c[i + 1] * cosine.c[k - i];
    EXPECT_NEAR((k + 1) * sine.c[k + 1], sum, 1e-15);
  }
}

}  // namespace
}  // namespace torsor
