#pragma once
// Sines and cosines of an array in one loop without branches, which the compiler can vectorise.
//
// x = k pi/2 + r with |r| <= pi/4. Adding the constant 1.5 2^52 to x 2/pi rounds it to the integer
// k, which is then in the low bits of the sum. pi/2 is split into three parts of 33 bits, so that k
// * part is exact for |k| < 2^20 (Cody and Waite). The neglected rest of pi/2 causes an error below
// 1e-30 k. sin r and cos r are the minimax polynomials of degree 13 and 14 of fdlibm's kernels,
// with errors below 0.6 ulp. If an entry is infinite or |x| >= 1e6, the functions of the standard
// library are used for the whole array.

#include <bit>
#include <cmath>
#include <cstdint>

namespace torsor {

namespace detail {
inline void sincos_reduced(double x, double& sine, double& cosine) {
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
  const double t = x * 0.63661977236758134308 + magic;
  const uint64_t k = std::bit_cast<uint64_t>(t);
  const double n = t - magic;
  double r = x - n * 1.57079632673412561417e+00;
  r = r - n * 6.07710050630396597660e-11;
  r = r - n * 2.02226624879595063154e-21;
  const double z = r * r;
  const double ps = ((((1.58969099521155010221e-10 * z - 2.50507602534068634195e-08) * z +
                       2.75573137070700676789e-06) *
                          z -
                      1.98412698298579493134e-04) *
                         z +
                     8.33333333332248946124e-03) *
                        z -
                    1.66666666666666324348e-01;
  const double pc = ((((-1.13596475577881948265e-11 * z + 2.08757232129817482790e-09) * z -
                       2.75573143513906633035e-07) *
                          z +
                      2.48015872894767294178e-05) *
                         z -
                     1.38888888888741095749e-03) *
                        z +
                    4.16666666666666019037e-02;
  const double s = r + r * z * ps, c = 1.0 - 0.5 * z + z * z * pc;
  const double a = (k & 1) ? c : s, b = (k & 1) ? s : c;
  sine = std::bit_cast<double>(std::bit_cast<uint64_t>(a) ^ ((k & 2) << 62));
  cosine = std::bit_cast<double>(std::bit_cast<uint64_t>(b) ^ (((k + 1) & 2) << 62));
}
}  // namespace detail

// Computes sine[i] = sin x[i] and cosine[i] = cos x[i] for i < n.
inline void sincos(int n, const double* __restrict x, double* __restrict sine,
                   double* __restrict cosine) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    const double magnitude = std::abs(x[i]);
    // a NaN is ignored here; its sine and cosine are NaN
    largest = magnitude > largest ? magnitude : largest;
  }
  if (largest < 1e6) {
    for (int i = 0; i < n; ++i) detail::sincos_reduced(x[i], sine[i], cosine[i]);
  } else {
    for (int i = 0; i < n; ++i) {
      sine[i] = std::sin(x[i]);
      cosine[i] = std::cos(x[i]);
    }
  }
}

}  // namespace torsor
