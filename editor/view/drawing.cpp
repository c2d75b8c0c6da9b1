#include "editor/view/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "editor/view/closures.hpp"
#include "editor/view/signs.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

Color mixed(const Color& a, const Color& b, double share) {
  const auto part = [&](double x, double y) { return x + share * (y - x); };
  return {part(a.r, b.r), part(a.g, b.g), part(a.b, b.b), a.a};
}

class Painter {
 public:
  explicit Painter(const DrawingInput& input)
      : in_(input), model_(input.state.model()), X_WB_(world_poses(input.state)) {}

  Drawing paint() {
    if (in_.toggles.links) links();
    if (in_.toggles.inertia) ellipsoids();
    for (size_t k = 0; k < model_.joints.size(); ++k)
      if (in_.toggles.axes || int(k) == in_.highlight.joint) axis(int(k));
    draw_closures(in_, X_WB_, out_);
    frames();
    if (in_.toggles.collisions) draw_colliders(in_, X_WB_, out_);
    if (in_.toggles.com) centres();
    draw_pull(in_, X_WB_, out_);
    if (in_.toggles.wrenches) draw_applied(in_, X_WB_, out_);
    if (in_.toggles.reactions) draw_reactions(in_, X_WB_, out_);
    if (in_.toggles.closure_wrenches) draw_closure_wrenches(in_, X_WB_, out_);
    if (in_.toggles.contacts) draw_contacts(in_, out_);
    if (in_.toggles.twists) draw_twists(in_, X_WB_, out_);
    if (in_.toggles.trail)
      for (const Trail& trail : in_.trails) fading(trail);
    if (in_.toggles.reference)
      for (const DrawnReference& drawn : in_.references) reference(drawn);
    return std::move(out_);
  }

 private:
  using Point = Vec3<double>;

  Pose<double> pose(const Frame& frame) const { return X_WB_[size_t(frame.body)] * frame.X_BF; }
  Pose<double> pose(const Link& link) const { return pose(model_.frames[size_t(link.frame)]); }

  // Calls put for every solid of the links and mounts. The bodies are at the poses X_WB [n_body].
  template <class Put>
  void for_each_solid(std::span<const Pose<double>> X_WB, Put put) const {
    for (const auto& [body, part] : in_.shapes.solids) {
      Solid placed = part;
      placed.X = X_WB[size_t(body)] * part.X;
      put(placed);
    }
    for (const Slide& slide : in_.shapes.slides) {
      const size_t body = size_t(slide.body);
      const Point from = (X_WB[size_t(model_.parent[body])] * model_.X_PB0[body]).p;
      if (norm(X_WB[body].p - from) < 1e-9) continue;
      Solid rail = bar(from, X_WB[body].p, slide.radius, slide.radius);
      rail.color = slide.color;
      rail.link = slide.link;
      put(rail);
    }
  }

  void links() {
    for_each_solid(X_WB_, [&](Solid solid) {
      if (solid.link >= 0 && solid.link == in_.highlight.link)
        solid.color = mixed(solid.color, in_.palette.accent, 0.85);
      else if (solid.link >= 0 && solid.link == in_.highlight.hovered_link)
        solid.color = mixed(solid.color, in_.palette.accent, 0.25);
      out_.solids.push_back(solid);
    });
  }

  // Draws a reference. For joints, draws a copy of the robot at the reference. For a frame, draws
  // its path and the frame at the current reference.
  void reference(const DrawnReference& drawn) {
    if (drawn.of_frame) {
      Color color = in_.palette.reference;
      color.a = 0.7;
      line(drawn.path, color, 1.6);
      triad(drawn.X_WF, 0.14 * in_.shapes.extent, 4);
      label(drawn.X_WF.p, "reference of " + drawn.name, in_.palette.reference);
      return;
    }
    ghost(drawn);
  }

