#include "editor/view/signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "editor/view/arrows.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/model.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

namespace {

// A pair of vectors at a point of the world: a force or velocity (straight), and a moment or
// angular velocity (turning).
struct Sign {
  Vec3<double> at, straight, turning;
  std::string name;
  bool named;  // true: labels show the values and the name
};

struct Style {
  const Color &straight, &turning;
  const char *unit_straight, *unit_turning;
  // Minimum and maximum length of arrows, relative to the extent of the robots.
  double least, longest;
  double thickness;  // radius of the shafts, relative to the extent

  // Returns the length of an arrow. part: its magnitude, relative to the largest one.
  double length(double part) const { return least + (longest - least) * part; }
};

constexpr double smallest_part = 0.005;  // smaller magnitudes than this part are not drawn

// Draws the arrows and labels. Their lengths grow with the magnitude, relative to the largest
// magnitude of all signs.
void draw_signs(const std::vector<Sign>& signs, const Style& style, double extent,
                Drawing& drawing) {
  double largest = 0, largest_turning = 0;
  for (const Sign& sign : signs) {
    largest = std::max(largest, norm(sign.straight));
    largest_turning = std::max(largest_turning, norm(sign.turning));
  }
  const auto length = [&](double part) { return extent * style.length(part); };
  const auto label = [&](const Vec3<double>& at, const Sign& sign, double size, const char* unit,
                         const Color& color) {
    if (sign.named)
      drawing.labels.push_back({at, fmt::format("{:.4g} {} {}", size, unit, sign.name), color});
  };
  for (const Sign& sign : signs) {
    const double size = norm(sign.straight), turning = norm(sign.turning);
    if (size > smallest_part * largest) {
      const Vec3<double> end =
          add_arrow(drawing, sign.at, (1 / size) * sign.straight, length(size / largest),
                    style.thickness * extent, style.straight);
      label(end, sign, size, style.unit_straight, style.straight);
    }
    if (turning > smallest_part * largest_turning) {
      const Vec3<double> start =
          add_turn(drawing, sign.at, (1 / turning) * sign.turning,
                   0.5 * length(turning / largest_turning), 360 * style.thickness, style.turning);
      label(start, sign, turning, style.unit_turning, style.turning);
    }
  }
}

// Returns the name of the child link of the body's joint, or "" for the world.
std::string name_of(const Model& model, int body) {
  for (const Joint& joint : model.joints)
    if (joint.body == body) return model.links[size_t(model.child_link(joint))].name;
  return "";
}

// Draws the edges of a cone from its apex along n, a unit vector.
void draw_cone(const Vec3<double>& apex, const Vec3<double>& n, double height, double radius,
               const Color& color, Drawing& drawing) {
  constexpr int steps = 24, sides = 4;
  const Mat3<double> R = bar(apex, apex + n, 1, 1).X.R;  // two directions perpendicular to n
  const auto rim = [&](int k) {
    const double angle = 2 * std::numbers::pi * k / steps;
    return apex + height * n +
           R * Vec3<double>{radius * std::cos(angle), radius * std::sin(angle), 0};
  };
  for (int k = 0; k < steps; ++k) drawing.strokes.push_back({rim(k), rim(k + 1), color, 1.4});
  for (int k = 0; k < steps; k += steps / sides)
    drawing.strokes.push_back({apex, rim(k), color, 1.4});
}

// Converts a wrench F = (n, f) about the body's origin to the point r of its line of action that is
// nearest to the centre of mass c. The moment n_r about r is parallel to the force. If the force is
// very small or the line is far away, the wrench is converted to c instead.
//   n_c = n - c x f,   r = c + f x n_c / |f|^2,   n_r = (f . n_c) f / |f|^2
Sign on_its_line(const Wrench<double>& F, const Vec3<double>& c, double extent) {
  const Vec3<double> n_c = F.n - cross(c, F.f);
  const double square = dot(F.f, F.f);
  const Vec3<double> away = cross(F.f, n_c);
  if (norm(away) > extent * square || square == 0) return {c, F.f, n_c, "", true};
  const Vec3<double> left = (dot(F.f, n_c) / square) * F.f;
  const bool none = norm(left) < 1e-9 * extent * std::sqrt(square);  // only a rounding error
  return {c + (1 / square) * away, F.f, none ? Vec3<double>{0, 0, 0} : left, "", true};
}

// Returns the wrench of the pull about the origin of the frame, in world axes.
Wrench<double> pull_wrench(const DrawingInput& input, const Pull& pull, const Frame& frame,
                           std::span<const Pose<double>> X_WB) {
  return wrench_F_W(pull, X_WB[size_t(frame.body)] * frame.X_BF, frame_twist(input.state, frame));
}

}  // namespace

