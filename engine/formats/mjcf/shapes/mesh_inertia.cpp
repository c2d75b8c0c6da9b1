#include "torsor/formats/mjcf/shapes/mesh_inertia.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "torsor/formats/mjcf/shapes/principal_axes.hpp"
#include "torsor/model/inertia.hpp"

namespace torsor::mjcf {

namespace {

// The volume below which MuJoCo takes a solid for flat, m^3, and an area for none, m^2.
constexpr double smallest = 1e-15;

using Float3 = std::array<float, 3>;

// A triangle as MuJoCo computes it: its centre and edges in single precision, and the products of
// coordinates sum r r^T over its corners a, b, c and over a + b + c, in the order of Sym3.
struct Face {
  Vec3<double> centre, normal;  // the length of the normal is twice the area, m^2
  std::array<float, 6> products;
};

Face face_of(const Triangles& triangles, size_t k) {
  Float3 corner[3];
  for (size_t i = 0; i < 3; ++i) {
    const Vec3<double>& p = triangles.vertices[triangles.corners[k][i]];
    corner[i] = {float(p.x), float(p.y), float(p.z)};
  }
  const Float3 &a = corner[0], &b = corner[1], &c = corner[2];
  const auto centre = [&](size_t i) { return double((a[i] + b[i] + c[i]) / 3); };
  const auto edge = [&](const Float3& to) {
    return Vec3<double>{to[0] - a[0], to[1] - a[1], to[2] - a[2]};
  };
  Face out{{centre(0), centre(1), centre(2)}, cross(edge(b), edge(c)), {}};
  constexpr size_t pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (size_t n = 0; n < 6; ++n) {
    const auto [i, j] = pairs[n];
    out.products[n] = 2 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) + a[i] * b[j] + a[j] * b[i] +
                      a[i] * c[j] + a[j] * c[i] + b[i] * c[j] + b[j] * c[i];
  }
  return out;
}

// The area of a triangle without direction is 0, as in MuJoCo.
double area_of(const Face& face) {
  const double twice = norm(face.normal);
  return twice < smallest ? 0 : 0.5 * twice;
}
// The signed volume of the pyramid of the triangle with its tip at a point.
double volume_of(const Face& face, const Vec3<double>& tip) {
  return norm(face.normal) < smallest ? 0 : dot(face.centre - tip, face.normal) / 6;
}

// Returns the centre of the surface, or nullopt if it has no area.
std::optional<Vec3<double>> centre_of_surface(const Triangles& triangles) {
  double area = 0;
  Vec3<double> sum{};
  for (size_t k = 0; k < triangles.corners.size(); ++k) {
    const Face face = face_of(triangles, k);
    area += area_of(face);
    sum += area_of(face) * face.centre;
  }
  if (!(area >= smallest)) return std::nullopt;
  return (1 / area) * sum;
}

// Sums over the pyramids between a point and the triangles, or over the triangles.
struct Sums {
  double amount = 0;
  Vec3<double> first{};   // int r, relative to the point
  Sym3<double> second{};  // int r r^T, about the origin; the point must be the origin
};

// Returns the integrals over the faces of a mesh. z is the centre of a triangle, and P the sum over
// its corners and their sum. The pyramid of volume V and the triangle of area A have
//   int r = 3/4 V z    int r r^T = V/20 P        int r = A z    int r r^T = A/12 P
Sums sums_of(const Triangles& triangles, const Vec3<double>& tip, bool exact, bool shell) {
  Sums out;
  for (size_t k = 0; k < triangles.corners.size(); ++k) {
    const Face face = face_of(triangles, k);
    const double given = shell ? area_of(face) : volume_of(face, tip);
    const double amount = exact ? given : std::abs(given);
    out.amount += amount;
    out.first += ((shell ? 1 : 0.75) * amount) * (face.centre - tip);
    const auto& P = face.products;
    out.second = out.second +
                 (amount / (shell ? 12 : 20)) * Sym3<double>{P[0], P[1], P[2], P[3], P[4], P[5]};
  }
  return out;
}

// The half edges h of a box of mass m have the moments m/3 (h_y^2 + h_z^2), ..
double half_edge(double own, double second, double third) {
  return std::sqrt(std::max(0.0, 1.5 * (second + third - own)));
}

// Returns a mesh whose vertices are moved and rounded to single precision.
Triangles recentred(const Triangles& triangles, const Vec3<double>& centre) {
  Triangles out = triangles;
  for (Vec3<double>& p : out.vertices) {
    const Vec3<double> d = p - centre;
    p = {float(d.x), float(d.y), float(d.z)};
  }
  return out;
}

}  // namespace

// The pyramids of the first pass have their tips at the centre of the surface, those of the second
// at the COM, about which MuJoCo stores the vertices in single precision.
std::optional<MeshInertia> mesh_inertia(const Triangles& triangles, bool exact, bool shell) {
  const auto middle = centre_of_surface(triangles);
  if (!middle) return std::nullopt;
  const Sums first = sums_of(triangles, *middle, exact, shell);
  if (!(std::abs(first.amount) >= smallest)) return std::nullopt;
  const Vec3<double> com = *middle + (1 / first.amount) * first.first;
  const Sums sums = sums_of(recentred(triangles, com), {}, exact, shell);
  const Sym3<double> P = (1 / sums.amount) * sums.second;
  // The accuracy of the axes depends on the mass, which MuJoCo computes with this density.
  const double mass = 1000 * std::abs(sums.amount);
  auto [moments, axes] = principal_axes(
      mass * Sym3<double>{P.yy + P.zz, P.xx + P.zz, P.xx + P.yy, -P.xy, -P.xz, -P.yz});
  for (double& moment : moments) moment /= mass;
  MeshInertia out;
  out.unit = inertia_about_com(1, com, PrincipalAxes{moments, axes}.inertia());
  out.amount = std::abs(sums.amount);
  out.X_MB = {axes, com};
  out.box = {half_edge(moments[0], moments[1], moments[2]),
             half_edge(moments[1], moments[0], moments[2]),
             half_edge(moments[2], moments[0], moments[1])};
  return out;
}

}  // namespace torsor::mjcf
