#pragma once
// Coefficients of the exponential map as functions of x = theta^2:
//
//   series_a(x) = sin theta / theta           = 1 - x/3! + x^2/5! - ...
//   series_b(x) = (1 - cos theta)/theta^2     = 1/2! - x/4! + x^2/6! - ...
//   series_c(x) = (theta - sin theta)/theta^3 = 1/3! - x/5! + x^2/7! - ...
//   series_d(x) = (1 - theta/2 cot(theta/2))/theta^2
//               = sum_(k>=1) |B_2k|/(2k)! x^(k-1) = 1/12 + x/720 + ...
//   series_d_slope(x) = d series_d / dx = sum_(k>=2) (k-1) |B_2k|/(2k)! x^(k-2)
//
// The closed forms lose digits as theta -> 0: the error of b grows as eps/theta^2 and the error of
// c as eps/theta^3. Below x = 1.5, a series in Horner form is used instead. The series has 12
// terms, and its first neglected term at x = 1.5 is x^12/25! < 1e-23. At x = 1.5, the closed form
// of c loses only a factor theta/(theta - sin theta) = 4.3 in accuracy.

#include <cmath>
#include <iterator>

namespace torsor {

inline constexpr double series_switch = 1.5;

namespace detail {
// Computes sum_k (-x)^k / (2k + Offset)! in the form
//   1/Offset! * (1 - x/((Offset+1)(Offset+2)) (1 - x/(...) (...)))
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

// Coefficients |B_2k|/(2k)! = 2 zeta(2k)/(2 pi)^2k, k >= 1, all positive. The series of d and d'
// converge for theta < 2 pi. At x = 1.5, their first neglected term is below 1e-19 of the sum.
namespace detail {
inline constexpr double bernoulli[] = {
    8.3333333333333333e-02, 1.3888888888888889e-03, 3.3068783068783069e-05, 8.2671957671957672e-07,
    2.0876756987868099e-08, 5.2841901386874932e-10, 1.3382536530684679e-11, 3.3896802963225829e-13,
    8.5860620562778446e-15, 2.1748686985580619e-16, 5.5090028283602295e-18, 1.3954464685812523e-19,
    3.5347070396294675e-21, 8.9535174270375469e-23};
}  // namespace detail

inline double series_d(double x) {
  if (x >= series_switch) {
    const double half = std::sqrt(x) / 2;
    return (1 - half / std::tan(half)) / x;
  }
  double sum = 0;
  for (int k = int(std::size(detail::bernoulli)); k-- > 0;) sum = sum * x + detail::bernoulli[k];
  return sum;
}
inline double series_d_slope(double x) {
  if (x >= series_switch) {
    const double theta = std::sqrt(x), half = theta / 2, sine = std::sin(half);
    // The derivative of half * cot(half) with respect to x.
    const double slope_of_cot = (std::cos(half) * sine - half) / (4 * theta * sine * sine);
    return -(slope_of_cot + series_d(x)) / x;
  }
  double sum = 0;
  for (int k = int(std::size(detail::bernoulli)); k-- > 1;)
    sum = sum * x + k * detail::bernoulli[k];
  return sum;
}

}  // namespace torsor