void draw_pull(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing) {
  if (!input.load.pull) return;
  const Pull& pull = *input.load.pull;
  const Model& model = input.state.model();
  const Frame& frame = model.frames[size_t(model.frame(pull.frame))];
  const Vec3<double> from = X_WB[size_t(frame.body)] * (frame.X_BF * pull.point_F),
                     &to = pull.target_W;
  const Vec3<double> f = pull_wrench(input, pull, frame, X_WB).f;
  const double radius = 0.009 * input.shapes.extent;
  for (const Vec3<double>& end : {from, to}) {
    Solid ball{Mesh::sphere, translation(end), {radius, radius, radius}};
    ball.color = input.palette.force;
    drawing.arrows.push_back(ball);
  }
  drawing.strokes.push_back({from, to, input.palette.force, 3});
  drawing.labels.push_back({to,
                            fmt::format("{:.4g} N on {}: ({:.3g}, {:.3g}, {:.3g}) N in the world",
                                        norm(f), frame.name, f.x, f.y, f.z),
                            input.palette.force});
}

void draw_applied(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing) {
  const Model& model = input.state.model();
  std::vector<Sign> signs;
  std::vector<Wrench<double>> rest(input.state.F_B().begin(), input.state.F_B().end());
  // [n_body] sum of the magnitudes of all wrenches added to or subtracted from `rest`. A rest that
  // is tiny compared with this sum is a rounding error.
  std::vector<double> size(rest.size());
  const auto measure = [&](const Wrench<double>& F) {
    return std::max(norm(F.f), norm(F.n) / input.shapes.extent);
  };
  for (size_t i = 0; i < rest.size(); ++i) size[i] = measure(rest[i]);
  for (const auto& [f, F_F] : input.load.wrench_F) {
    const Frame& frame = model.frames[size_t(f)];
    const Pose<double> X = X_WB[size_t(frame.body)] * frame.X_BF;
    signs.push_back({X.p, X.R * F_F.f, X.R * F_F.n, "on " + frame.name, true});
    const Wrench<double> F_B = transform(frame.X_BF, F_F);
    rest[size_t(frame.body)] = rest[size_t(frame.body)] - F_B;
    size[size_t(frame.body)] += measure(F_B);
  }
  if (const std::optional<Pull>& pull = input.load.pull) {
    const Frame& frame = model.frames[size_t(model.frame(pull->frame))];
    const Wrench<double> F_W = pull_wrench(input, *pull, frame, X_WB);
    const Mat3<double> R_WF = (X_WB[size_t(frame.body)] * frame.X_BF).R;
    const Wrench<double> F_B = transform(
        frame.X_BF, Wrench<double>{transpose_times(R_WF, F_W.n), transpose_times(R_WF, F_W.f)});
    rest[size_t(frame.body)] = rest[size_t(frame.body)] - F_B;
    size[size_t(frame.body)] += measure(F_B);
  }
  for (size_t i = 1; i < rest.size(); ++i) {
    if (measure(rest[i]) <= 1e-9 * size[i]) continue;
    const SpatialInertia<double>& M = model.inertia_B[i];
    const Vec3<double> com = M.m > 0 ? (1 / M.m) * M.h : Vec3<double>{0, 0, 0};
    Sign sign = on_its_line(rest[i], com, input.shapes.extent);
    const Pose<double>& X = X_WB[i];
    signs.push_back({X * sign.at, X.R * sign.straight, X.R * sign.turning,
                     "on " + name_of(model, int(i)), true});
  }
  drawing.applied = !signs.empty();
  const Palette& colors = input.palette;
  draw_signs(signs, {colors.force, colors.moment, "N", "N m", 0.12, 0.35, 0.011},
             input.shapes.extent, drawing);
}

