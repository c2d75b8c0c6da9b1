#pragma once
// Power series of time, cut off, and the velocity of a motion that is given in logarithmic
// coordinates.
//
// X(t) = X_0 exp(D(t)), D in se(3), moves with the body-fixed twist V = dexp_(-D) D_dot, dexp_(-D)
// = sum_k (-ad_D)^k / (k + 1)!. On se(3), with x = |D.w|^2, ad_D has the eigenvalues 0 and +-i
// sqrt(x), the latter in Jordan blocks of two, so that the series ends with (values and derivatives
// agree there; b, c: series.hpp, ' by x)
//   V = (1 + (x b' - b) ad + (c - x c') ad^2 + b' ad^3 - c' ad^4) D_dot
// Series in place of numbers give the derivatives of V, by component, exactly: nothing is
// differenced. dexp_inverse() of so3.hpp is the way back for the values.

#include <array>

#include "torsor/spatial/screw.hpp"

namespace torsor {

// c[k] = (d/dt)^k x / k! at the time in question.
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

// f(x), from the value and the derivatives of f at x.c[0]: sum_k f^(k) (x - x_0)^k / k!
inline Taylor compose(const std::array<double, Taylor::size>& f, const Taylor& x) {
  Taylor rise = x, out;
  rise.c[0] = 0;
  for (int k = Taylor::size - 1; k >= 0; --k)
    out = Taylor(f[size_t(k)]) + 1.0 / (k + 1) * out * rise;
  return out;
}

// b(x), c(x) and derivatives by x. With e_n(x) = sum_k (-x)^k / (2k + n)! they are e_2 and e_3, and
//   e_n' = (n e_(n+2) - e_(n+1)) / 2,   e_n = 1/n! - x e_(n+2).
// The latter is stable downwards for small x and upwards for large x. Below the switch the series
// of e_10 and e_11 have no cancellation (their terms fall by x / 132 at least, 24 of them leave
// nothing).
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

// dexp_(-D) D_dot
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
