// Draws the quantity of the recursion on the robot: a six-vector at its frame, an inertia as the
// ellipsoid of its effective masses.

#include "editor/panels/explain/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/probe/probe.hpp"
#include "editor/view/arrows.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor::editor {

namespace {

using Point = Vec3<double>;

// The angular and linear parts of a quantity. turning and straight are offsets in its numbers; -1
// if it has no such part.
struct Parts {
  int turning, straight;
  const char *turning_unit, *straight_unit;
  bool moves;  // true for a motion, false for a wrench
};
std::optional<Parts> parts_of(int kind) {
  switch (kind) {
    case TORSOR_TRACE_ANGULAR_VELOCITY:
      return Parts{0, -1, "rad/s", "", true};
    case TORSOR_TRACE_ANGULAR_ACCELERATION:
      return Parts{0, -1, "rad/s^2", "", true};
    case TORSOR_TRACE_POSITION:
      return Parts{-1, 0, "", "m", true};
    case TORSOR_TRACE_LINEAR_ACCELERATION:
      return Parts{-1, 0, "", "m/s^2", true};
    case TORSOR_TRACE_TWIST:
      return Parts{0, 3, "rad/s", "m/s", true};
    case TORSOR_TRACE_ACCELERATION:
      return Parts{0, 3, "rad/s^2", "m/s^2", true};
    case TORSOR_TRACE_WRENCH:
      return Parts{0, 3, "N m", "N", false};
    default:
      return std::nullopt;
  }
}

// Jacobians, rows of matrices and Christoffel symbols have a value for each of several dof. The
// panel lists them.
bool has_many_values(int kind) {
  return kind == TORSOR_TRACE_JACOBIAN || kind == TORSOR_TRACE_JACOBIAN_RATE ||
         kind >= TORSOR_TRACE_JOINT_INERTIA_ROW;
}

class ExplanationPainter {
 public:
  ExplanationPainter(const State& state, const ExplainedStep& at, double extent,
                     const Palette& palette, Drawing& out)
      : tracer_(at.tracer),
        step_(at.step),
        extent_(extent),
        palette_(palette),
        out_(out),
        X_WB_(world_poses(state)) {}

  void paint() {
    const TracedQuantity& q = tracer_.table().quantities[size_t(step_.quantity)];
    if (const auto parts = parts_of(q.kind)) return six_vector(*parts);
    if (q.kind == TORSOR_TRACE_INERTIA) return inertia();
    if (has_many_values(q.kind)) return;
    const Model& model = tracer_.model();
    for (int k = model.v_index[size_t(step_.body)];
         k < model.v_index[size_t(step_.body)] + model.v_count[size_t(step_.body)]; ++k)
      of_column(q, k);
  }

 private:
  Pose<double> pose(int body) const { return X_WB_[size_t(body)] * tracer_.X_BL(body); }
  Point origin() const { return pose(step_.body).p; }
  static Point part(std::span<const double> x, int at) {
    return {x[size_t(at)], x[size_t(at) + 1], x[size_t(at) + 2]};
  }

  // Returns the length of an arrow in m. It is 12 to 35 % of the extent and grows with the
  // magnitude, relative to the largest magnitude on any body.
  double length(double magnitude, double largest) const {
    return extent_ * (0.12 + 0.23 * magnitude / largest);
  }
  double largest(int at) const {
    double most = 0;
    for (int i = 1; i < tracer_.model().n_body; ++i)
      most = std::max(most, norm(part(tracer_.at(step_.quantity, i), at)));
    return most;
  }

  void six_vector(const Parts& parts) {
    const std::span<const double> x = tracer_.at(step_.quantity, step_.body);
    const Mat3<double>& R = pose(tracer_.frame_body(step_)).R;
    if (parts.straight >= 0)
      straight(R * part(x, parts.straight), largest(parts.straight), parts.straight_unit,
               parts.moves ? palette_.velocity : palette_.force);
    if (parts.turning >= 0)
      turning(origin(), R * part(x, parts.turning), largest(parts.turning), parts.turning_unit,
              parts.moves ? palette_.angular_velocity : palette_.moment);
  }

  void straight(const Point& vector, double most, const char* unit, const Color& color) {
    const double magnitude = norm(vector);
    if (!(magnitude > 1e-9 * most)) return;
    const Point tip = add_arrow(out_, origin(), (1 / magnitude) * vector, length(magnitude, most),
                                0.011 * extent_, color);
    out_.labels.push_back({tip, fmt::format("{:.4g} {}", magnitude, unit), color});
  }

  void turning(const Point& at, const Point& vector, double most, const char* unit,
               const Color& color) {
    const double magnitude = norm(vector);
    if (!(magnitude > 1e-9 * most)) return;
    const Point e = (1 / magnitude) * vector;
    const double radius = 0.5 * length(magnitude, most);
    const Point end = add_turn(out_, at, e, radius, 4, color);
    out_.strokes.push_back({at, at + 0.8 * radius * e, color, 2});
    out_.labels.push_back({end, fmt::format("{:.4g} {}", magnitude, unit), color});
  }

