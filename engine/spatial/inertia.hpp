#pragma once
// Spatial inertia of a body about the origin of its frame, as (m, h = m c, I about the origin): no division
// is needed to add or move them. Layout is that of the plugin ABI: ten scalars.
//
//   [ I    h~ ] [ omega ]   [ n ]
//   [ -h~  m1 ] [   v   ] = [ f ]         (MR 9.23 about the COM; MK 27)

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
// The same body seen from frame A: Ad(X_BA)^T M Ad(X_BA). With h and I rotated, g = h + m p and
// e = h + g, Steiner's theorem -(p~ h~ + h~ p~ + m p~ p~) is p.e 1 minus the symmetric products of p with h and g:
//   I_A = R I R^T + p.e 1 - (p h^T + g p^T)
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
