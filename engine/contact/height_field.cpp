// Contacts of bounded convex shapes with height fields.
//
// The surface consists of triangles. A shape touches it in two ways:
// 1. The corners of the shape's feature that faces a triangle are above or below its plane, and
//    their projections on the plane are in the triangle. The normal is that of the triangle.
// 2. An edge or a vertex of the surface that protrudes is nearest to the shape. The normal is the
//    direction of least separation of the shape and the triangle. It must be a direction in which
//    the surface is convex at the nearest point x: m . (u - x) <= 0 for the outward normal m and
//    all nodes u next to it. Without this condition, a sphere that rolls over a flat surface would
//    stumble over the edges between its triangles.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "torsor/contact/pair.hpp"

namespace torsor {

namespace {

using V3 = Vec3<double>;

// Angles and lengths below which edges do not protrude, and points are on an edge.
constexpr double flat = 1e-9, on_edge = 1e-7;

struct Node {
  int i, j;
};
struct FieldTriangle {
  std::array<Node, 3> nodes;  // counter-clockwise as seen from above
  std::array<V3, 3> p;
  V3 normal;  // upward, of length 1
};

FieldTriangle triangle_of(const HeightField& field, int i, int j, bool upper) {
  FieldTriangle out;
  out.nodes = upper ? std::array<Node, 3>{{{i, j}, {i + 1, j + 1}, {i, j + 1}}}
                    : std::array<Node, 3>{{{i, j}, {i + 1, j}, {i + 1, j + 1}}};
  for (size_t k = 0; k < 3; ++k) out.p[k] = field.node(out.nodes[k].i, out.nodes[k].j);
  const V3 n = cross(out.p[1] - out.p[0], out.p[2] - out.p[0]);
  out.normal = (1 / norm(n)) * n;
  return out;
}

// The nodes next to a node: those with which it shares an edge of a triangle.
constexpr Node neighbours[] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};

// Returns whether all nodes next to the nodes of a triangle are on or above its plane, so that no
// edge or vertex of the triangle protrudes. Nodes at the border of the field protrude.
bool is_smooth(const HeightField& field, const FieldTriangle& triangle) {
  for (const Node& node : triangle.nodes)
    for (const auto& [di, dj] : neighbours) {
      const int i = node.i + di, j = node.j + dj;
      if (i < 0 || j < 0 || i >= field.n_x || j >= field.n_y) return false;
      const V3 u = field.node(i, j) - triangle.p[0];
      if (dot(triangle.normal, u) < -flat * norm(u)) return false;
    }
  return true;
}

// Returns whether the surface near the point x of a triangle is below the plane through x with the
// outward normal m.
bool is_convex_at(const HeightField& field, const FieldTriangle& triangle, const V3& x,
                  const V3& m) {
  const double rounding = flat * (field.spacing_x + field.spacing_y);
  const auto below = [&](const V3& u) { return dot(m, u - x) <= on_edge * norm(u - x) + rounding; };
  std::array<bool, 3> at_edge{};  // edge k is opposite of node k
  for (size_t k = 0; k < 3; ++k) {
    const V3 &a = triangle.p[(k + 1) % 3], &b = triangle.p[(k + 2) % 3];
    const V3 inward = cross(triangle.normal, b - a);
    at_edge[k] = dot(inward, x - a) <= on_edge * norm(inward) * norm(b - a);
  }
  for (size_t k = 0; k < 3; ++k) {
    if (!below(triangle.p[k])) return false;
    // The nodes around this one are next to x if x is at it: on both of its edges. If x is on one
    // edge only, the nodes next to both of its ends are.
    const size_t others[] = {(k + 1) % 3, (k + 2) % 3};
    if (!at_edge[others[0]] && !at_edge[others[1]]) continue;
    const bool is_vertex = at_edge[others[0]] && at_edge[others[1]];
    for (const auto& [di, dj] : neighbours) {
      const int i = triangle.nodes[k].i + di, j = triangle.nodes[k].j + dj;
      if (i < 0 || j < 0 || i >= field.n_x || j >= field.n_y) continue;
      const Node& other = triangle.nodes[at_edge[others[0]] ? others[1] : others[0]];
      const bool next_to_both = std::ranges::any_of(
          neighbours, [&](const Node& d) { return other.i + d.i == i && other.j + d.j == j; });
      if ((is_vertex || next_to_both) && !below(field.node(i, j))) return false;
    }
  }
  return true;
}

// The cells under a shape, and how far up it reaches.
struct Cells {
  int i0, i1, j0, j1;
  double low;  // the lowest point of the shape, m
};

class FieldContact {
 public:
  FieldContact(PairMemory& memory, const PlacedShape& a, const PlacedShape& field)
      : memory_(memory), field_(*field.shape->field), X_WF_(field.X_WC), A_(a) {
    A_.X_WC = inverse(field.X_WC) * a.X_WC;
  }

  Cells cells(double margin) const {
    const auto cell = [](double place, int n, double spacing) {
      return int(std::clamp(std::floor(place / spacing + 0.5 * (n - 1)), 0.0, double(n - 2)));
    };
    const double r = A_.radius() + margin;
    const auto low = [&](const V3& axis) { return dot(axis, A_.support(-axis)) - r; };
    const auto high = [&](const V3& axis) { return dot(axis, A_.support(axis)) + r; };
    const V3 x{1, 0, 0}, y{0, 1, 0};
    return {cell(low(x), field_.n_x, field_.spacing_x), cell(high(x), field_.n_x, field_.spacing_x),
            cell(low(y), field_.n_y, field_.spacing_y), cell(high(y), field_.n_y, field_.spacing_y),
            low({0, 0, 1})};
  }

