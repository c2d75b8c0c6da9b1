#pragma once
// Spatial inertia of a body about the origin of its frame, as (m, h = m c, I about the origin): no division
// is needed to add or move them. Layout is that of the plugin ABI: ten scalars.
//
//   [ I    h~ ] [ omega ]   [ n ]
//   [ -h~  m1 ] [   v   ] = [ f ]         (MR 8.32 about the COM; KHALIL 7.55-7.56; MK 27)

#include "torsor/spatial/screw.hpp"

namespace torsor {

template <class T>
struct SpatialInertia {
  T m;
  Vec3<T> h;
  Sym3<T> I;
  static constexpr SpatialInertia zero() {
    return {T(0), {T(0), T(0), T(0)}, {T(0), T(0), T(0), T(0), T(0), T(0)}};
  }
};

template <class T>
constexpr SpatialInertia<T> operator+(const SpatialInertia<T>& a, const SpatialInertia<T>& b) {
  return {a.m + b.m, a.h + b.h, a.I + b.I};
}
// Momentum of a twist.
template <class T>
constexpr Wrench<T> operator*(const SpatialInertia<T>& M, const Twist<T>& V) {
  return {M.I * V.w + cross(M.h, V.v), M.m * V.v - cross(M.h, V.w)};
}
// |p|^2 1 - p p^T: the inertia of a unit point mass at p.
template <class T>
constexpr Sym3<T> point_inertia(const Vec3<T>& p) {
  return {p.y * p.y + p.z * p.z,
          p.x * p.x + p.z * p.z,
          p.x * p.x + p.y * p.y,
          -p.x * p.y,
          -p.x * p.z,
          -p.y * p.z};
}
// The same body seen from frame A: Ad(X_BA)^T M Ad(X_BA). Rotation, then the shift by p of Steiner's theorem
// in the form
//   I_A = R I R^T + p~ of (h + g):  sym(2 p.h1 - p h^T - h p^T) + m point_inertia(p), with h rotated and g =
//   h + m p.
template <class T>
constexpr SpatialInertia<T> transform(const Pose<T>& X_AB, const SpatialInertia<T>& M_B) {
  const Vec3<T> h = X_AB.R * M_B.h, p = X_AB.p;
  const Vec3<T> g = h + M_B.m * p, e = h + g;
  const T xx = p.x * e.x, yy = p.y * e.y, zz = p.z * e.z;
  const Sym3<T> r = rotate(X_AB.R, M_B.I);
  return {M_B.m,
          g,
          {r.xx + yy + zz, r.yy + xx + zz, r.zz + xx + yy, r.xy - (p.x * h.y + g.x * p.y),
           r.xz - (p.x * h.z + g.x * p.z), r.yz - (p.y * h.z + g.y * p.z)}};
}

}  // namespace torsor
