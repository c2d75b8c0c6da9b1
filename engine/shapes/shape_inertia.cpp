#include "torsor/shapes/shape_inertia.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/shapes/closed_surface.hpp"

namespace torsor {

namespace {

// The moments of a body with the density rho. The inertia matrix is (tr P) 1 - P (MR 9.2.1, the
// integrals before 9.18; JIN 33).
struct Moments {
  double m = 0;           // int rho dV
  Vec3<double> h{};       // int rho r dV
  Sym3<double> second{};  // P = int rho r r^T dV

  SpatialInertia<double> inertia() const {
    const Sym3<double>& P = second;
    return {m, h, {P.yy + P.zz, P.xx + P.zz, P.xx + P.yy, -P.xy, -P.xz, -P.yz}};
  }
};

// Returns the moments of a body of mass 1 with the centre of mass (0, 0, z) and diagonal P.
Moments of_unit_mass(double z, double Pxx, double Pyy, double Pzz) {
  return {1, {0, 0, z}, {Pxx, Pyy, Pzz, 0, 0, 0}};
}

// The moments of each shape with mass 1.
struct UnitMoments {
  Moments operator()(const Box& box) const {
    const auto& [x, y, z] = box.size;
    return of_unit_mass(0, x * x / 12, y * y / 12, z * z / 12);
  }
  Moments operator()(const Cylinder& cylinder) const {
    const double r2 = cylinder.radius * cylinder.radius;
    return of_unit_mass(0, r2 / 4, r2 / 4, cylinder.length * cylinder.length / 12);
  }
  Moments operator()(const Sphere& sphere) const {
    return (*this)(Ellipsoid{{sphere.radius, sphere.radius, sphere.radius}});
  }
  // The centre of a half sphere is 3/8 r above its flat side, which is L/2 away from the origin.
  Moments operator()(const Capsule& capsule) const {
    const auto [r, L] = capsule;
    const double middle = L / (L + 4 * r / 3), ends = 1 - middle;  // fractions of the mass
    const double across = (middle / 4 + ends / 5) * r * r;
    return of_unit_mass(0, across, across,
                        middle * L * L / 12 + ends * (r * r / 5 + 3 * L * r / 8 + L * L / 4));
  }
  // The radius at the height s above the base is r (1 - s/L), so that the mean of s is L/4, and
  // that of (s - L/2)^2 is L^2/10.
  Moments operator()(const Cone& cone) const {
    const auto [r, L] = cone;
    return of_unit_mass(-L / 4, 3 * r * r / 20, 3 * r * r / 20, L * L / 10);
  }
  Moments operator()(const Ellipsoid& ellipsoid) const {
    const auto& [x, y, z] = ellipsoid.radii;
    return of_unit_mass(0, x * x / 5, y * y / 5, z * z / 5);
  }
  Moments operator()(const MeshFile&) const {
    assert(false);
    return {};
  }
};

// Adds the integrals over the tetrahedron (0, a, b, c), whose volume is det/6. With s = a + b + c,
//   int r dV = det/24 s,   int r r^T dV = det/120 (a a^T + b b^T + c c^T + s s^T)
void add_tetrahedron(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c,
                     Moments& out) {
  const double det = dot(a, cross(b, c));
  const Vec3<double> s = a + b + c;
  out.m += det / 6;
  out.h += det / 24 * s;
  for (const Vec3<double>& r : {a, b, c, s})
    out.second = out.second + det / 120 * Sym3<double>{r.x * r.x, r.y * r.y, r.z * r.z,
                                                       r.x * r.y, r.x * r.z, r.y * r.z};
}

struct Extent {
  Vec3<double> low, high;
};
Extent extent_of(const std::vector<Vec3<double>>& vertices) {
  Extent out{vertices.front(), vertices.front()};
  for (const Vec3<double>& p : vertices) {
    out.low = {std::min(out.low.x, p.x), std::min(out.low.y, p.y), std::min(out.low.z, p.z)};
    out.high = {std::max(out.high.x, p.x), std::max(out.high.y, p.y), std::max(out.high.z, p.z)};
  }
  return out;
}

}  // namespace

// Equations: KHALIL 7.3.
SpatialInertia<double> inertia_of(const Shape& shape, double density) {
  return density * volume(shape) * std::visit(UnitMoments{}, shape).inertia();
}

// The sum over the tetrahedra between a point and each triangle (Gauss's theorem). The point is the
// centre of the bounding box, so that the terms are no larger than the body.
SpatialInertia<double> inertia_of(const Triangles& surface, double density) {
  if (surface.corners.empty()) throw Error("the mesh has no triangles");
  const std::vector<uint32_t> parts = parts_of_closed_surface(surface);
  const auto [low, high] = extent_of(surface.vertices);
  const Vec3<double> centre = 0.5 * (low + high);
  Moments sum;
  std::vector<double> volumes;  // of the parts
  for (size_t k = 0; k < surface.corners.size(); ++k) {
    const auto& [a, b, c] = surface.corners[k];
    const double before = sum.m;
    add_tetrahedron(surface.vertices[a] - centre, surface.vertices[b] - centre,
                    surface.vertices[c] - centre, sum);
    volumes.resize(std::max(volumes.size(), size_t(parts[k]) + 1));
    volumes[parts[k]] += sum.m - before;
  }
  const double smallest = 1e-12 * std::pow(norm(high - low), 3);
  if (!(std::abs(sum.m) > smallest))
    throw Error(fmt::format("the mesh encloses a volume of {:.3g} m^3; give it a thickness",
                            std::abs(sum.m)));
  require_cavities(surface, parts, volumes);
  const SpatialInertia<double> M = (sum.m > 0 ? density : -density) * sum.inertia();
  return shift(centre, M.m, M.h, M.I);
}

}  // namespace torsor
