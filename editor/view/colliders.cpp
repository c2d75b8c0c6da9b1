// Draws the outlines of collision shapes.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

#include "editor/view/signs.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

using Point = Vec3<double>;

constexpr Color outline_color{0.10, 0.62, 0.45, 0.9};

// Draws lines in the frame of a collider.
class Outline {
 public:
  Outline(const Pose<double>& X_WC, double extent, Color color, double width, Drawing& out)
      : X_WC_(X_WC), extent_(extent), color_(color), width_(width), out_(out) {}

  double extent() const { return extent_; }  // size of the robots, for unbounded shapes

  void line(const Point& a, const Point& b) const {
    out_.strokes.push_back({X_WC_ * a, X_WC_ * b, color_, width_});
  }

  // Draws the part from angle `from` to angle `to` of the ellipse center + cos u + sin v.
  void arc(const Point& center, const Point& u, const Point& v, double from = 0,
           double to = 2 * std::numbers::pi) const {
    constexpr int n = 32;
    const auto at = [&](int k) {
      const double angle = from + (to - from) * k / n;
      return center + std::cos(angle) * u + std::sin(angle) * v;
    };
    for (int k = 0; k < n; ++k) line(at(k), at(k + 1));
  }

  void disc(double radius, double z) const { arc({0, 0, z}, {radius, 0, 0}, {0, radius, 0}); }

  // Draws the four straight lines of the side of a cylinder or cone.
  void sides(double radius, double z, double radius_top, double z_top) const {
    for (const auto& [x, y] : {std::pair{1, 0}, {0, 1}, {-1, 0}, {0, -1}})
      line({radius * x, radius * y, z}, {radius_top * x, radius_top * y, z_top});
  }

 private:
  Pose<double> X_WC_;
  double extent_;
  Color color_;
  double width_;
  Drawing& out_;
};

void half_space(const Outline& out, const CollisionShape&) {
  constexpr int n = 8;
  const double half = 2 * out.extent();
  for (int k = -n; k <= n; ++k) {
    const double at = half * k / n;
    out.line({at, -half, 0}, {at, half, 0});
    out.line({-half, at, 0}, {half, at, 0});
  }
  out.line({0, 0, 0}, {0, 0, half / n});
}

void ellipsoid_of(const Outline& out, const Point& r) {
  out.arc({0, 0, 0}, {r.x, 0, 0}, {0, r.y, 0});
  out.arc({0, 0, 0}, {r.x, 0, 0}, {0, 0, r.z});
  out.arc({0, 0, 0}, {0, r.y, 0}, {0, 0, r.z});
}
void sphere(const Outline& out, const CollisionShape& shape) {
  const double r = shape.size.x;
  ellipsoid_of(out, {r, r, r});
}
void ellipsoid(const Outline& out, const CollisionShape& shape) {
  ellipsoid_of(out, shape.size);
}

void box(const Outline& out, const CollisionShape& shape) {
  const Point& h = shape.size;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-1.0, 1.0}) {
      out.line({-h.x, a * h.y, b * h.z}, {h.x, a * h.y, b * h.z});
      out.line({a * h.x, -h.y, b * h.z}, {a * h.x, h.y, b * h.z});
      out.line({a * h.x, b * h.y, -h.z}, {a * h.x, b * h.y, h.z});
    }
}

void capsule(const Outline& out, const CollisionShape& shape) {
  const double r = shape.size.x, l = shape.size.z;
  out.sides(r, -l, r, l);
  for (const double side : {-1.0, 1.0}) {
    out.disc(r, side * l);
    for (const Point& u : {Point{r, 0, 0}, {0, r, 0}})
      out.arc({0, 0, side * l}, u, {0, 0, side * r}, 0, std::numbers::pi);
  }
}

void cylinder(const Outline& out, const CollisionShape& shape) {
  const double r = shape.size.x, l = shape.size.z;
  out.disc(r, -l);
  out.disc(r, l);
  out.sides(r, -l, r, l);
}

void cone(const Outline& out, const CollisionShape& shape) {
  out.disc(shape.size.x, -shape.size.z);
  out.sides(shape.size.x, -shape.size.z, 0, shape.size.z);
}

void convex(const Outline& out, const CollisionShape& shape) {
  const ConvexHull& hull = *shape.hull;
  for (size_t f = 0; f < hull.n_face(); ++f) {
    const auto corners = hull.face(f);
    for (size_t k = 0; k < corners.size(); ++k)
      if (const uint32_t a = corners[k], b = corners[(k + 1) % corners.size()]; a < b)
        out.line(hull.vertices[a], hull.vertices[b]);
  }
}

// Draws at most 64 lines in each direction.
void height_field(const Outline& out, const CollisionShape& shape) {
  const HeightField& field = *shape.field;
  const int stride_x = 1 + field.n_x / 64, stride_y = 1 + field.n_y / 64;
  for (int j = 0; j < field.n_y; j += stride_y)
    for (int i = 0; i + 1 < field.n_x; ++i) out.line(field.node(i, j), field.node(i + 1, j));
  for (int i = 0; i < field.n_x; i += stride_x)
    for (int j = 0; j + 1 < field.n_y; ++j) out.line(field.node(i, j), field.node(i, j + 1));
}

// In the order of ShapeKind.
constexpr void (*outlines[])(const Outline&, const CollisionShape&) = {
    half_space, sphere, box, capsule, cylinder, ellipsoid, cone, convex, height_field};
static_assert(std::size(outlines) == n_shape_kind);

}  // namespace

void draw_colliders(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                    Drawing& drawing) {
  for (const Collider& collider : input.state.model().colliders) {
    const bool lit = collider.link >= 0 && collider.link == input.highlight.link;
    const Pose<double> X_WC = X_WB[size_t(collider.body)] * collider.X_BC;
    const Outline outline(X_WC, input.shapes.extent, lit ? input.palette.accent : outline_color,
                          lit ? 2.2 : 1.4, drawing);
    outlines[size_t(collider.shape.kind)](outline, collider.shape);
    if (input.toggles.labels) drawing.labels.push_back({X_WC.p, collider.name, outline_color});
  }
}

}  // namespace torsor::editor
