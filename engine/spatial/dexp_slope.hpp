#pragma once
// The derivative of dexp_(-D)^-1 V (so3.hpp) with respect to D. It is used for derivatives of a
// step in logarithmic coordinates.

#include "torsor/spatial/so3.hpp"

namespace torsor {

// Returns d^2 series_d / dx^2 = sum_(k>=3) (k-1)(k-2) |B_2k|/(2k)! x^(k-3). The closed form follows
// from x d = 1 - c with c = h cot h and h = sqrt(x)/2:
//   d'' = -(c'' + 2 d') / x,   64 h^3 c'' = h dg/dh - g
//   g = cot h - h / sin^2 h = 8 h c',   dg/dh = 2 (c - 1) / sin^2 h
inline double series_d_curvature(double x) {
  if (x >= series_switch) {
    const double h = std::sqrt(x) / 2, s = std::sin(h), cot = std::cos(h) / s,
                 g = cot - h / (s * s);
    const double c2 = (h * 2 * (h * cot - 1) / (s * s) - g) / (64 * h * h * h);
    return -(c2 + 2 * series_d_slope(x)) / x;
  }
  double sum = 0;
  for (int k = int(std::size(detail::bernoulli)); k-- > 2;)
    sum = sum * x + k * (k - 1) * detail::bernoulli[k];
  return sum;
}

// Returns the time derivative of dexp_inverse(D, V) if D changes at the rate D_dot and V is
// constant. Applies the product rule to the polynomial of dexp_inverse() in ad_D. Its coefficients
// d - x d' and -d' have the derivatives -x d'' and -d'' with respect to x = |D.w|^2.
inline Twist<double> dexp_inverse_slope(const Twist<double>& D, const Twist<double>& D_dot,
                                        const Twist<double>& V) {
  const double x = dot(D.w, D.w), slope = series_d_slope(x);
  const Twist<double> V1 = ad(D, V), V2 = ad(D, V1), V3 = ad(D, V2), V4 = ad(D, V3);
  const Twist<double> W1 = ad(D_dot, V), W2 = ad(D_dot, V1) + ad(D, W1),
                      W3 = ad(D_dot, V2) + ad(D, W2), W4 = ad(D_dot, V3) + ad(D, W3);
  const double rate = 2 * dot(D.w, D_dot.w) * series_d_curvature(x);
  return 0.5 * W1 + (series_d(x) - x * slope) * W2 - slope * W4 - rate * (x * V2 + V4);
}

}  // namespace torsor
