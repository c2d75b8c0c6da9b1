#include "editor/view/closures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "torsor/mechanics/state.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

using Point = Vec3<double>;

// Returns the bodies that a closure connects: for a condition on coordinates, those of its first
// and its last joint.
std::pair<size_t, size_t> bodies_of(const Model& model, const Closure& closure) {
  if (closure.terms.empty()) return {size_t(closure.body_A), size_t(closure.body_B)};
  return {size_t(model.joint_of_dof(closure.terms.front().dof).body),
          size_t(model.joint_of_dof(closure.terms.back().dof).body)};
}

class ClosurePainter {
 public:
  ClosurePainter(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                 const Closure& closure, bool lit, Drawing& out)
      : closure_(closure),
        color_(lit ? input.palette.accent : input.palette.closure),
        width_(lit ? 3.5 : 2.2),
        out_(out) {
    const auto [a, b] = bodies_of(input.state.model(), closure);
    A_ = X_WB[a] * closure.X_BA;
    B_ = X_WB[b] * closure.X_BB;
    const double least = 0.012 * input.shapes.extent;
    r_ = std::max({input.shapes.joint_size[a], input.shapes.joint_size[b], least});
    half_ = 3 * r_;
    if (lit || input.toggles.labels)
      out_.labels.push_back({A_.p + (half_ + 0.5 * r_) * axis(A_, 2), closure.name, color_});
  }

  void paint() {
    symbol();
    const bool apart = norm(B_.p - A_.p) > 0.05 * r_;
    if (apart && closure_.kind != ClosureKind::distance) stroke(A_.p, B_.p);
    ball(B_.p, 0.3 * r_);
  }

 private:
  static Point axis(const Pose<double>& X, int k) { return {X.R(0, k), X.R(1, k), X.R(2, k)}; }

  void symbol() {
    switch (closure_.kind) {
      case ClosureKind::weld:
        return box();
      case ClosureKind::revolute:
        line(A_, half_);
        return ring();
      case ClosureKind::prismatic:
        line(A_, 1.5 * half_);
        return ticks();
      case ClosureKind::cylindrical:
        line(A_, 1.5 * half_);
        ring();
        return ticks();
      case ClosureKind::screw: {
        line(A_, half_);
        const std::vector<Point> points = helix(A_, 1.2 * r_, closure_.parameter, half_);
        for (size_t k = 1; k < points.size(); ++k) stroke(points[k - 1], points[k]);
        return;
      }
      case ClosureKind::universal:
        line(A_, half_);
        return line(B_, half_);
      case ClosureKind::spherical:
        return ball(A_.p, 0.9 * r_);
      case ClosureKind::planar:
      case ClosureKind::point_on_plane:
        return square();
      case ClosureKind::point_on_line:
        return line(A_, 2 * half_);
      case ClosureKind::gear:
      case ClosureKind::rack:
        ring();
        return ball(A_.p, 0.3 * r_);
      case ClosureKind::cable:
      case ClosureKind::distance: {
        stroke(A_.p, B_.p);
        return ball(A_.p, 0.3 * r_);
      }
    }
  }

  void stroke(const Point& from, const Point& to) {
    out_.strokes.push_back({from, to, color_, width_});
  }
  void ball(const Point& at, double radius) {
    Solid sphere{Mesh::sphere, translation(at), {radius, radius, radius}};
    sphere.color = color_;
    out_.arrows.push_back(sphere);
  }
  // Draws the z axis of a frame.
  void line(const Pose<double>& X, double half) {
    stroke(X.p - half * axis(X, 2), X.p + half * axis(X, 2));
  }
  void ring() {
    constexpr int steps = 32;
    const auto at = [&](int k) {
      const double angle = 2 * std::numbers::pi * k / steps;
      return A_ * Point{1.4 * r_ * std::cos(angle), 1.4 * r_ * std::sin(angle), 0};
    };
    for (int k = 0; k < steps; ++k) stroke(at(k), at(k + 1));
  }
  // Draws a cross at either end of the axis.
  void ticks() {
    for (const double z : {-1.5 * half_, 1.5 * half_}) {
      stroke(A_ * Point{-0.7 * r_, 0, z}, A_ * Point{0.7 * r_, 0, z});
      stroke(A_ * Point{0, -0.7 * r_, z}, A_ * Point{0, 0.7 * r_, z});
    }
  }
  void square() {
    const std::array corners{Point{-half_, -half_, 0}, Point{half_, -half_, 0},
                             Point{half_, half_, 0}, Point{-half_, half_, 0}};
    for (size_t k = 0; k < 4; ++k) stroke(A_ * corners[k], A_ * corners[(k + 1) % 4]);
    stroke(A_ * corners[0], A_ * corners[2]);
    stroke(A_ * corners[1], A_ * corners[3]);
  }
  void box() {
    const auto corner = [&](int bits) {
      const auto side = [&](int bit) { return bits & bit ? 1.2 * r_ : -1.2 * r_; };
      return A_ * Point{side(1), side(2), side(4)};
    };
    for (int bits = 0; bits < 8; ++bits)
      for (const int bit : {1, 2, 4})
        if (!(bits & bit)) stroke(corner(bits), corner(bits | bit));
  }

  const Closure& closure_;
  Pose<double> A_, B_;
  Color color_;
  double width_;
  double r_ = 0, half_ = 0;  // m
  Drawing& out_;
};

}  // namespace

void draw_closures(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                   Drawing& drawing) {
  const std::vector<Closure>& closures = input.state.model().closures;
  for (size_t k = 0; k < closures.size(); ++k) {
    const bool lit = int(k) == input.highlight.closure;
    if (lit || input.toggles.closures)
      ClosurePainter(input, X_WB, closures[k], lit, drawing).paint();
  }
}

}  // namespace torsor::editor
