#include "torsor/analysis/polynomial_roots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor {

namespace {

using Complex = std::complex<double>;
constexpr double rounding = std::numeric_limits<double>::epsilon();

// Returns the roots of a x^2 + b x + c. The root without cancellation comes first, the other
// follows from the product. The discriminant is 0 if rounding of the coefficients could make it 0.
std::vector<Complex> quadratic_roots(double a, double b, double c) {
  double D = b * b - 4 * a * c;
  if (std::abs(D) <= 64 * rounding * (b * b + std::abs(4 * a * c))) D = 0;
  if (D < 0) {
    const Complex x(-b / (2 * a), std::sqrt(-D) / (2 * std::abs(a)));
    return {x, std::conj(x)};
  }
  const double q = -0.5 * (b + std::copysign(std::sqrt(D), b));
  return {q / a, q == 0 ? 0 : c / q};
}

// The quotient (a x + b) x + c of a cubic and x - X, with the values of the cubic and its
// derivative at X.
struct Deflated {
  double b, c, value, slope;
};
Deflated deflate(const std::array<double, 4>& k, double X) {
  const double a_X = k[0] * X, b = a_X + k[1], c = b * X + k[2];
  return {b, c, c * X + k[3], (a_X + b) * X + c};
}

// Returns true if all roots are equal up to rounding: t^3 + p t + q with x = t - b/3 has no p and
// q.
bool is_triple(double b, double c, double d) {
  const double p = c - b * b / 3, q = 2 * b * b * b / 27 - b * c / 3 + d;
  return std::abs(p) <= 16 * rounding * (std::abs(c) + b * b / 3) &&
         std::abs(q) <=
             32 * rounding * (std::abs(2 * b * b * b / 27) + std::abs(b * c / 3) + std::abs(d));
}

// Kahan's method (To Solve a Real Cubic Equation, 1986). Newton's iteration begins outside of all
// roots. It advances to the outermost root on its side until rounding stops it. The quotient is a
// quadratic, whose coefficients are computed from the larger ones of the terms.
std::vector<Complex> cubic_roots(const std::array<double, 4>& k) {
  const auto& [a, b, c, d] = k;
  if (is_triple(b / a, c / a, d / a)) return std::vector<Complex>(3, -b / a / 3);
  std::vector<Complex> out{0.0};
  double middle = b, last = c;
  if (d != 0) {
    double X = -b / a / 3, next = X;
    Deflated at = deflate(k, X);
    const double side = at.value / a < 0 ? -1 : 1;
    const double reach = std::cbrt(std::abs(at.value / a)), t = -at.slope / a;
    next -= side * (t > 0 ? 1.324718 * std::max(reach, std::sqrt(t)) : reach);
    do {
      X = next;
      at = deflate(k, X);
      if (at.slope != 0) next = X - at.value / at.slope;
    } while (side * next > side * X);
    middle = at.b, last = at.c;
    if (std::abs(a) * X * X > std::abs(d / X)) last = -d / X, middle = (last - c) / X;
    out[0] = X;
  }
  for (const Complex& root : quadratic_roots(a, middle, last)) out.push_back(root);
  return out;
}

}  // namespace

std::vector<std::complex<double>> polynomial_roots(const std::array<double, 4>& c) {
  if (c[0] != 0) return cubic_roots(c);
  if (c[1] != 0) return quadratic_roots(c[1], c[2], c[3]);
  if (c[2] != 0) return {-c[3] / c[2]};
  return {};
}

}  // namespace torsor
