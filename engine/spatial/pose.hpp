#pragma once
// Poses. X_AB is the pose of frame B in frame A: p_A = R p_B + p, and X_AC = X_AB * X_BC. The
// memory layout is that of the plugin ABI, 12 scalars: R by rows, then p.

#include "torsor/spatial/vec3.hpp"

namespace torsor {

template <class T>
struct Pose {
  Mat3<T> R;
  Vec3<T> p;
  static constexpr Pose identity() { return {Mat3<T>::identity(), {T(0), T(0), T(0)}}; }
};

template <class T>
constexpr Pose<T> operator*(const Pose<T>& X_AB, const Pose<T>& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}
template <class T>
constexpr Vec3<T> operator*(const Pose<T>& X_AB, const Vec3<T>& p_B) {
  return X_AB.p + X_AB.R * p_B;
}
// Equations: MK 4.
template <class T>
constexpr Pose<T> inverse(const Pose<T>& X_AB) {
  return {transpose(X_AB.R), -transpose_times(X_AB.R, X_AB.p)};
}
template <class T>
constexpr Pose<T> translation(const Vec3<T>& p) {
  return {Mat3<T>::identity(), p};
}
inline Pose<double> rotation_x(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{1, 0, 0, 0, c, -s, 0, s, c}}, {0, 0, 0}};
}
inline Pose<double> rotation_y(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{c, 0, s, 0, 1, 0, -s, 0, c}}, {0, 0, 0}};
}
inline Pose<double> rotation_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{c, -s, 0, s, c, 0, 0, 0, 1}}, {0, 0, 0}};
}

}  // namespace torsor
