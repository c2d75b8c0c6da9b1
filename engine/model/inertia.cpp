#include "torsor/model/inertia.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "torsor/base/linear_algebra.hpp"

namespace torsor {

// Equations: KHALIL 7.12; MK 31.
SpatialInertia<double> inertia_about_com(double mass, const Vec3<double>& com,
                                         const Sym3<double>& I_com) {
  return {mass, mass * com, I_com + mass * point_inertia(com)};
}

SpatialInertia<double> inertia_about_origin(double mass, const Vec3<double>& com,
                                            const Sym3<double>& I_origin) {
  return {mass, mass * com, I_origin};
}

SpatialInertia<double> inertia_from_moments(double mass, const Vec3<double>& first_moment,
                                            const Sym3<double>& I_origin) {
  return {mass, first_moment, I_origin};
}

// Uses I_c = I_O - m (c.c 1 - c c^T). Without mass, I_c = I_O.
PrincipalInertia principal_inertia(const SpatialInertia<double>& inertia) {
  Sym3<double> I = inertia.I;
  if (inertia.m > 0) {
    const Vec3<double> c = (1 / inertia.m) * inertia.h;
    I = inertia_about_com(-inertia.m, c, I).I;
  }
  Eigen::Matrix3d dense;
  dense << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const SymmetricEigen3 eigen = symmetric_eigen3(dense);
  PrincipalInertia out{};
  for (int k = 0; k < 3; ++k) {
    out.moments[k] = eigen.values[k];
    for (int row = 0; row < 3; ++row) out.axes(row, k) = eigen.vectors(row, k);
  }
  return out;
}

std::optional<std::string> physical_defect(const SpatialInertia<double>& inertia) {
  if (inertia.m < 0) return fmt::format("mass {} kg is negative", inertia.m);
  if (inertia.m == 0 && norm(inertia.h) > 0)
    return fmt::format("mass is 0 but the first moment is ({}, {}, {}) kg m", inertia.h.x,
                       inertia.h.y, inertia.h.z);
  const auto [a, b, c] = principal_inertia(inertia).moments;
  // The moments are computed by a subtraction and an eigenvalue iteration. Both involve numbers as
  // large as the trace about the origin, and each adds a few rounding errors of that size. The
  // tolerance is necessary because rods and plates are exactly on the boundary.
  const double rounding =
      64 * std::numeric_limits<double>::epsilon() *
      (std::abs(inertia.I.xx) + std::abs(inertia.I.yy) + std::abs(inertia.I.zz));
  if (a < -rounding)
    return fmt::format(
        "inertia is not positive: principal moments about the COM are {:.9g}, {:.9g}, {:.9g} kg "
        "m^2",
        a, b, c);
  if (a + b < c - rounding)
    return fmt::format(
        "inertia breaks the triangle inequality: of the principal moments {:.9g}, {:.9g}, {:.9g} "
        "kg m^2 the first two sum to less than the third",
        a, b, c);
  return std::nullopt;
}

// Returns the nearest possible inertia in the Frobenius norm. The inertias that bodies can have
// form a convex cone, which is invariant under rotations. The nearest point of the cone therefore
// has the principal axes of I. Its moments are the point nearest to (a, b, c) in the cone
//   a + b >= c,  b + c >= a,  c + a >= b   (these three exclude negative moments).
// Let a <= b <= c. The nearest point has the same order, so that only a + b >= c can be violated.
// The nearest point is then on the plane a + b = c, at (a + t, b + t, c - t) with t = (c - a - b) /
// 3. If this point violates c + a >= b, the nearest point is on the intersection of both planes.
// This is the ray (0, s, s), the inertias of rods, with s = (b + c) / 2. If s is negative, the
// nearest point is 0, the tip of the cone.
Sym3<double> nearest_possible_inertia(const SpatialInertia<double>& inertia) {
  const PrincipalInertia principal = principal_inertia(inertia);
  auto [a, b, c] = principal.moments;
  if (const double t = (c - a - b) / 3; t > 0) {
    if (a + t >= 0) {
      a += t, b += t, c = a + b;
    } else {
      a = 0;
      b = c = std::max(0.0, (b + c) / 2);
    }
  }
  return rotate(principal.axes, Sym3<double>{a, b, c, 0, 0, 0});
}

}  // namespace torsor