  // Draws an inertia as an ellipsoid. D is the 3 x 3 block of the inertia with D a = force, for an
  // acceleration a of the origin without rotation. The eigenvalues of D are the effective masses.
  // The semi-axes grow with the cube roots of the effective masses, as the edge of a cube does with
  // its mass.
  void inertia() {
    using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
    const auto block = [&](int body) -> Eigen::Matrix3d {
      return Eigen::Map<const Matrix>(tracer_.at(step_.quantity, body).data())
          .bottomRightCorner<3, 3>();
    };
    double most = 0;
    for (int i = 1; i < tracer_.model().n_body; ++i) most = std::max(most, block(i).trace());
    const SymmetricEigen3 of = symmetric_eigen3(block(step_.body));
    if (most <= 0 || !of.converged) return;
    const auto axis = [&](int k) {
      return Point{of.vectors(0, k), of.vectors(1, k), of.vectors(2, k)};
    };
    const Point x = axis(0), y = axis(1), z = cross(x, y);
    const auto half = [&](int k) {
      return extent_ * (0.008 + 0.14 * std::cbrt(std::max(of.values[k], 0.0) / most));
    };
    Solid ball{.mesh = Mesh::sphere,
               .X = pose(step_.body),
               .size = {half(0), half(1), half(2)},
               .color = palette_.inertia};
    ball.X.R = ball.X.R * Mat3<double>{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    ball.color.a = 0.8;
    out_.ellipsoids.push_back(ball);
    for (int k = 0; k < 3; ++k) {
      const Point tip = ball.X * Point{k == 0 ? 1.25 * half(0) : 0, k == 1 ? 1.25 * half(1) : 0,
                                       k == 2 ? 1.25 * half(2) : 0};
      out_.strokes.push_back({origin(), tip, palette_.inertia, 2});
      out_.labels.push_back(
          {tip, fmt::format("{:.3g} kg", std::max(of.values[k], 0.0)), palette_.inertia});
    }
  }

  // Draws the quantity of a dof along the axis of its joint. The quantity U of the articulated-body
  // algorithm is the wrench for a unit acceleration of the joint.
  void of_column(const TracedQuantity& q, int column) {
    const Model& model = tracer_.model();
    const JointDof& joint = model.dof(column);
    const std::span<const double> x = tracer_.at(step_.quantity, column);
    const Mat3<double>& R = pose(step_.body).R;
    if (q.kind == TORSOR_TRACE_JOINT_WRENCH) {
      straight(R * part(x, 3), norm(part(x, 3)), joint.turns() ? "kg m" : "kg", palette_.force);
      return turning(origin(), R * part(x, 0), norm(part(x, 0)), joint.turns() ? "kg m^2" : "kg m",
                     palette_.moment);
    }
    const Pose<double>& X = X_WB_[size_t(step_.body)];
    const Twist<double>& S = model.S_B[size_t(column)];
    const Point e = X.R * (joint.turns() ? S.w : S.v);
    double most = 0;
    for (int k = 0; k < model.n_v; ++k)
      if (model.dof(k).turns() == joint.turns())
        most = std::max(most, std::abs(tracer_.at(step_.quantity, k)[0]));
    const bool force = q.kind == TORSOR_TRACE_JOINT_FORCE,
               rate = q.kind == TORSOR_TRACE_JOINT_VELOCITY;
    if (q.kind == TORSOR_TRACE_JOINT_INERTIA) {
      out_.labels.push_back(
          {X.p, fmt::format("{:.4g} {}", x[0], joint.armature_unit()), palette_.inertia});
    } else if (joint.turns()) {
      turning(X.p, x[0] * e, most,
              force  ? "N m"
              : rate ? "rad/s"
                     : "rad/s^2",
              force ? palette_.moment : palette_.angular_velocity);
    } else {
      straight(x[0] * e, most,
               force  ? "N"
               : rate ? "m/s"
                      : "m/s^2",
               force ? palette_.force : palette_.velocity);
    }
  }

  const Tracer& tracer_;
  TraceStep step_;
  double extent_;
  const Palette& palette_;
  Drawing& out_;
  std::vector<Pose<double>> X_WB_;
};

// Returns whether the Explain panel is the front tab of its pane, and whether it shows a recursion.
bool is_in_front(const Editor& editor) {
  // A copy, because in_front() may add a panel to the settings.
  Settings settings = editor.settings;
  return editor.has_scene() && in_front(settings, panel_row("explain"));
}
bool is_explaining(const Editor& editor) {
  return editor.panel<ExplainPanel>().subject == Explained::recursion && is_in_front(editor);
}

}  // namespace

Highlight explained_highlight(Editor& editor, const Highlight& otherwise) {
  if (!is_explaining(editor)) return otherwise;
  const auto at = explained_step(editor);
  if (!at) return otherwise;
  Highlight lit = otherwise;
  lit.link = at->tracer.link(at->step.body);
  return lit;
}

ViewToggles explained_toggles(const Editor& editor) {
  ViewToggles toggles = editor.panel<ViewPanel>().state.toggles;
  if (is_explaining(editor))
    toggles.wrenches = toggles.reactions = toggles.closure_wrenches = toggles.contacts =
        toggles.twists = toggles.inertia = false;
  else if (is_in_front(editor) && editor.panel<ExplainPanel>().subject == Explained::contacts)
    toggles.contacts = true;
  else if (is_in_front(editor))
    toggles.closures = toggles.closure_wrenches = true;
  return toggles;
}

void add_explanation(Editor& editor, const Palette& palette, Drawing& drawing) {
  if (!is_explaining(editor)) return;
  const auto at = explained_step(editor);
  if (!at) return;
  ExplanationPainter(editor.probe.state(), *at, editor.panel<ViewPanel>().state.shapes.extent,
                     palette, drawing)
      .paint();
  // Make the links translucent, because the arrows are inside them. If there are ellipsoids, the
  // renderer does this.
  if (drawing.ellipsoids.empty())
    for (Solid& solid : drawing.solids) solid.color.a *= 0.4;
}

}  // namespace torsor::editor