void draw_reactions(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                    Drawing& drawing) {
  const Model& model = input.state.model();
  if (input.joint_wrenches.size() != X_WB.size()) return;
  std::vector<Sign> signs;
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const Pose<double>& X = X_WB[size_t(joint.body)];
    const Wrench<double>& W = input.joint_wrenches[size_t(joint.body)];
    const bool lit =
        input.highlight.joint == int(j) || input.highlight.link == model.child_link(joint);
    signs.push_back({X.p, X.R * W.f, X.R * W.n, "in " + joint.name, lit});
  }
  const Palette& colors = input.palette;
  draw_signs(signs, {colors.reaction_force, colors.reaction_moment, "N", "N m", 0.04, 0.30, 0.007},
             input.shapes.extent, drawing);
}

void draw_closure_wrenches(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                           Drawing& drawing) {
  constexpr size_t most_named = 8;
  const std::vector<Closure>& closures = input.state.model().closures;
  if (input.closure_wrenches.size() != closures.size()) return;
  std::vector<Sign> signs;
  for (size_t k = 0; k < closures.size(); ++k) {
    const Closure& closure = closures[k];
    const Mat3<double> R_WA = (X_WB[size_t(closure.body_A)] * closure.X_BA).R;
    const Vec3<double> at = (X_WB[size_t(closure.body_B)] * closure.X_BB).p;
    const Wrench<double>& F = input.closure_wrenches[k];
    const bool named = closures.size() <= most_named || input.highlight.closure == int(k);
    signs.push_back({at, R_WA * F.f, R_WA * F.n, "in " + closure.name, named});
  }
  const Palette& colors = input.palette;
  draw_signs(signs, {colors.reaction_force, colors.reaction_moment, "N", "N m", 0.06, 0.30, 0.008},
             input.shapes.extent, drawing);
}

void draw_contacts(const DrawingInput& input, Drawing& drawing) {
  const Model& model = input.state.model();
  const Palette& colors = input.palette;
  const double extent = input.shapes.extent;
  const Style style{colors.reaction_force, colors.reaction_moment, "N", "N m", 0.04, 0.25, 0.006};
  double largest = 0;
  for (const ContactForce& contact : input.contacts) largest = std::max(largest, norm(contact.f_W));
  Color cone = colors.reaction_force;
  cone.a = 0.6;
  std::vector<Sign> signs;
  for (const ContactForce& contact : input.contacts) {
    const Collider* of = &model.colliders[size_t(contact.b)];
    const bool of_first = of->body == 0;
    const double side = of_first ? -1 : 1;
    const int other = of_first ? contact.b : contact.a;
    if (of_first) of = &model.colliders[size_t(contact.a)];
    const Vec3<double> f = side * contact.f_W, n = side * contact.n_W;
    const double size = norm(f), normal = dot(f, n);
    const bool has_force = size > smallest_part * largest;
    const double radius = (has_force ? 0.008 : 0.005) * extent;
    Solid ball{Mesh::sphere, translation(contact.p_W), {radius, radius, radius}};
    ball.color = has_force ? style.straight : colors.text;
    drawing.arrows.push_back(ball);
    drawing.strokes.push_back({contact.p_W, contact.p_W + 0.05 * extent * n, colors.text, 1.4});
    if (has_force) {
      const double height = extent * style.length(size / largest) * normal / size;
      draw_cone(contact.p_W, n, height, contact.mu * height, cone, drawing);
    }
    const int link = input.highlight.link;
    const bool is_lit =
        link >= 0 && (of->link == link || model.colliders[size_t(other)].link == link);
    signs.push_back({contact.p_W, f, side * contact.m_W, "on " + of->name, is_lit});
  }
  draw_signs(signs, style, extent, drawing);
  if (largest > 0)
    for (Solid& solid : drawing.solids) solid.color.a *= 0.4;
}

void draw_twists(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing) {
  const Model& model = input.state.model();
  std::vector<Sign> signs;
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const int l = model.child_link(model.joints[j]);
    const Link& link = model.links[size_t(l)];
    const Frame& frame = model.frames[size_t(link.frame)];
    const Twist<double> V = frame_twist(input.state, frame, Axes::world);
    const bool lit = input.highlight.joint == int(j) || input.highlight.link == l;
    signs.push_back({(X_WB[size_t(frame.body)] * frame.X_BF).p, V.v, V.w, "of " + link.name, lit});
  }
  const Palette& colors = input.palette;
  draw_signs(signs, {colors.velocity, colors.angular_velocity, "m/s", "rad/s", 0.04, 0.30, 0.007},
             input.shapes.extent, drawing);
}

}  // namespace torsor::editor