  // Draws a translucent copy of the robot at the reference. The copy is fainter near the robot, so
  // that it does not cover the robot. The opacity of a solid grows from 0 at a distance of 2 % of
  // the extent to its maximum at 12.5 %.
  void ghost(const DrawnReference& drawn) {
    const Robot& robot = model_.robots[size_t(drawn.robot)];
    std::vector<Solid> here;
    for_each_solid(X_WB_, [&](const Solid& solid) { here.push_back(solid); });
    size_t k = 0;
    for_each_solid(drawn.X_WB, [&](Solid solid) {
      const size_t same = k++;
      if (solid.link < robot.first_link || solid.link >= robot.first_link + robot.n_link) return;
      // away is the largest distance between corresponding corners. The bar of a prismatic joint at
      // zero is not drawn, so a solid may have no counterpart in the other state. away is then
      // large.
      double away = in_.shapes.extent;
      if (same < here.size() && here[same].link == solid.link) {
        const auto a = box_corners(solid), b = box_corners(here[same]);
        away = 0;
        for (size_t c = 0; c < a.size(); ++c) away = std::max(away, norm(a[c] - b[c]));
      }
      const double part = std::clamp((away / in_.shapes.extent - 0.02) / 0.105, 0.0, 1.0);
      if (part == 0) return;
      solid.color = in_.palette.reference;
      solid.color.a = 0.4 * part;
      out_.ghosts.push_back(solid);
    });
  }

  void ellipsoids() {
    for (size_t l = 0; l < model_.links.size(); ++l) {
      std::optional<Solid> solid = inertia_ellipsoid(model_.links[l].inertia_L);
      if (!solid) continue;
      // Minimum semi-axis, so that a rod or a point mass is visible.
      const double least = 0.004 * in_.shapes.extent;
      solid->size = {std::max(solid->size.x, least), std::max(solid->size.y, least),
                     std::max(solid->size.z, least)};
      solid->X = pose(model_.links[l]) * solid->X;
      solid->link = int(l);
      solid->color = int(l) == in_.highlight.link ? in_.palette.accent : in_.palette.inertia;
      solid->color.a = 0.8;
      out_.ellipsoids.push_back(*solid);
    }
  }

  void stroke(const Point& from, const Point& to, const Color& color, double width) {
    out_.strokes.push_back({from, to, color, width});
  }
  void line(std::span<const Point> points, const Color& color, double width) {
    for (size_t k = 1; k < points.size(); ++k) stroke(points[k - 1], points[k], color, width);
  }
  // Adds a cone as the head of an arrow.
  void head(const Point& tip, const Point& direction, double length, const Color& color) {
    Solid cone = bar(tip - length * direction, tip, 0.36 * length, 0);
    cone.color = color;
    out_.arrows.push_back(cone);
  }
  void label(const Point& at, std::string text, const Color& color) {
    out_.labels.push_back({at, std::move(text), color});
  }

  // Draws an axis for each dof of joint k. The arrow points in the positive direction, by the
  // right-hand rule for a rotation. A screw joint also has a helix with its pitch.
  void axis(int k) {
    const Joint& joint = model_.joints[size_t(k)];
    const size_t body = size_t(joint.body);
    const bool lit = k == in_.highlight.joint;
    const Color color = lit ? in_.palette.accent : in_.palette.axis;
    const double r = mark_size(joint.body), half = 3.4 * r;
    const Pose<double>& X = X_WB_[body];
    const Point z{X.R(0, 2), X.R(1, 2), X.R(2, 2)};
    for (const JointDof& column : traits(joint.kind).dofs) {
      const Point e = X.R * (column.turns() ? column.S.w : column.S.v);
      stroke(X.p - half * e, X.p + half * e, color, lit ? 3 : 1.6);
      head(X.p + (half + 0.5 * r) * e, e, 0.6 * r, color);
    }
    const double turn = model_.turn[body], pitch = model_.pitch[body];
    if (turn != 0 && pitch != 0) {
      line(helix(X, 1.6 * r, pitch / turn, half), color, lit ? 2.6 : 1.4);
      label(X.p + (half + 0.8 * r) * z,
            fmt::format("{}: {:.4g} mm/turn", joint.name, pitch / turn * 2e3 * std::numbers::pi),
            color);
    } else if (lit || in_.toggles.labels) {
      label(X.p + (half + 0.8 * r) * z, joint.name, color);
    }
  }

  double mark_size(int body) const {
    return std::max(in_.shapes.joint_size[size_t(body)], 0.008 * in_.shapes.extent);
  }

  // Draws the frames of links and the named frames, as selected by the toggles. Always draws the
  // highlighted frame.
  void frames() {
    std::vector<bool> of_link(model_.frames.size());
    for (const Link& link : model_.links) of_link[size_t(link.frame)] = true;
    for (size_t k = 0; k < of_link.size(); ++k)
      if ((of_link[k] ? in_.toggles.link_frames : in_.toggles.frames) ||
          int(k) == in_.highlight.frame)
        frame(int(k));
  }

