#pragma once
// SO(3) and SE(3): exponential, logarithm, quaternions (w, x, y, z). With a, b, c of series.hpp at
// x = |u|^2 or |w|^2:
//
//   exp(u~)   = 1 + a u~ + b u~ u~                            (Rodrigues)
//   exp(w, v) = (exp(w~), (1 + b w~ + c w~ w~) v)

#include <algorithm>

#include "torsor/spatial/screw.hpp"
#include "torsor/spatial/series.hpp"

namespace torsor {

struct Quaternion {
  double w, x, y, z;
};

// Equations: MK 14.
inline Mat3<double> exp_so3(const Vec3<double>& u) {
  const double x = dot(u, u), a = series_a(x), b = series_b(x);
  const Mat3<double> U = hat(u), UU = U * U;
  Mat3<double> R = Mat3<double>::identity();
  for (int k = 0; k < 9; ++k) R.m[k] += a * U.m[k] + b * UU.m[k];
  return R;
}

// Returns (1 + b u~ + c u~ u~) v.
inline Vec3<double> left_jacobian(const Vec3<double>& u, const Vec3<double>& v) {
  const double x = dot(u, u);
  const Vec3<double> uv = cross(u, v);
  return v + series_b(x) * uv + series_c(x) * cross(u, uv);
}
// Returns (1 - u~/2 + d u~ u~) v, the inverse of left_jacobian(), for |u| < 2 pi.
inline Vec3<double> left_jacobian_inverse(const Vec3<double>& u, const Vec3<double>& v) {
  const Vec3<double> uv = cross(u, v);
  return v - 0.5 * uv + series_d(dot(u, u)) * cross(u, uv);
}

// Equations: MK 10, 13.
inline Pose<double> exp_se3(const Twist<double>& V) {
  return {exp_so3(V.w), left_jacobian(V.w, V.v)};
}

// Returns the quaternion of a rotation, with w >= 0. The divisor is derived from the largest of the
// four squares (Shepperd), so that no accuracy is lost at any angle.
inline Quaternion quaternion(const Mat3<double>& R) {
  const double t[4] = {R(0, 0) + R(1, 1) + R(2, 2), R(0, 0), R(1, 1), R(2, 2)};
  const int k = int(std::max_element(t, t + 4) - t);
  const double trace = t[0];
  double q[4];
  if (k == 0) {
    q[0] = 1 + trace;
    q[1] = R(2, 1) - R(1, 2);
    q[2] = R(0, 2) - R(2, 0);
    q[3] = R(1, 0) - R(0, 1);
  } else {
    const int i = k - 1, j = (i + 1) % 3, l = (i + 2) % 3;
    q[1 + i] = 1 + 2 * R(i, i) - trace;
    q[1 + j] = R(j, i) + R(i, j);
    q[1 + l] = R(l, i) + R(i, l);
    q[0] = R(l, j) - R(j, l);
  }
  double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (q[0] < 0) n = -n;
  return {q[0] / n, q[1] / n, q[2] / n, q[3] / n};
}

inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quaternion conjugate(const Quaternion& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
inline double norm(const Quaternion& q) {
  return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
inline Quaternion normalised(const Quaternion& q) {
  const double s = 1 / norm(q);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

// Returns exp(u~) as the quaternion (cos(t/2), sin(t/2)/t u), t = |u|.
inline Quaternion exp_quaternion(const Vec3<double>& u) {
  const double x = dot(u, u) / 4, s = series_a(x) / 2;
  return {std::cos(std::sqrt(x)), s * u.x, s * u.y, s * u.z};
}

// Returns the rotation vector u, |u| <= pi, of a quaternion q of norm 1: exp_quaternion(u) = +-q.
// The use of atan2 makes it accurate near 0 and near pi. At |u| = pi, both signs of u are correct.
// The result is then that of the quaternion with w >= 0.
inline Vec3<double> rotation_vector(const Quaternion& q) {
  const double sign = q.w < 0 ? -1 : 1, w = sign * q.w;
  const Vec3<double> e = sign * Vec3<double>{q.x, q.y, q.z};
  const double s = norm(e);
  // The limit of 2 atan(s/w)/s as s -> 0 is 2/w. The next term, s^2/(3 w^3), is below eps for s <
  // 1e-8.
  const double scale = s < 1e-8 ? 2 / w : 2 * std::atan2(s, w) / s;
  return scale * e;
}

// Returns the rotation vector u, |u| <= pi, with exp(u~) = R.
// Equations: KHALIL 8.51.
inline Vec3<double> log_so3(const Mat3<double>& R) {
  return rotation_vector(quaternion(R));
}

// Returns dexp_(-D)^-1 V for |D.w| < 2 pi. This is D_dot of X = X_0 exp(D) if X moves with the
// body-fixed twist V. On se(3), with x = |D.w|^2, ad_D has the eigenvalues 0 and +-i sqrt(x), the
// latter in Jordan blocks of size two. The power series of z/(1 - exp(-z)) in ad_D is therefore
// equal to a polynomial that has the same values and derivatives at the eigenvalues:
//   1 + ad/2 + (d - x d') ad^2 - d' ad^4,   d and d': series.hpp
inline Twist<double> dexp_inverse(const Twist<double>& D, const Twist<double>& V) {
  const double x = dot(D.w, D.w), slope = series_d_slope(x);
  const Twist<double> V1 = ad(D, V), V2 = ad(D, V1), V4 = ad(D, ad(D, V2));
  return V + 0.5 * V1 + (series_d(x) - x * slope) * V2 - slope * V4;
}

// Returns the rotation of a quaternion (w, x, y, z) of any nonzero norm.
template <class T>
Mat3<T> rotation(const T& w, const T& x, const T& y, const T& z) {
  const T s = T(2) / (w * w + x * x + y * y + z * z), one = T(1);
  return {{one - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), s * (x * y + w * z),
           one - s * (x * x + z * z), s * (y * z - w * x), s * (x * z - w * y), s * (y * z + w * x),
           one - s * (x * x + y * y)}};
}
inline Mat3<double> rotation(const Quaternion& q) {
  return rotation(q.w, q.x, q.y, q.z);
}

// Returns a rotation that takes z to the unit vector e. It is exact for e = z and e = -z. If e.z is
// not negative, it is the smallest such rotation, about z x e. Otherwise it is a rotation by pi
// about x, then the smallest rotation from -z to e.
inline Mat3<double> rotation_z_to(const Vec3<double>& e) {
  if (e.x == 0 && e.y == 0)
    return e.z > 0 ? Mat3<double>::identity() : Mat3<double>{{1, 0, 0, 0, -1, 0, 0, 0, -1}};
  // R = 1 + K + K K / (1 + e.z) with K = (z x e)~, if e.z >= 0. Otherwise diag(1, -1, -1) is
  // applied first and -z replaces z, so that the divisor is 1 + |e.z| >= 1.
  const double sign = e.z >= 0 ? 1 : -1;
  const Vec3<double> k{-sign * e.y, sign * e.x, 0};  // (sign z) x e
  const Mat3<double> K = hat(k), KK = K * K;
  Mat3<double> R = Mat3<double>::identity();
  for (int i = 0; i < 9; ++i) R.m[i] += K.m[i] + KK.m[i] / (1 + sign * e.z);
  if (sign > 0) return R;
  return R * Mat3<double>{{1, 0, 0, 0, -1, 0, 0, 0, -1}};
}

}  // namespace torsor
