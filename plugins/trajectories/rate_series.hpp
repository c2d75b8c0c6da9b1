#pragma once
// Power series in time of functions that are given by their value and derivatives.

#include "time_law.hpp"
#include "torsor/spatial/taylor.hpp"

namespace torsor::trajectories {

inline constexpr double factorials[] = {1, 1, 2, 6};

// Returns the power series in time of a + b r (derivative = 0) or of a + b r' (derivative = 1).
// rates[k] is the k-th derivative of r.
inline Taylor series(double a, double b, const Rates& rates, size_t derivative) {
  Taylor out;
  for (size_t k = 0; k < Taylor::size; ++k) out.c[k] = b * rates[k + derivative] / factorials[k];
  out.c[0] += a;
  return out;
}
inline Taylor sine(const Taylor& x) {
  const double s = std::sin(x.c[0]), c = std::cos(x.c[0]);
  return compose({s, c, -s, -c}, x);
}
inline Taylor cosine(const Taylor& x) {
  const double s = std::sin(x.c[0]), c = std::cos(x.c[0]);
  return compose({c, -s, -c, s}, x);
}
// Returns f(x(t)), where the series of f is about x = x.c[0].
inline Taylor chained(const Taylor& f, const Taylor& x) {
  return compose({f.c[0], f.c[1], 2 * f.c[2], 6 * f.c[3]}, x);
}

// Returns x^(-1/2), x > 0.
inline Taylor inverse_root(const Taylor& x) {
  const double y = 1 / x.c[0], f = std::sqrt(y);
  return compose({f, -f * y / 2, 3 * f * y * y / 4, -15 * f * y * y * y / 8}, x);
}

inline Vec3<Taylor> scaled(const Taylor& s, const Vec3<double>& a) {
  return {a.x * s, a.y * s, a.z * s};
}
inline Vec3<Taylor> rotated(const Mat3<double>& R, const Vec3<Taylor>& a) {
  const auto row = [&](int i) { return R(i, 0) * a.x + R(i, 1) * a.y + R(i, 2) * a.z; };
  return {row(0), row(1), row(2)};
}
inline Vec3<double> derivative(const Vec3<Taylor>& x, size_t k) {
  return factorials[k] * Vec3<double>{x.x.c[k], x.y.c[k], x.z.c[k]};
}
// Writes the pose and, for an order of at least 1, the derivatives of the twist
// (torsor_trajectory).
inline void put_motion(const Pose<double>& X, const Vec3<Taylor>& w, const Vec3<Taylor>& v,
                       int order, double* out) {
  *reinterpret_cast<Pose<double>*>(out) = X;
  auto* V = reinterpret_cast<Twist<double>*>(out + 12);
  for (size_t k = 0; k < size_t(order); ++k) V[k] = {derivative(w, k), derivative(v, k)};
}

}  // namespace torsor::trajectories
