#pragma once
// Twists, wrenches and screws: six-vectors, angular part first.
//
//   twist  V = (omega, v)    v is the velocity of the body point at the frame's origin
//   wrench F = (n, f)        n is the moment about the frame's origin
//
// Change of frame (MK 18 for twists; MR 9.46 and 9.56 use both). With X_AB = (R, p):
//   V_A = Ad(X_AB) V_B:     omega_A = R omega_B,  v_A = R v_B + p x (R omega_B)
//   F_A = Ad(X_BA)^T F_B:   f_A = R f_B,          n_A = R n_B + p x (R f_B)
// The power V . F therefore does not depend on the frame.

#include "torsor/spatial/pose.hpp"

namespace torsor {

template <class T>
struct Twist {
  Vec3<T> w, v;
};
template <class T>
struct Wrench {
  Vec3<T> n, f;
};

template <class T>
constexpr Twist<T> operator+(const Twist<T>& a, const Twist<T>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class T>
constexpr Twist<T> operator-(const Twist<T>& a, const Twist<T>& b) {
  return {a.w - b.w, a.v - b.v};
}
template <class T>
constexpr Twist<T> operator*(const T& s, const Twist<T>& a) {
  return {s * a.w, s * a.v};
}
template <class T>
constexpr Wrench<T> operator+(const Wrench<T>& a, const Wrench<T>& b) {
  return {a.n + b.n, a.f + b.f};
}
template <class T>
constexpr Wrench<T> operator-(const Wrench<T>& a, const Wrench<T>& b) {
  return {a.n - b.n, a.f - b.f};
}
template <class T>
constexpr Wrench<T> operator*(const T& s, const Wrench<T>& a) {
  return {s * a.n, s * a.f};
}
// Returns the power V . F.
template <class T>
constexpr T dot(const Twist<T>& V, const Wrench<T>& F) {
  return dot(V.w, F.n) + dot(V.v, F.f);
}

// Returns V_A = Ad(X_AB) V_B.
template <class T>
constexpr Twist<T> transform(const Pose<T>& X_AB, const Twist<T>& V_B) {
  const Vec3<T> w = X_AB.R * V_B.w;
  return {w, X_AB.R * V_B.v + cross(X_AB.p, w)};
}
// Returns V_B = Ad(X_AB)^-1 V_A.
// Equations: KHALIL 7.23a.
template <class T>
constexpr Twist<T> inverse_transform(const Pose<T>& X_AB, const Twist<T>& V_A) {
  return {transpose_times(X_AB.R, V_A.w), transpose_times(X_AB.R, V_A.v + cross(V_A.w, X_AB.p))};
}
// Returns F_A = Ad(X_BA)^T F_B.
// Equations: KHALIL 7.59.
template <class T>
constexpr Wrench<T> transform(const Pose<T>& X_AB, const Wrench<T>& F_B) {
  const Vec3<T> f = X_AB.R * F_B.f;
  return {X_AB.R * F_B.n + cross(X_AB.p, f), f};
}
// Returns F_B = Ad(X_AB)^T F_A.
template <class T>
constexpr Wrench<T> inverse_transform(const Pose<T>& X_AB, const Wrench<T>& F_A) {
  return {transpose_times(X_AB.R, F_A.n + cross(F_A.f, X_AB.p)), transpose_times(X_AB.R, F_A.f)};
}

// Returns the Lie bracket ad_V U = (w x u_w, w x u_v + v x u_w)   (MR 9.28, 9.29, 9.30).
// Equations: MK 21.
template <class T>
constexpr Twist<T> ad(const Twist<T>& V, const Twist<T>& U) {
  return {cross(V.w, U.w), cross(V.w, U.v) + cross(V.v, U.w)};
}
// Returns ad_V^T F = -(w x n + v x f, w x f), the dual of the Lie bracket   (MR 9.31).
// Equations: MR 9.26.
template <class T>
constexpr Wrench<T> ad_transpose(const Twist<T>& V, const Wrench<T>& F) {
  return {cross(F.n, V.w) + cross(F.f, V.v), cross(F.f, V.w)};
}

}  // namespace torsor
