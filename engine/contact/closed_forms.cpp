// Closed forms of the separation of half spaces, spheres, capsules and boxes.

#include <algorithm>
#include <array>
#include <cmath>

#include "torsor/contact/pair.hpp"

namespace torsor {

namespace {

using V3 = Vec3<double>;

V3 z_axis(const Pose<double>& X) {
  return {X.R.m[2], X.R.m[5], X.R.m[8]};
}

// Returns the separation between p_A on the surface of A and p_B on that of B.
Separation between(double gap, const V3& n_W, const V3& p_A) {
  return {gap, n_W, p_A + (0.5 * gap) * n_W};
}

}  // namespace

// The point of B that is farthest below the plane is the nearest one: gap = n . (x - p).
Separation separate_half_space(PairMemory&, const PlacedShape& half_space, const PlacedShape& b) {
  const V3 n = z_axis(half_space.X_WC);
  const V3 x = b.support(-n) - b.radius() * n;
  const double gap = dot(n, x - half_space.X_WC.p);
  return between(gap, n, x - gap * n);
}

// The corners of the feature that faces the plane, each with its own gap.
void add_half_space_points(PairMemory& memory, const PlacedShape& half_space, const PlacedShape& b,
                           double margin) {
  const V3 n = z_axis(half_space.X_WC);
  ContactFeature feature;
  b.kind->feature(*b.shape, transpose_times(b.X_WC.R, -n), feature);
  for (int k = 0; k < feature.count; ++k) {
    const auto& [p, id] = feature.corners[size_t(k)];
    const V3 x = b.X_WC * p - b.radius() * n;
    const double gap = dot(n, x - half_space.X_WC.p);
    memory.candidates.add({x - (0.5 * gap) * n, n, gap, id}, margin);
  }
}

Separation separate_sphere(PairMemory&, const PlacedShape& sphere, const PlacedShape& b) {
  const V3& center = sphere.X_WC.p;
  const double radius = sphere.radius();
  const auto [distance, normal] =
      b.kind->distance(*b.shape, transpose_times(b.X_WC.R, center - b.X_WC.p));
  const V3 n = -(b.X_WC.R * normal);
  return between(distance - radius, n, center + radius * n);
}

namespace {

struct Segment {
  V3 middle, half;  // the ends are middle - half and middle + half
  V3 at(double t) const { return middle + t * half; }
  // Returns the place of the projection of x on the line.
  double projection(const V3& x) const { return dot(x - middle, half) / dot(half, half); }
  // Returns the place, from -1 to 1, of the point that is nearest to x.
  double nearest(const V3& x) const { return std::clamp(projection(x), -1.0, 1.0); }
};
Segment segment_of(const PlacedShape& capsule) {
  return {capsule.X_WC.p, capsule.shape->size.z * z_axis(capsule.X_WC)};
}

struct Places {
  double s, t;
};

// Returns the nearest points of two segments. The minimum of |a(s) - b(t)|^2 is at the crossing of
// the lines if it is in both segments, otherwise at an end of one of them.
Places nearest_points(const Segment& a, const Segment& b) {
  const V3 w = b.middle - a.middle;
  const double aa = dot(a.half, a.half), bb = dot(b.half, b.half), ab = dot(a.half, b.half);
  const double det = aa * bb - ab * ab, wa = dot(w, a.half), wb = dot(w, b.half);
  constexpr double parallel = 1e-14;
  if (det > parallel * aa * bb) {
    const Places inside{(wa * bb - wb * ab) / det, (wa * ab - wb * aa) / det};
    if (std::abs(inside.s) <= 1 && std::abs(inside.t) <= 1) return inside;
  }
  const Places ends[] = {{-1, b.nearest(a.at(-1))},
                         {1, b.nearest(a.at(1))},
                         {a.nearest(b.at(-1)), -1},
                         {a.nearest(b.at(1)), 1}};
  return *std::ranges::min_element(ends, {},
                                   [&](const Places& p) { return norm(b.at(p.t) - a.at(p.s)); });
}

// Returns the separation at two points of the axes. If the axes meet there, the normal is
// perpendicular to both, on the side of the centre of B.
Separation at_places(const PlacedShape& A, const PlacedShape& B, const Segment& a, const Segment& b,
                     const Places& at) {
  const V3 p = a.at(at.s), d = b.at(at.t) - p;
  const double length = norm(d);
  V3 n = (1 / length) * d;
  if (!(length > 0)) {
    n = cross(a.half, b.half);
    if (!(norm(n) > 0))
      n = cross(a.half, std::abs(a.half.x) < norm(a.half) / 2 ? V3{1, 0, 0} : V3{0, 1, 0});
    n = (dot(n, b.middle - a.middle) < 0 ? -1 : 1) / norm(n) * n;
  }
  return between(length - A.radius() - B.radius(), n, p + A.radius() * n);
}

}  // namespace

Separation separate_capsules(PairMemory&, const PlacedShape& a, const PlacedShape& b) {
  const Segment of_a = segment_of(a), of_b = segment_of(b);
  return at_places(a, b, of_a, of_b, nearest_points(of_a, of_b));
}

// The nearest points, and each end with the nearest point of the other axis. Ends count only where
// they are beside the other axis: parallel capsules touch at two points.
void add_capsule_points(PairMemory& memory, const PlacedShape& a, const PlacedShape& b,
                        double margin) {
  const Segment of_a = segment_of(a), of_b = segment_of(b);
  const auto add = [&](const Places& places, uint32_t id) {
    const Separation s = at_places(a, b, of_a, of_b, places);
    memory.candidates.add({s.p_W, s.n_W, s.gap, id}, margin);
  };
  constexpr double beside = 1 + 1e-9;
  uint32_t id = 0;
  for (const double end : {-1.0, 1.0}) {
    const double t = of_b.projection(of_a.at(end)), s = of_a.projection(of_b.at(end));
    if (std::abs(t) < beside) add({end, t}, id);
    if (std::abs(s) < beside) add({s, end}, id + 1);
    id += 2;
  }
  add(nearest_points(of_a, of_b), id);
}

namespace {

V3 column(const Mat3<double>& R, size_t k) {
  return {R.m[k], R.m[3 + k], R.m[6 + k]};
}

}  // namespace

// The separating axes of two boxes (Gottschalk, Lin and Manocha, 1996): the normals of their faces,
// and the products of their edges. The largest separation along them is the signed distance of
// boxes that overlap. It is the distance of boxes that are apart only if their nearest points are
// on a face or on two edges; otherwise GJK finds them.
Separation separate_boxes(PairMemory& memory, const PlacedShape& a, const PlacedShape& b) {
  const Mat3<double>&R_A = a.X_WC.R, &R_B = b.X_WC.R;
  const double size = std::min(a.size, b.size);
  // A later axis replaces an earlier one only if it is better by more than rounding, so that the
  // axis does not change from step to step.
  constexpr double rounding = 1e-12, parallel = 1e-6;
  const V3 d = b.X_WC.p - a.X_WC.p;
  double best = -HUGE_VAL;
  V3 n{0, 0, 1};
  const auto test = [&](V3 axis) {
    if (dot(axis, d) < 0) axis = -axis;
    const double s = core_separation(a, b, axis);
    if (s > best + rounding * size) best = s, n = axis;
  };
  for (size_t k = 0; k < 3; ++k) test(column(R_A, k));
  for (size_t k = 0; k < 3; ++k) test(column(R_B, k));
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) {
      const V3 axis = cross(column(R_A, i), column(R_B, j));
      if (const double length = norm(axis); length > parallel) test((1 / length) * axis);
    }
  const V3 p_A = a.support(n), p_B = b.support(-n);
  const Separation of_axes{best, n, 0.5 * (p_A + p_B)};
  if (best <= 0) return of_axes;
  const Separation nearest = memory.solver.solve_apart(a, b);
  constexpr double equal = 1e-9;
  return nearest.gap > best + equal * size ? nearest : of_axes;
}

}  // namespace torsor