  // Calls f for each triangle under the shape that reaches up to it.
  template <class F>
  void each_triangle(const Cells& cells, F f) const {
    for (int j = cells.j0; j <= cells.j1; ++j)
      for (int i = cells.i0; i <= cells.i1; ++i)
        for (const bool upper : {false, true}) {
          const FieldTriangle triangle = triangle_of(field_, i, j, upper);
          if (std::max({triangle.p[0].z, triangle.p[1].z, triangle.p[2].z}) >= cells.low)
            f(triangle, uint32_t(2 * (i + field_.n_x * j) + upper));
        }
  }

  // Adds the corners of A above or below a triangle.
  template <class Add>
  void add_corners(const FieldTriangle& triangle, Add add) const {
    ContactFeature feature;
    A_.kind->feature(*A_.shape, transpose_times(A_.X_WC.R, -triangle.normal), feature);
    for (int k = 0; k < feature.count; ++k) {
      const auto& [p, id] = feature.corners[size_t(k)];
      const V3 x = A_.X_WC * p - A_.radius() * triangle.normal;
      bool inside = true;
      for (size_t edge = 0; edge < 3; ++edge) {
        const V3 &a = triangle.p[edge], &b = triangle.p[(edge + 1) % 3];
        inside &= dot(cross(triangle.normal, b - a), x - a) >= -flat * dot(b - a, b - a);
      }
      if (!inside) continue;
      const double gap = dot(triangle.normal, x - triangle.p[0]);
      add(Separation{gap, -triangle.normal, x - (0.5 * gap) * triangle.normal}, id);
    }
  }

  // Finds the contact of A with an edge or a vertex of a triangle.
  std::optional<Separation> at_edge(const FieldTriangle& triangle) {
    const Separation s = with_triangle(triangle);
    // A point or a segment that crosses the triangle has no direction of least separation.
    if (A_.radius() > 0 && !(s.gap + A_.radius() > 0)) return std::nullopt;
    const V3 x = s.p_W + (0.5 * s.gap) * s.n_W;
    return is_convex_at(field_, triangle, x, -s.n_W) ? std::optional(s) : std::nullopt;
  }

  Separation with_triangle(const FieldTriangle& triangle) {
    std::ranges::copy(triangle.p, memory_.triangle.vertices.begin());
    const double size =
        std::max(norm(triangle.p[1] - triangle.p[0]), norm(triangle.p[2] - triangle.p[0]));
    const V3 center = (1 / 3.0) * (triangle.p[0] + triangle.p[1] + triangle.p[2]);
    return memory_.solver.solve(
        A_, {&triangle_, convex_traits(ShapeKind::convex), size, center, Pose<double>::identity()});
  }

  // Returns a distance that the shape and a triangle have at least.
  double lower_bound(const FieldTriangle& triangle) const {
    const V3 &p = triangle.p[0], center = A_.X_WC * A_.center;
    const double radius = std::max(norm(triangle.p[1] - p), norm(triangle.p[2] - p));
    // The extents along three axes of a shape around its centre are at most its size.
    return norm(center - p) - radius - std::sqrt(3.0) * A_.size;
  }

  const HeightField& field() const { return field_; }
  Separation in_world(const Separation& s) const { return {s.gap, X_WF_.R * s.n_W, X_WF_ * s.p_W}; }

 private:
  PairMemory& memory_;
  const HeightField& field_;
  Pose<double> X_WF_;
  PlacedShape A_;  // in the frame of the field
  // The hull is memory_.triangle; the pointer does not own it.
  CollisionShape triangle_{
      ShapeKind::convex,
      {},
      std::shared_ptr<const ConvexHull>(std::shared_ptr<const ConvexHull>(), &memory_.triangle)};
};

}  // namespace

void add_height_field_points(PairMemory& memory, const PlacedShape& a, const PlacedShape& field,
                             double margin) {
  FieldContact contact(memory, a, field);
  const Cells cells = contact.cells(margin);
  const auto add = [&](const Separation& local, uint32_t id) {
    const Separation s = contact.in_world(local);
    memory.candidates.add({s.p_W, s.n_W, s.gap, id}, margin);
  };
  contact.each_triangle(
      cells, [&](const FieldTriangle& triangle, uint32_t) { contact.add_corners(triangle, add); });
  contact.each_triangle(cells, [&](const FieldTriangle& triangle, uint32_t id) {
    if (is_smooth(contact.field(), triangle)) return;
    if (const auto s = contact.at_edge(triangle)) add(*s, 1u << 28 | id);
  });
}

// The least gap of all contacts. A shape without one, such as one beside the field, has the
// distance of the nearest triangle.
Separation separate_height_field(PairMemory& memory, const PlacedShape& a,
                                 const PlacedShape& field) {
  FieldContact contact(memory, a, field);
  Cells all = contact.cells(0);
  all.i0 = all.j0 = 0;
  all.i1 = contact.field().n_x - 2;
  all.j1 = contact.field().n_y - 2;
  all.low = -std::numeric_limits<double>::infinity();
  Separation best{HUGE_VAL, {0, 0, 1}, a.X_WC.p}, nearest = best;
  const auto take = [&](const Separation& s, uint32_t = 0) {
    if (s.gap < best.gap) best = s;
  };
  contact.each_triangle(all, [&](const FieldTriangle& triangle, uint32_t) {
    contact.add_corners(triangle, take);
    if (contact.lower_bound(triangle) > std::min(best.gap, nearest.gap)) return;
    if (const Separation s = contact.with_triangle(triangle); s.gap < nearest.gap) nearest = s;
    if (is_smooth(contact.field(), triangle)) return;
    if (const auto s = contact.at_edge(triangle)) take(*s);
  });
  return contact.in_world(std::isinf(best.gap) ? nearest : best);
}

}  // namespace torsor
