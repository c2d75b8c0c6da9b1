#pragma once
// SO(3) and SE(3): exponential, logarithm, quaternions (w, x, y, z).
//
//   exp(u~)   = 1 + a u~ + b u~ u~                        a, b, c: series.hpp at x = |u|^2 (Rodrigues)
//   exp(w, v) = (exp(w~), (1 + b w~ + c w~ w~) v)

#include <algorithm>

#include "torsor/spatial/screw.hpp"
#include "torsor/spatial/series.hpp"

namespace torsor {

struct Quaternion {
  double w, x, y, z;
};

inline Mat3<double> exp_so3(const Vec3<double>& u) {
  const double x = dot(u, u), a = series_a(x), b = series_b(x);
  const Mat3<double> U = hat(u), UU = U * U;
  Mat3<double> R = Mat3<double>::identity();
  for (int k = 0; k < 9; ++k) R.m[k] += a * U.m[k] + b * UU.m[k];
  return R;
}

inline Pose<double> exp_se3(const Twist<double>& V) {
  const double x = dot(V.w, V.w), b = series_b(x), c = series_c(x);
  const Vec3<double> wv = cross(V.w, V.v);
  return {exp_so3(V.w), V.v + b * wv + c * cross(V.w, wv)};
}

// The quaternion of a rotation with w >= 0. The largest of the four squares is the divisor (Shepperd), so no
// digit is lost at any angle.
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

// The rotation vector u, |u| <= pi, with exp(u~) = R. From the quaternion (cos(t/2), sin(t/2) e) by atan2,
// which is accurate at 0 and at pi alike. At t = pi both signs of u are right; the one of the quaternion with
// w >= 0 is given.
inline Vec3<double> log_so3(const Mat3<double>& R) {
  const Quaternion q = quaternion(R);
  const Vec3<double> e{q.x, q.y, q.z};
  const double s = norm(e);
  // 2 atan(s/w)/s -> 2/w as s -> 0; the next term is s^2/(3 w^3), below eps for s < 1e-8.
  const double scale = s < 1e-8 ? 2 / q.w : 2 * std::atan2(s, q.w) / s;
  return scale * e;
}

// The twist V with exp(V) = X, |omega| <= pi: v = (1 - w~/2 + d w~ w~) p,
// d = (1 - a/(2b))/x; as x -> 0 this is (b - a/2)/(b x) and
// b - a/2 = sum_{k>=1} (-x)^k (1/(2k+2)! - 1/(2 (2k+1)!)).
inline Twist<double> log_se3(const Pose<double>& X) {
  const Vec3<double> w = log_so3(X.R);
  const double x = dot(w, w), a = series_a(x), b = series_b(x);
  double d = 0;
  if (x < series_switch) {
    double power = 1, factorial = 2;  // (-x)^(k-1), (2k)!
    for (int k = 1; k <= 12; ++k) {
      const double f1 = factorial * (2 * k + 1), f2 = f1 * (2 * k + 2);
      d -= power * (1 / f2 - 1 / (2 * f1));
      power *= -x;
      factorial = f2;
    }
    d /= b;
  } else {
    d = (1 - a / (2 * b)) / x;
  }
  const Vec3<double> wp = cross(w, X.p);
  return {w, X.p - 0.5 * wp + d * cross(w, wp)};
}

inline Mat3<double> rotation(const Quaternion& q) {
  const double s = 2 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {{1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y - q.w * q.z), s * (q.x * q.z + q.w * q.y),
           s * (q.x * q.y + q.w * q.z), 1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z - q.w * q.x),
           s * (q.x * q.z - q.w * q.y), s * (q.y * q.z + q.w * q.x), 1 - s * (q.x * q.x + q.y * q.y)}};
}

// A rotation that takes z to the unit vector e. For e = z and e = -z it is exact; elsewhere it turns about z
// x e.
inline Mat3<double> rotation_z_to(const Vec3<double>& e) {
  if (e.x == 0 && e.y == 0)
    return e.z > 0 ? Mat3<double>::identity() : Mat3<double>{{1, 0, 0, 0, -1, 0, 0, 0, -1}};
  // R = 1 + K + K K / (1 + e.z) with K = (z x e)~ ; for e.z < 0 turn (1,-1,-1) first to keep 1 + |e.z| >= 1.
  const double sign = e.z >= 0 ? 1 : -1;
  const Vec3<double> k{-sign * e.y, sign * e.x, 0};  // (sign z) x e
  const Mat3<double> K = hat(k), KK = K * K;
  Mat3<double> R = Mat3<double>::identity();
  for (int i = 0; i < 9; ++i) R.m[i] += K.m[i] + KK.m[i] / (1 + sign * e.z);
  if (sign > 0) return R;
  return R * Mat3<double>{{1, 0, 0, 0, -1, 0, 0, 0, -1}};
}

}  // namespace torsor
