#pragma once
// Truncated Taylor series in time, and the velocity of a motion in logarithmic coordinates.
//
// X(t) = X_0 exp(D(t)), D in se(3), moves with the body-fixed twist
//   V = dexp_(-D) D_dot,   dexp_(-D) = sum_k (-ad_D)^k / (k + 1)!
// On se(3), with x = |D.w|^2, ad_D has the eigenvalues 0 and +-i sqrt(x), the latter in Jordan
// blocks of size two. The series is therefore equal to a polynomial that has the same values and
// derivatives at the eigenvalues. With b and c of series.hpp, and ' for the derivative with respect
// to x:
//   V = (1 + (x b' - b) ad + (c - x c') ad^2 + b' ad^3 - c' ad^4) D_dot
// Evaluated with Taylor series instead of numbers, this provides the exact time derivatives of V by
// component, without numerical differences. dexp_inverse() of so3.hpp computes D_dot from V, for
// numbers only.

#include <array>

#include "torsor/spatial/screw.hpp"

namespace torsor {

// A truncated Taylor series of a function x(t) at one time: c[k] = (d/dt)^k x / k!.
struct Taylor {
  static constexpr int size = 4;
  double c[size] = {};

  constexpr Taylor() = default;
  explicit constexpr Taylor(double constant) : c{constant} {}
  constexpr Taylor operator-() const {
    Taylor out;
    for (int k = 0; k < size; ++k) out.c[k] = -c[k];
    return out;
  }
  friend constexpr Taylor operator+(const Taylor& a, const Taylor& b) {
    Taylor out;
    for (int k = 0; k < size; ++k) out.c[k] = a.c[k] + b.c[k];
    return out;
  }
  friend constexpr Taylor operator-(const Taylor& a, const Taylor& b) { return a + -b; }
  friend constexpr Taylor operator*(double s, const Taylor& a) {
    Taylor out;
    for (int k = 0; k < size; ++k) out.c[k] = s * a.c[k];
    return out;
  }
  friend constexpr Taylor operator*(const Taylor& a, const Taylor& b) {
    Taylor out;
    for (int i = 0; i < size; ++i)
      for (int j = 0; i + j < size; ++j) out.c[i + j] += a.c[i] * b.c[j];
    return out;
  }
};

// Returns f(x) = sum_k f^(k) (x - x_0)^k / k!. The array f contains the value and the derivatives
// of f at x_0 = x.c[0].
inline Taylor compose(const std::array<double, Taylor::size>& f, const Taylor& x) {
  Taylor rise = x, out;
  rise.c[0] = 0;
  for (int k = Taylor::size - 1; k >= 0; --k)
    out = Taylor(f[size_t(k)]) + 1.0 / (k + 1) * out * rise;
  return out;
}

// The values of b(x) and c(x), and their derivatives with respect to x. They are e_2 and e_3 of
// e_n(x) = sum_k (-x)^k / (2k + n)!, with the recursions
//   e_n' = (n e_(n+2) - e_(n+1)) / 2,   e_n = 1/n! - x e_(n+2).
// The second recursion is stable downwards for small x and upwards for large x. Below x = 40, it
// starts from the series of e_10 and e_11, which have no cancellation. Each term of these series is
// at most x / 132 times the previous one, so that 24 terms reach rounding error.
struct ExponentialSeries {
  std::array<double, Taylor::size + 1> b, c;

  explicit ExponentialSeries(double x) {
    constexpr int last = 2 * Taylor::size + 3;
    double e[last + 1] = {}, factorial[last + 1] = {1};
    for (int n = 1; n <= last; ++n) factorial[n] = n * factorial[n - 1];
    if (x < 40) {
      for (const int n : {last - 1, last}) {
        double sum = 1;
        for (int k = 24; k >= 1; --k) sum = 1 - x / double((2 * k + n - 1) * (2 * k + n)) * sum;
        e[n] = sum / factorial[n];
      }
      for (int n = last - 2; n >= 2; --n) e[n] = 1 / factorial[n] - x * e[n + 2];
    } else {
      e[0] = std::cos(std::sqrt(x));
      e[1] = std::sin(std::sqrt(x)) / std::sqrt(x);
      for (int n = 2; n <= last; ++n) e[n] = (1 / factorial[n - 2] - e[n - 2]) / x;
    }
    for (size_t k = 0; k <= Taylor::size; ++k) {
      b[k] = e[2];
      c[k] = e[3];
      for (int n = 2; n + 2 <= last; ++n) e[n] = (n * e[n + 2] - e[n + 1]) / 2;
    }
  }
};

// Returns dexp_(-D) D_dot.
inline Twist<Taylor> dexp(const Twist<Taylor>& D, const Twist<Taylor>& D_dot) {
  const Taylor x = dot(D.w, D.w);
  const ExponentialSeries series(x.c[0]);
  const auto at = [&](const auto& f, size_t first) {
    return compose({f[first], f[first + 1], f[first + 2], f[first + 3]}, x);
  };
  const Taylor b = at(series.b, 0), b1 = at(series.b, 1), c = at(series.c, 0), c1 = at(series.c, 1);
  const Twist<Taylor> V1 = ad(D, D_dot), V2 = ad(D, V1), V3 = ad(D, V2), V4 = ad(D, V3);
  return D_dot + (x * b1 - b) * V1 + (c - x * c1) * V2 + b1 * V3 - c1 * V4;
}

}  // namespace torsor
