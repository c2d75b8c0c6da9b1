#include "torsor/contact/convex.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace torsor {

namespace {

using Shape3 = const CollisionShape&;
using V3 = Vec3<double>;

double no_radius(Shape3) {
  return 0;
}
double size_x(Shape3 shape) {
  return shape.size.x;
}

V3 center(Shape3, const V3&) {
  return {0, 0, 0};
}
void center_feature(Shape3, const V3&, ContactFeature& out) {
  out.add({0, 0, 0}, 0);
}
SurfacePoint sphere_distance(Shape3 shape, const V3& p) {
  const double d = norm(p);
  return {d - shape.size.x, d > 0 ? (1 / d) * p : V3{0, 0, 1}};
}

V3 segment_support(Shape3 shape, const V3& d) {
  return {0, 0, d.z >= 0 ? shape.size.z : -shape.size.z};
}
void segment_feature(Shape3 shape, const V3&, ContactFeature& out) {
  out.add({0, 0, shape.size.z}, 0);
  out.add({0, 0, -shape.size.z}, 1);
}
SurfacePoint capsule_distance(Shape3 shape, const V3& p) {
  const V3 r = p - V3{0, 0, std::clamp(p.z, -shape.size.z, shape.size.z)};
  const double d = norm(r);
  return {d - shape.size.x, d > 0 ? (1 / d) * r : V3{1, 0, 0}};
}

V3 box_support(Shape3 shape, const V3& d) {
  const V3& h = shape.size;
  return {std::copysign(h.x, d.x), std::copysign(h.y, d.y), std::copysign(h.z, d.z)};
}

// The corners of the face towards axis a. Corner ids have a bit for each positive coordinate.
void box_feature(Shape3 shape, const V3& n, ContactFeature& out) {
  const double h[] = {shape.size.x, shape.size.y, shape.size.z}, m[] = {n.x, n.y, n.z};
  size_t a = 0;
  for (size_t k = 1; k < 3; ++k)
    if (std::abs(m[k]) > std::abs(m[a])) a = k;
  const bool positive = m[a] >= 0;
  const size_t b = (a + (positive ? 1 : 2)) % 3, c = (a + (positive ? 2 : 1)) % 3;
  constexpr int signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  for (const auto& [of_b, of_c] : signs) {
    double p[3];
    p[a] = positive ? h[a] : -h[a];
    p[b] = of_b * h[b];
    p[c] = of_c * h[c];
    out.add({p[0], p[1], p[2]}, (p[0] > 0 ? 1u : 0) | (p[1] > 0 ? 2u : 0) | (p[2] > 0 ? 4u : 0));
  }
}
SurfacePoint box_distance(Shape3 shape, const V3& p) {
  const double x[] = {p.x, p.y, p.z}, h[] = {shape.size.x, shape.size.y, shape.size.z};
  double out[3], normal[3] = {0, 0, 0};
  size_t nearest = 0;
  for (size_t k = 0; k < 3; ++k) {
    out[k] = std::abs(x[k]) - h[k];
    if (out[k] > out[nearest]) nearest = k;
  }
  if (out[nearest] <= 0) {
    normal[nearest] = std::copysign(1, x[nearest]);
    return {out[nearest], {normal[0], normal[1], normal[2]}};
  }
  for (size_t k = 0; k < 3; ++k) normal[k] = out[k] > 0 ? std::copysign(out[k], x[k]) : 0;
  const V3 r{normal[0], normal[1], normal[2]};
  return {norm(r), (1 / norm(r)) * r};
}

// Returns the unit vector of the x and y parts of a vector, or x if they are less than rounding.
V3 radial(const V3& d) {
  constexpr double rounding = 1e-9;
  const double r = std::hypot(d.x, d.y);
  return r > rounding * std::abs(d.z) ? V3{d.x / r, d.y / r, 0} : V3{1, 0, 0};
}

// Adds the rim of a disc at height z. The first corner is the farthest one along e. side: 1 if the
// disc looks up, -1 if it looks down.
void add_disc(double radius, double z, const V3& e, double side, uint32_t first_id,
              ContactFeature& out) {
  constexpr int n = 8;
  const double step = side * std::numbers::pi / 4;
  for (int k = 0; k < n; ++k) {
    // Exact for the corners that are opposite or at right angles to the first one.
    const double quarter[] = {1, 0, -1, 0};
    const bool exact = k % 2 == 0;
    const double c = exact ? quarter[k / 2] : std::cos(k * step);
    const double s = exact ? side * quarter[(k / 2 + 3) % 4] : std::sin(k * step);
    out.add({radius * (c * e.x - s * e.y), radius * (s * e.x + c * e.y), z},
            first_id + uint32_t(k));
  }
}

V3 cylinder_support(Shape3 shape, const V3& d) {
  const V3 e = radial(d);
  return {shape.size.x * e.x, shape.size.x * e.y, std::copysign(shape.size.z, d.z)};
}
// A straight line of the side, or one of both discs: that with less distance along n between its
// nearest and its farthest point.
void cylinder_feature(Shape3 shape, const V3& n, ContactFeature& out) {
  const double r = shape.size.x, l = shape.size.z;
  const V3 e = radial(n);
  if (l * std::abs(n.z) < r * std::hypot(n.x, n.y)) {
    out.add({r * e.x, r * e.y, l}, 16);
    out.add({r * e.x, r * e.y, -l}, 17);
  } else {
    add_disc(r, std::copysign(l, n.z), e, n.z >= 0 ? 1 : -1, n.z >= 0 ? 0 : 8, out);
  }
}
// The support function is r |(n_x, n_y)| + l |n_z|.
Sym3<double> rim_curvature(double radius, const V3& n) {
  const double r = std::hypot(n.x, n.y);
  if (r == 0) return {};
  const double x = n.x / r, y = n.y / r, k = radius / r;
  return {k * y * y, k * x * x, 0, -k * x * y, 0, 0};
}
Sym3<double> cylinder_curvature(Shape3 shape, const V3& n) {
  return rim_curvature(shape.size.x, n);
}

// The distance of a point from a convex polygon in the half plane rho >= 0 that has the z axis on
// its border. edges: the others, counter-clockwise.
struct ProfileEdge {
  double rho0, z0, rho1, z1;
};
template <size_t n>
SurfacePoint profile_distance(const std::array<ProfileEdge, n>& edges, const V3& p) {
  const V3 e = radial(p);
  const double rho = p.x * e.x + p.y * e.y;
  double depth = -std::numeric_limits<double>::infinity(), gap = -depth;
  V3 inner{}, outer{};
  for (const auto& [rho0, z0, rho1, z1] : edges) {
    const double u = rho1 - rho0, w = z1 - z0, length = std::hypot(u, w);
    const double a = rho - rho0, b = p.z - z0;
    const double height = (a * w - b * u) / length;  // above the edge, whose normal is (w, -u)
    if (height > depth) depth = height, inner = {w / length * e.x, w / length * e.y, -u / length};
    const double t = std::clamp((a * u + b * w) / (length * length), 0.0, 1.0);
    const double x = a - t * u, z = b - t * w, d = std::hypot(x, z);
    if (height > 0 && d < gap && d > 0) gap = d, outer = {x / d * e.x, x / d * e.y, z / d};
  }
  return depth <= 0 ? SurfacePoint{depth, inner} : SurfacePoint{gap, outer};
}
SurfacePoint cylinder_distance(Shape3 shape, const V3& p) {
  const double r = shape.size.x, l = shape.size.z;
  return profile_distance<3>({{{0, -l, r, -l}, {r, -l, r, l}, {r, l, 0, l}}}, p);
}
SurfacePoint cone_distance(Shape3 shape, const V3& p) {
  const double r = shape.size.x, l = shape.size.z;
  return profile_distance<2>({{{0, -l, r, -l}, {r, -l, 0, l}}}, p);
}

bool is_apex(Shape3 shape, const V3& d) {
  return shape.size.z * d.z >= shape.size.x * std::hypot(d.x, d.y) - shape.size.z * d.z;
}
V3 cone_support(Shape3 shape, const V3& d) {
  if (is_apex(shape, d)) return {0, 0, shape.size.z};
  const V3 e = radial(d);
  return {shape.size.x * e.x, shape.size.x * e.y, -shape.size.z};
}
// The disc, or a straight line of the side, as for a cylinder.
void cone_feature(Shape3 shape, const V3& n, ContactFeature& out) {
  const double r = shape.size.x, l = shape.size.z, across = r * std::hypot(n.x, n.y);
  const V3 e = radial(n);
  if (n.z < 0 && 2 * across < std::abs(across - 2 * l * n.z)) return add_disc(r, -l, e, -1, 8, out);
  out.add({0, 0, l}, 16);
  out.add({r * e.x, r * e.y, -l}, 17);
}
Sym3<double> cone_curvature(Shape3 shape, const V3& n) {
  return is_apex(shape, n) ? Sym3<double>{} : rim_curvature(shape.size.x, n);
}

// The support function is |R n|, with the semi-axes R.
V3 ellipsoid_support(Shape3 shape, const V3& d) {
  const V3& R = shape.size;
  const V3 s{R.x * d.x, R.y * d.y, R.z * d.z};
  const double length = norm(s);
  if (!(length > 0)) return {R.x, 0, 0};
  return {R.x * s.x / length, R.y * s.y / length, R.z * s.z / length};
}
void ellipsoid_feature(Shape3 shape, const V3& n, ContactFeature& out) {
  out.add(ellipsoid_support(shape, n), 0);
}
Sym3<double> ellipsoid_curvature(Shape3 shape, const V3& n) {
  const V3 &R = shape.size, x = ellipsoid_support(shape, n);
  const double k = 1 / norm(V3{R.x * n.x, R.y * n.y, R.z * n.z});
  return {k * (R.x * R.x - x.x * x.x),
          k * (R.y * R.y - x.y * x.y),
          k * (R.z * R.z - x.z * x.z),
          -k * x.x * x.y,
          -k * x.x * x.z,
          -k * x.y * x.z};
}

size_t farthest_vertex(const ConvexHull& hull, const V3& d) {
  size_t best = 0;
  double farthest = dot(hull.vertices[0], d);
  for (size_t k = 1; k < hull.vertices.size(); ++k)
    if (const double along = dot(hull.vertices[k], d); along > farthest) farthest = along, best = k;
  return best;
}
V3 convex_support(Shape3 shape, const V3& d) {
  return shape.hull->vertices[farthest_vertex(*shape.hull, d)];
}
// The face with the farthest vertex whose normal is nearest to n.
void convex_feature(Shape3 shape, const V3& n, ContactFeature& out) {
  const ConvexHull& hull = *shape.hull;
  const size_t vertex = farthest_vertex(hull, n);
  size_t best = 0;
  double nearest = -2;
  for (size_t f = 0; f < hull.n_face(); ++f)
    if (const double along = dot(hull.normals[f], n); along > nearest)
      if (std::ranges::find(hull.face(f), uint32_t(vertex)) != hull.face(f).end())
        nearest = along, best = f;
  const auto corners = hull.face(best);
  const size_t count = std::min<size_t>(corners.size(), ContactFeature::most);
  for (size_t k = 0; k < count; ++k) {
    const uint32_t corner = corners[k * corners.size() / count];
    out.add(hull.vertices[corner], corner & 0x3fff);
  }
}

constexpr ConvexTraits convex_kinds[] = {
    {nullptr, nullptr, nullptr},
    {center, center_feature, size_x, nullptr, sphere_distance},
    {box_support, box_feature, no_radius, nullptr, box_distance},
    {segment_support, segment_feature, size_x, nullptr, capsule_distance},
    {cylinder_support, cylinder_feature, no_radius, cylinder_curvature, cylinder_distance},
    {ellipsoid_support, ellipsoid_feature, no_radius, ellipsoid_curvature},
    {cone_support, cone_feature, no_radius, cone_curvature, cone_distance},
    {convex_support, convex_feature, no_radius},
    {nullptr, nullptr, nullptr}};
static_assert(std::size(convex_kinds) == n_shape_kind);

}  // namespace

const ConvexTraits* convex_traits(ShapeKind kind) {
  const ConvexTraits& row = convex_kinds[size_t(kind)];
  return row.support ? &row : nullptr;
}

}  // namespace torsor
