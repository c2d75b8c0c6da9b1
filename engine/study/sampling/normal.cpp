#include "torsor/study/sampling/normal.hpp"

#include <cmath>
#include <numbers>
#include <span>

namespace torsor {

namespace {

// ln 2 as a sum. The first part has 32 bits, so that its products with exponents are exact.
constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;

// Returns c[0] + c[1] x + c[2] x^2 + ...
double polynomial(std::span<const double> c, double x) {
  double sum = 0;
  for (size_t k = c.size(); k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// Coefficients of AS 241, lowest power first: for |p - 1/2| <= 0.425, for sqrt(-log p) <= 5, and
// for the far tails.
constexpr double middle_top[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                 1.9715909503065514427e3, 1.3731693765509461125e4,
                                 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double middle_bottom[] = {1.0,
                                    4.2313330701600911252e1,
                                    6.8718700749205790830e2,
                                    5.3941960214247511077e3,
                                    2.1213794301586595867e4,
                                    3.9307895800092710610e4,
                                    2.8729085735721942674e4,
                                    5.2264952788528545610e3};
constexpr double near_top[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                               5.76949722146069140550e0,  3.64784832476320460504e0,
                               1.27045825245236838258e0,  2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double near_bottom[] = {1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
constexpr double far_top[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double far_bottom[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};

}  // namespace

// x = 2^e m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1):
//   log x = e ln 2 + 2 (s + s^3/3 + s^5/5 + ...),  |s| < 0.1716
double portable_log(double x) {
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < std::numbers::sqrt2 / 2) m *= 2, --e;
  const double s = (m - 1) / (m + 1), z = s * s;
  double series = 0;
  for (int n = 23; n >= 3; n -= 2) series = (series + 1.0 / n) * z;
  return e * ln2_high + (2 * s + (2 * s * series + e * ln2_low));
}

// x = n ln 2 + r with |r| <= ln 2 / 2: exp x = 2^n (1 + r + r^2/2 + ...)
double portable_exp(double x) {
  if (x < -746) return 0;
  const double n = std::nearbyint(x / std::numbers::ln2), r = (x - n * ln2_high) - n * ln2_low;
  double series = 0;
  for (int k = 15; k >= 2; --k) series = (series + 1) * r / k;
  return std::ldexp(1 + (r + r * series), int(n));
}

// phi(x) is the density. For 0 <= x < 3 (Marsaglia, "Evaluating the normal distribution", 2004):
//   Q(x) = 1/2 - phi(x) (x + x^3/3 + x^5/(3 5) + x^7/(3 5 7) + ...)
// and for larger x the continued fraction
//   Q(x) = phi(x) / (x + 1/(x + 2/(x + 3/(x + ...))))
double normal_tail(double x) {
  if (x < 0) return 1 - normal_tail(-x);
  const double density = portable_exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  if (x >= 2) {
    double fraction = x;
    for (int k = 200; k >= 1; --k) fraction = x + k / fraction;
    return density / fraction;
  }
  double sum = 0, term = x;
  for (int k = 3; sum + term != sum; k += 2) sum += term, term *= x * x / k;
  return 0.5 - density * sum;
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle_top, r) / polynomial(middle_bottom, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? polynomial(near_top, r - 1.6) / polynomial(near_bottom, r - 1.6)
                          : polynomial(far_top, r - 5) / polynomial(far_bottom, r - 5);
  return q < 0 ? -x : x;
}

}  // namespace torsor
