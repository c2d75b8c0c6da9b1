#include "torsor/contact/manifold.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace torsor {

namespace {

using V3 = Vec3<double>;

// Lengths, as parts of the size of the shapes. Points nearer than `same` are one point. A corner
// may be `outside` the other feature by this: directions are exact to about 1e-9. Gaps that differ
// less than `equal` are equal.
constexpr double same = 1e-6, outside = 1e-7, equal = 1e-9;

// A feature in the plane perpendicular to the normal: coordinates x and y along the tangents, and
// the height z along the normal.
struct Projected {
  std::array<V3, ContactFeature::most> p;
  std::array<uint32_t, ContactFeature::most> id;
  size_t count = 0;
  V3 plane{};  // for three corners or more: z = plane.x x + plane.y y + plane.z
};

double area(const V3& a, const V3& b, const V3& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Keeps the edge with the corner of the largest height times `side`, if the feature is seen from
// its edge.
void flatten(double side, Projected& out) {
  if (out.count < 3) return;
  double twice = 0, length = 0;
  for (size_t k = 1; k + 1 < out.count; ++k) twice += area(out.p[0], out.p[k], out.p[k + 1]);
  for (size_t k = 0; k < out.count; ++k) {
    const V3 d = out.p[k] - out.p[(k + 1) % out.count];
    length += dot(d, d);
  }
  constexpr double from_its_edge = 0.02;
  if (std::abs(twice) > from_its_edge * length) {
    // The plane through the corners 0, i and j that span the largest triangle.
    size_t i = 1, j = 2;
    for (size_t k = 1; k < out.count; ++k)
      for (size_t l = k + 1; l < out.count; ++l)
        if (std::abs(area(out.p[0], out.p[k], out.p[l])) >
            std::abs(area(out.p[0], out.p[i], out.p[j])))
          i = k, j = l;
    const V3 n = cross(out.p[i] - out.p[0], out.p[j] - out.p[0]);
    out.plane = {-n.x / n.z, -n.y / n.z, dot(n, out.p[0]) / n.z};
    return;
  }
  size_t top = 0;
  for (size_t k = 1; k < out.count; ++k)
    if (side * out.p[k].z > side * out.p[top].z) top = k;
  const size_t before = (top + out.count - 1) % out.count, after = (top + 1) % out.count;
  const size_t other = side * out.p[before].z > side * out.p[after].z ? before : after;
  const std::array p{out.p[top], out.p[other]};
  const std::array id{out.id[top], out.id[other]};
  std::ranges::copy(p, out.p.begin());
  std::ranges::copy(id, out.id.begin());
  out.count = 2;
}

// The axes of the plane: columns t1, t2, n.
struct Axes3 {
  V3 t1, t2, n;
  V3 components(const V3& p) const { return {dot(t1, p), dot(t2, p), dot(n, p)}; }
  V3 point(const V3& u) const { return u.x * t1 + u.y * t2 + u.z * n; }
};

Axes3 axes_of(const V3& n) {
  const V3 e = std::abs(n.x) < 0.6 ? V3{1, 0, 0} : V3{0, 1, 0};
  const V3 t = cross(n, e), t1 = (1 / norm(t)) * t;
  return {t1, cross(n, t1), n};
}

// side: 1 for A, whose outward normal is n, and -1 for B.
void project(const PlacedShape& shape, double side, const Axes3& axes, Projected& out) {
  ContactFeature feature;
  shape.kind->feature(*shape.shape, transpose_times(shape.X_WC.R, side * axes.n), feature);
  out.count = size_t(feature.count);
  for (size_t k = 0; k < out.count; ++k) {
    out.p[k] = axes.components(shape.X_WC * feature.corners[k].p);
    out.p[k].z += side * shape.radius();
    out.id[k] = feature.corners[k].id;
  }
  flatten(side, out);
}

// Returns whether a point is in a polygon with at least three corners, seen along the normal.
bool contains(const Projected& polygon, const V3& p, double tolerance) {
  double sign = 0;
  for (size_t k = 1; k + 1 < polygon.count; ++k)
    sign += area(polygon.p[0], polygon.p[k], polygon.p[k + 1]);
  for (size_t k = 0; k < polygon.count; ++k) {
    const V3 &a = polygon.p[k], &b = polygon.p[(k + 1) % polygon.count];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (area(a, b, p) * (sign > 0 ? 1 : -1) < -tolerance * length) return false;
  }
  return true;
}

class Overlap {
 public:
  Overlap(const Axes3& axes, double size, double margin, ContactCandidates& out)
      : axes_(axes), size_(size), margin_(margin), out_(out) {}

  // Adds the corners of the overlap. Ids: the corner of A, the corner of B, or the edges that
  // cross, with the kind in the upper bits.
  void run(const Projected& a, const Projected& b) {
    if (b.count >= 3)
      for (size_t k = 0; k < a.count; ++k)
        if (contains(b, a.p[k], outside * size_)) add(a.p[k], height(b, a.p[k]), a.id[k]);
    if (a.count >= 3)
      for (size_t k = 0; k < b.count; ++k)
        if (contains(a, b.p[k], outside * size_))
          add({b.p[k].x, b.p[k].y, height(a, b.p[k])}, b.p[k].z, 1u << 28 | b.id[k]);
    if (a.count < 2 || b.count < 2) return;
    for (size_t k = 0; k < edges(a); ++k)
      for (size_t l = 0; l < edges(b); ++l) cross_edges(a, k, b, l);
    if (a.count == 2 && b.count == 2) add_parallel(a, b);
  }

  double least_gap() const { return least_; }

 private:
  static size_t edges(const Projected& p) { return p.count == 2 ? 1 : p.count; }
  static double height(const Projected& of, const V3& p) {
    return of.plane.x * p.x + of.plane.y * p.y + of.plane.z;
  }

  // p_A: a point of A. z_B: the height of B there.
  void add(const V3& p_A, double z_B, uint32_t id) {
    const V3 middle{p_A.x, p_A.y, 0.5 * (p_A.z + z_B)};
    least_ = std::min(least_, z_B - p_A.z);
    out_.add({axes_.point(middle), axes_.n, z_B - p_A.z, id}, margin_);
  }

  void cross_edges(const Projected& A, size_t k, const Projected& B, size_t l) {
    const V3 &a0 = A.p[k], &a1 = A.p[(k + 1) % A.count], &b0 = B.p[l], &b1 = B.p[(l + 1) % B.count];
    const V3 u = a1 - a0, v = b1 - b0, w = b0 - a0;
    const double det = u.x * v.y - u.y * v.x;
    constexpr double parallel = 1e-9;
    if (std::abs(det) <= parallel * std::hypot(u.x, u.y) * std::hypot(v.x, v.y)) return;
    const double s = (w.x * v.y - w.y * v.x) / det, t = (w.x * u.y - w.y * u.x) / det;
    if (s < 0 || s > 1 || t < 0 || t > 1) return;
    add(a0 + s * u, b0.z + t * v.z, 2u << 28 | A.id[k] << 14 | B.id[l]);
  }

  // Adds the ends of the common part of two edges on one line.
  void add_parallel(const Projected& a, const Projected& b) {
    for (size_t k = 0; k < 2; ++k) {
      if (const auto t = along(b, a.p[k])) add(a.p[k], height_on(b, *t), a.id[k]);
      if (const auto t = along(a, b.p[k]))
        add({b.p[k].x, b.p[k].y, height_on(a, *t)}, b.p[k].z, 1u << 28 | b.id[k]);
    }
  }
  static double height_on(const Projected& edge, double t) {
    return edge.p[0].z + t * (edge.p[1].z - edge.p[0].z);
  }
  // Returns the place, from 0 to 1, of a point on an edge, or nullopt if it is not on it.
  std::optional<double> along(const Projected& edge, const V3& p) const {
    const V3 u = edge.p[1] - edge.p[0], w = p - edge.p[0];
    const double length2 = u.x * u.x + u.y * u.y;
    if (!(length2 > 0)) return std::nullopt;
    const double t = (u.x * w.x + u.y * w.y) / length2;
    const double off = std::abs(u.x * w.y - u.y * w.x) / std::sqrt(length2);
    if (off > same * size_ || t < 0 || t > 1) return std::nullopt;
    return t;
  }

  const Axes3& axes_;
  double size_, margin_;
  ContactCandidates& out_;
  double least_ = HUGE_VAL;
};

// Twice the area of the triangle of three points, signed about n.
double signed_area(const ContactPoint& a, const ContactPoint& b, const V3& p) {
  return dot(a.n_W, cross(b.p_W - a.p_W, p - a.p_W));
}

}  // namespace

void ContactCandidates::add(const ContactPoint& point, double margin) {
  if (!(point.gap < margin)) return;
  if (count_ == points_.size()) {
    Contact kept;
    choose(kept);
    std::ranges::copy(kept.list(), points_.begin());
    count_ = size_t(kept.count);
  }
  points_[count_++] = point;
}

void ContactCandidates::choose(Contact& out) const {
  out.count = 0;
  if (count_ == 0) return;
  const auto take = [&](size_t k) { out.points[size_t(out.count++)] = points_[k]; };
  const auto is_new = [&](size_t k) {
    return std::ranges::none_of(out.list(), [&](const ContactPoint& taken) {
      return norm(points_[k].p_W - taken.p_W) <= same * size_;
    });
  };
  size_t deepest = 0;
  for (size_t k = 1; k < count_; ++k)
    if (points_[k].gap < points_[deepest].gap - equal * size_) deepest = k;
  take(deepest);
  const auto take_largest = [&](auto value) {
    size_t best = count_;
    double largest = 0;
    for (size_t k = 0; k < count_; ++k)
      if (const double v = value(points_[k]); v > largest * (1 + equal) && is_new(k))
        largest = v, best = k;
    if (best < count_) take(best);
    return best < count_;
  };
  const ContactPoint first = points_[deepest];
  if (!take_largest([&](const ContactPoint& p) { return norm(p.p_W - first.p_W); })) return;
  const ContactPoint second = out.points[1];
  for (const double side : {1.0, -1.0})
    take_largest([&](const ContactPoint& p) { return side * signed_area(first, second, p.p_W); });
}

void add_overlap(const PlacedShape& a, const PlacedShape& b, const Separation& separation,
                 double margin, ContactCandidates& out) {
  const Axes3 axes = axes_of(separation.n_W);
  const double size = std::min(a.size, b.size);
  Projected of_a, of_b;
  project(a, 1, axes, of_a);
  project(b, -1, axes, of_b);
  if (of_a.count == 1 || of_b.count == 1) {
    // The single corner is the nearest point of its shape.
    const bool at_a = of_a.count == 1;
    V3 p = at_a ? of_a.p[0] : of_b.p[0];
    p.z += (at_a ? 0.5 : -0.5) * separation.gap;
    out.add(
        {axes.point(p), separation.n_W, separation.gap, at_a ? of_a.id[0] : 1u << 28 | of_b.id[0]},
        margin);
    return;
  }
  Overlap overlap(axes, size, margin, out);
  overlap.run(of_a, of_b);
  if (overlap.least_gap() > separation.gap + outside * size)
    out.add({separation.p_W, separation.n_W, separation.gap, 3u << 28}, margin);
}

}  // namespace torsor
