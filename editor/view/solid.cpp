#include "editor/view/solid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "torsor/model/inertia.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::editor {

std::vector<Solid> solids(const Shape& shape, const Pose<double>& X_V) {
  struct {
    const Pose<double>& X;
    using Out = std::vector<Solid>;
    Out operator()(const Box& box) const { return {{Mesh::box, X, box.size}}; }
    Out operator()(const Cylinder& c) const {
      return {{Mesh::cylinder, X, {c.radius, c.radius, c.length}}};
    }
    Out operator()(const Sphere& s) const {
      return {{Mesh::sphere, X, {s.radius, s.radius, s.radius}}};
    }
    Out operator()(const Capsule& c) const {
      Out out = (*this)(Cylinder{c.radius, c.length});
      for (const double z : {-c.length / 2, c.length / 2})
        out.push_back(
            {Mesh::sphere, X * translation<double>({0, 0, z}), {c.radius, c.radius, c.radius}});
      return out;
    }
    Out operator()(const Cone& c) const {
      return {{Mesh::cylinder, X, {c.radius, c.radius, c.length}, 0}};
    }
    Out operator()(const Ellipsoid& e) const { return {{Mesh::sphere, X, e.radii}}; }
    Out operator()(const MeshFile&) const { return {}; }
  } of{X_V};
  return std::visit(of, shape);
}

std::array<Vec3<double>, 8> box_corners(const Solid& solid) {
  const double edge = solid.mesh == Mesh::box ? 0.5 : 1,
               along = solid.mesh == Mesh::sphere ? 1 : 0.5;
  Vec3<double> high{edge, edge, along}, low = -high;
  if (solid.surface) low = solid.surface->low, high = solid.surface->high;
  std::array<Vec3<double>, 8> out;
  for (size_t k = 0; k < 8; ++k)
    out[k] = solid.X * Vec3<double>{solid.size.x * (k & 1 ? high.x : low.x),
                                    solid.size.y * (k & 2 ? high.y : low.y),
                                    solid.size.z * (k & 4 ? high.z : low.z)};
  return out;
}

Solid bar(const Vec3<double>& a, const Vec3<double>& b, double radius_a, double radius_b) {
  const Vec3<double> way = b - a;
  const double length = norm(way);
  const Mat3<double> R = length > 0 ? rotation_z_to((1 / length) * way) : Mat3<double>::identity();
  return {Mesh::cylinder, {R, 0.5 * (a + b)}, {radius_a, radius_a, length}, radius_b / radius_a};
}

