#pragma once
// Coefficients of the exponential map as functions of x = theta^2:
//
//   series_a(x) = sin theta / theta           = 1 - x/3! + x^2/5! - ...
//   series_b(x) = (1 - cos theta)/theta^2     = 1/2! - x/4! + x^2/6! - ...
//   series_c(x) = (theta - sin theta)/theta^3 = 1/3! - x/5! + x^2/7! - ...
//
// The closed forms lose digits as theta -> 0 (b like eps/theta^2, c like eps/theta^3). Below x = 1.5
// a Horner series is used: with 11 terms its first neglected term is x^11/23! < 4e-21 of the sum at the
// switch, and at x = 1.5 the closed form of c has lost only a factor (theta/(theta - sin theta)) = 4.3.

#include <cmath>

namespace torsor {

inline constexpr double series_switch = 1.5;

namespace detail {
// sum_k (-x)^k / (2k + Offset)!  as 1/Offset! * (1 - x/((Offset+1)(Offset+2)) (1 - x/(...) (...)))
template <int Offset>
constexpr double horner(double x) {
  double sum = 1;
  for (int k = 11; k >= 1; --k) sum = 1 - x / double((2 * k + Offset - 1) * (2 * k + Offset)) * sum;
  double factorial = 1;
  for (int k = 2; k <= Offset; ++k) factorial *= k;
  return sum / factorial;
}
}  // namespace detail

inline double series_a(double x) {
  return x < series_switch ? detail::horner<1>(x) : std::sin(std::sqrt(x)) / std::sqrt(x);
}
inline double series_b(double x) {
  return x < series_switch ? detail::horner<2>(x) : (1 - std::cos(std::sqrt(x))) / x;
}
inline double series_c(double x) {
  const double theta = std::sqrt(x);
  return x < series_switch ? detail::horner<3>(x) : (theta - std::sin(theta)) / (x * theta);
}

}  // namespace torsor
