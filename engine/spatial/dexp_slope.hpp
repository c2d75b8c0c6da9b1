#pragma once
// How dexp_(-D)^-1 V (so3.hpp) changes with D: what differentiates a step in logarithmic
// coordinates.

#include "torsor/spatial/so3.hpp"

namespace torsor {

// d^2 series_d / dx^2 = sum_(k>=3) (k-1)(k-2) |B_2k|/(2k)! x^(k-3). In closed form, with c = h cot
// h, h = sqrt(x)/2: x d = 1 - c, so that d'' = -(c'' + 2 d') / x, and g = cot h - h / sin^2 h = 8 h
// c', dg/dh = 2 (c - 1) / sin^2 h, 64 h^3 c'' = h dg/dh - g.
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

// The rate of dexp_inverse(D, V) where D moves at D_dot and V stays: the product rule along its
// polynomial in ad_D, whose coefficients d - x d' and -d' have the derivatives -x d'' and -d'' by x
// = |D.w|^2.
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