// Solves the three inertia equations: a_i^2 = 5/2 (I_j + I_k - I_i) / m.
std::optional<Solid> inertia_ellipsoid(const SpatialInertia<double>& inertia) {
  if (!(inertia.m > 0)) return std::nullopt;
  auto [I, axes] = principal_inertia(inertia);
  const auto semi_axis = [&inertia, &I = I](size_t i, size_t j, size_t k) {
    return std::sqrt(std::max(0.0, 2.5 * (I[j] + I[k] - I[i]) / inertia.m));
  };
  const Vec3<double> x{axes(0, 0), axes(1, 0), axes(2, 0)}, y{axes(0, 1), axes(1, 1), axes(2, 1)};
  const Vec3<double> z = cross(x, y);  // the third eigenvector may make the axes left-handed
  const Mat3<double> R{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  return Solid{Mesh::sphere,
               {R, (1 / inertia.m) * inertia.h},
               {semi_axis(0, 1, 2), semi_axis(1, 2, 0), semi_axis(2, 0, 1)}};
}

namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();

// Returns the smallest t > 0 with a t^2 + 2 b t + c = 0 that the predicate accepts, or infinity.
template <class Accept>
double first_root(double a, double b, double c, const Accept& accept) {
  const double discriminant = b * b - a * c;
  if (a == 0 || discriminant < 0) return nowhere;
  const double root = std::sqrt(discriminant);
  std::array<double, 2> t{(-b - root) / a, (-b + root) / a};
  if (t[0] > t[1]) std::swap(t[0], t[1]);
  for (const double s : t)
    if (s > 0 && accept(s)) return s;
  return nowhere;
}

// The meet_ functions intersect the ray o + t d with a mesh, in the coordinates of the unit mesh.
// They return the smallest t > 0, which is the same as in the world, or infinity.
double meet_box(const Vec3<double>& o, const Vec3<double>& d, const Vec3<double>& lowest,
                const Vec3<double>& highest) {
  const double from[3] = {o.x, o.y, o.z}, along[3] = {d.x, d.y, d.z};
  const double low[3] = {lowest.x, lowest.y, lowest.z}, high[3] = {highest.x, highest.y, highest.z};
  double enter = -nowhere, leave = nowhere;
  for (int k = 0; k < 3; ++k) {
    if (along[k] == 0) {
      if (from[k] < low[k] || from[k] > high[k]) return nowhere;
      continue;
    }
    const double a = (low[k] - from[k]) / along[k], b = (high[k] - from[k]) / along[k];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  if (enter > leave || leave <= 0) return nowhere;
  return enter > 0 ? enter : leave;
}

double meet_sphere(const Vec3<double>& o, const Vec3<double>& d) {
  return first_root(dot(d, d), dot(o, d), dot(o, o) - 1, [](double) { return true; });
}

// Intersects a cylinder or cone. Its side is x^2 + y^2 = r(z)^2 with r(z) = m + k z. Its ends are
// discs at z = -1/2 and 1/2.
double meet_cylinder(const Vec3<double>& o, const Vec3<double>& d, double taper) {
  const double k = taper - 1, m = (1 + taper) / 2, r = m + k * o.z, s = k * d.z;
  double first = first_root(d.x * d.x + d.y * d.y - s * s, o.x * d.x + o.y * d.y - r * s,
                            o.x * o.x + o.y * o.y - r * r,
                            [&](double t) { return std::abs(o.z + t * d.z) <= 0.5; });
  for (const double z : {-0.5, 0.5}) {
    if (d.z == 0) continue;
    const double t = (z - o.z) / d.z, x = o.x + t * d.x, y = o.y + t * d.y, radius = m + k * z;
    if (t > 0 && x * x + y * y <= radius * radius) first = std::min(first, t);
  }
  return first;
}

// Intersects the triangles (a, a + u, a + v) from either side: o + t d = a + x u + y v. Source:
// Moeller and Trumbore 1997.
double meet_surface(const Vec3<double>& o, const Vec3<double>& d, const Surface& surface) {
  if (meet_box(o, d, surface.low, surface.high) == nowhere) return nowhere;
  const auto corner = [&](size_t k) {
    const float* at = &surface.vertices[6 * size_t(surface.corners[k])];
    return Vec3<double>{at[0], at[1], at[2]};
  };
  double first = nowhere;
  for (size_t k = 0; k + 2 < surface.corners.size(); k += 3) {
    const Vec3<double> a = corner(k), u = corner(k + 1) - a, v = corner(k + 2) - a;
    const Vec3<double> across = cross(d, v), from = o - a, over = cross(from, u);
    const double det = dot(u, across);
    if (det == 0) continue;
    const double x = dot(from, across) / det, y = dot(d, over) / det, t = dot(v, over) / det;
    if (x >= 0 && y >= 0 && x + y <= 1 && t > 0) first = std::min(first, t);
  }
  return first;
}

double meet(const Ray& ray, const Solid& solid) {
  const auto shrunk = [&](const Vec3<double>& u) {
    return Vec3<double>{u.x / solid.size.x, u.y / solid.size.y, u.z / solid.size.z};
  };
  const Vec3<double> o = shrunk(transpose_times(solid.X.R, ray.origin - solid.X.p));
  const Vec3<double> d = shrunk(transpose_times(solid.X.R, ray.direction));
  switch (solid.mesh) {
    case Mesh::box:
      return meet_box(o, d, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
    case Mesh::cylinder:
      return meet_cylinder(o, d, solid.taper);
    case Mesh::sphere:
      return meet_sphere(o, d);
    case Mesh::surface:
      return meet_surface(o, d, *solid.surface);
  }
  return nowhere;
}

}  // namespace

std::optional<Hit> pick(const Ray& ray, std::span<const Solid> solids) {
  Hit first{-1, nowhere};
  for (size_t k = 0; k < solids.size(); ++k)
    if (const double t = meet(ray, solids[k]); t < first.distance) first = {int(k), t};
  if (first.index < 0) return std::nullopt;
  return first;
}

}  // namespace torsor::editor