  void frame(int f) {
    const Frame& frame = model_.frames[size_t(f)];
    const bool lit = f == in_.highlight.frame;
    const Pose<double> X = pose(frame);
    triad(X, (lit ? 0.16 : 0.09) * in_.shapes.extent, lit ? 4 : 2.4);
    if (lit || in_.toggles.labels)
      label(X.p, frame.name, lit ? in_.palette.accent : in_.palette.text);
  }

  void triad(const Pose<double>& X, double length, double width) {
    const Color colors[] = {in_.palette.x, in_.palette.y, in_.palette.z};
    for (int k = 0; k < 3; ++k)
      stroke(X.p, X.p + length * Point{X.R(0, k), X.R(1, k), X.R(2, k)}, colors[k], width);
  }

  void centres() {
    for (const Robot& robot : model_.robots) {
      double mass = 0;
      Point moment{0, 0, 0};
      for (int l = robot.first_link; l < robot.first_link + robot.n_link; ++l) {
        const Link& link = model_.links[size_t(l)];
        if (link.inertia_L.m <= 0) continue;
        const Point com = pose(link) * ((1 / link.inertia_L.m) * link.inertia_L.h);
        out_.marks.push_back({com, false});
        mass += link.inertia_L.m;
        moment += link.inertia_L.m * com;
      }
      if (mass > 0) out_.marks.push_back({(1 / mass) * moment, true});
    }
  }

  void fading(const Trail& trail) {
    const size_t n = trail.points.size();
    for (size_t k = 1; k < n; ++k) {
      Color color = trail.color;
      color.a *= 0.3 + 0.7 * double(k) / double(n);
      stroke(trail.points[k - 1], trail.points[k], color, 2);
    }
  }

  const DrawingInput& in_;
  const Model& model_;
  std::vector<Pose<double>> X_WB_;
  Drawing out_;
};

}  // namespace

Palette palette(bool dark) {
  if (dark)
    return {.x = {0.90, 0.38, 0.36, 1},
            .y = {0.38, 0.74, 0.44, 1},
            .z = {0.36, 0.60, 0.95, 1},
            .axis = {0.77, 0.66, 0.98, 1},
            .closure = {0.96, 0.94, 0.80, 1},
            .force = {0.98, 0.82, 0.25, 1},
            .moment = {0.28, 0.82, 0.78, 1},
            .inertia = {0.52, 0.56, 0.90, 1},
            .accent = {0.30, 0.68, 1.00, 1},
            .text = {0.87, 0.89, 0.91, 1},
            .reaction_force = {0.97, 0.38, 0.55, 1},
            .reaction_moment = {0.98, 0.66, 0.76, 1},
            .velocity = {0.58, 0.86, 0.30, 1},
            .angular_velocity = {0.82, 0.92, 0.60, 1},
            .reference = {0.45, 0.95, 0.75, 1}};
  return {.x = {0.78, 0.22, 0.20, 1},
          .y = {0.16, 0.52, 0.24, 1},
          .z = {0.16, 0.40, 0.80, 1},
          .axis = {0.43, 0.25, 0.72, 1},
          .closure = {0.36, 0.24, 0.10, 1},
          .force = {0.72, 0.50, 0.00, 1},
          .moment = {0.00, 0.50, 0.50, 1},
          .inertia = {0.36, 0.40, 0.80, 1},
          .accent = {0.10, 0.48, 0.86, 1},
          .text = {0.13, 0.15, 0.18, 1},
          .reaction_force = {0.76, 0.10, 0.32, 1},
          .reaction_moment = {0.82, 0.36, 0.52, 1},
          .velocity = {0.26, 0.52, 0.04, 1},
          .angular_velocity = {0.44, 0.56, 0.16, 1},
          .reference = {0.00, 0.58, 0.38, 1}};
}

Drawing draw(const DrawingInput& input) {
  return Painter(input).paint();
}

std::vector<Vec3<double>> helix(const Pose<double>& X_WJ, double radius, double pitch,
                                double half) {
  constexpr double most_turns = 12;
  constexpr int steps_per_turn = 24;
  // angle is the angle from the middle to either end.
  const double angle = std::min(half / std::abs(pitch), most_turns * std::numbers::pi);
  const int steps = std::max(2, int(std::ceil(angle / std::numbers::pi * steps_per_turn)));
  std::vector<Vec3<double>> points;
  for (int k = 0; k <= steps; ++k) {
    const double a = angle * (2.0 * k / steps - 1);
    points.push_back(X_WJ * Vec3<double>{radius * std::cos(a), radius * std::sin(a), pitch * a});
  }
  return points;
}

}  // namespace torsor::editor
