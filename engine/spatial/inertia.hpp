#pragma once
// Spatial inertia of a body about the origin of its frame, as (m, h = m c, I about the origin).
// Inertias can be added and transformed without a division. The memory layout is that of the plugin
// ABI: ten scalars.
//
//   [ I    h~ ] [ omega ]   [ n ]
//   [ -h~  m1 ] [   v   ] = [ f ]         (MR 9.23 about the COM; MK 31)

#include "torsor/spatial/screw.hpp"

namespace torsor {

// Equations: KHALIL 7.21.
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
// Returns the inertia of a body with s times the density.
template <class T>
constexpr SpatialInertia<T> operator*(const T& s, const SpatialInertia<T>& M) {
  return {s * M.m, s * M.h, s * M.I};
}
// Returns the momentum of a twist.
// Equations: KHALIL 7.11; MR 9.19, 9.25.
template <class T>
constexpr Wrench<T> operator*(const SpatialInertia<T>& M, const Twist<T>& V) {
  return {M.I * V.w + cross(M.h, V.v), M.m * V.v - cross(M.h, V.w)};
}
// Returns |p|^2 1 - p p^T, the inertia of a unit point mass at p.
template <class T>
constexpr Sym3<T> point_inertia(const Vec3<T>& p) {
  return {p.y * p.y + p.z * p.z,
          p.x * p.x + p.z * p.z,
          p.x * p.x + p.y * p.y,
          -p.x * p.y,
          -p.x * p.z,
          -p.y * p.z};
}
// Returns the inertia of a body about another point. The body has mass m, and first moment h and
// inertia I about its origin. p is the position of this origin relative to the other point. With g
// = h + m p and e = h + g, Steiner's term -(p~ h~ + h~ p~ + m p~ p~) is equal to p.e 1 - (p h^T + g
// p^T). The new inertia is therefore
//   I + p.e 1 - (p h^T + g p^T)
template <class T>
constexpr SpatialInertia<T> shift(const Vec3<T>& p, const T& m, const Vec3<T>& h,
                                  const Sym3<T>& I) {
  const Vec3<T> g = h + m * p, e = h + g;
  const T xx = p.x * e.x, yy = p.y * e.y, zz = p.z * e.z;
  return {m,
          g,
          {I.xx + yy + zz, I.yy + xx + zz, I.zz + xx + yy, I.xy - (p.x * h.y + g.x * p.y),
           I.xz - (p.x * h.z + g.x * p.z), I.yz - (p.y * h.z + g.y * p.z)}};
}
// Returns the inertia of the same body in frame A: Ad(X_BA)^T M Ad(X_BA).
template <class T>
constexpr SpatialInertia<T> transform(const Pose<T>& X_AB, const SpatialInertia<T>& M_B) {
  return shift(X_AB.p, M_B.m, X_AB.R * M_B.h, rotate(X_AB.R, M_B.I));
}

}  // namespace torsor
