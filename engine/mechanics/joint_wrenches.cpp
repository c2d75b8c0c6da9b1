#include "torsor/mechanics/joint_wrenches.hpp"

namespace torsor {

namespace {

BodyMotion motion_of_world(const State& state) {
  return {state.V_W(), state.Vdot_W() - Twist<double>{{0, 0, 0}, state.gravity_W()}};
}

// Returns the motion of body i from that of its parent P (KHALIL 7.58-7.59, MR 9.54-9.55):
//   V_i    = Ad(X_PB)^-1 V_P + S v
//   Vdot_i = Ad(X_PB)^-1 Vdot_P + S vdot - ad(S v) V_i
BodyMotion motion_of_body(const State& state, std::span<const double> vdot, size_t i,
                          const BodyMotion& parent) {
  const Model& model = state.model();
  const Pose<double>& X_PB = state.X_PB()[i];
  Twist<double> own{}, own_rate{};
  for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
    own = own + state.v[size_t(k)] * model.S_B[size_t(k)];
    own_rate = own_rate + vdot[size_t(k)] * model.S_B[size_t(k)];
  }
  const Twist<double> V = inverse_transform(X_PB, parent.V) + own;
  return {V, inverse_transform(X_PB, parent.A) + own_rate - ad(own, V)};
}

// Returns the motion of body i from those of its ancestors.
BodyMotion motion_along_path(const State& state, std::span<const double> vdot, size_t i) {
  if (i == 0) return motion_of_world(state);
  return motion_of_body(state, vdot, i,
                        motion_along_path(state, vdot, size_t(state.model().parent[i])));
}

}  // namespace

// The equations of Newton and Euler for each body, in its axes about its origin (KHALIL 7.58-7.60,
// MR 9.54-9.56). The acceleration of the world includes -g. The sum is over the child bodies C of
// body i:
//   W_i = I Vdot_i - ad(V_i)^T I V_i - F_i + sum Ad(X_BC)^T W_C
// Equations: KHALIL 7.45, 7.46, 7.48, 7.49, 7.69; MR 9.32, 9.33, 9.42, 9.74, 9.79.
void joint_wrenches(const State& state, std::span<const double> vdot,
                    std::span<const Wrench<double>> F_B, std::span<BodyMotion> motions,
                    std::span<Wrench<double>> W) {
  const Model& model = state.model();
  const size_t n = size_t(model.n_body);
  motions[0] = motion_of_world(state);
  W[0] = {};
  for (size_t i = 1; i < n; ++i) {
    motions[i] = motion_of_body(state, vdot, i, motions[size_t(model.parent[i])]);
    const auto& [V, A] = motions[i];
    const SpatialInertia<double>& I = model.inertia_B[i];
    W[i] = I * A - ad_transpose(V, I * V) - F_B[i];
  }
  for (size_t i = n - 1; i > 0; --i) {
    Wrench<double>& carrier = W[size_t(model.parent[i])];
    carrier = carrier + transform(state.X_PB()[i], W[i]);
  }
}

std::vector<Wrench<double>> joint_wrenches(const State& state, std::span<const double> vdot) {
  const size_t n = size_t(state.model().n_body);
  std::vector<BodyMotion> motions(n);
  std::vector<Wrench<double>> W(n);
  joint_wrenches(state, vdot, state.F_B(), motions, W);
  return W;
}

Wrench<double> at_link(const State& state, const Joint& joint, std::span<const Wrench<double>> W_B,
                       Axes axes) {
  const Model& model = state.model();
  const Frame& frame = model.frames[size_t(model.links[size_t(model.child_link(joint))].frame)];
  const Wrench<double> W = inverse_transform(frame.X_BF, W_B[size_t(joint.body)]);
  if (axes == Axes::frame) return W;
  const Mat3<double> R_WF = frame_pose(state, frame).R;
  return {R_WF * W.n, R_WF * W.f};
}

Wrench<double> at_frame(const State& state, const Joint& joint, std::span<const Wrench<double>> W_B,
                        const Frame& F) {
  const Pose<double> X_WB = frame_pose(state, {"", joint.body, Pose<double>::identity()}),
                     X_WF = frame_pose(state, F);
  return inverse_transform(inverse(X_WB) * X_WF, W_B[size_t(joint.body)]);
}

// The point at the origin of F, whose body has the twist V_F = Ad(X_BF)^-1 V_B, accelerates with
//   a = (Vdot_F).v + w x (V_F).v
// in the axes of F. Vdot_B includes -g, so that a does.
InertialMeasurement inertial_measurement(const State& state, std::span<const double> vdot,
                                         const Frame& frame) {
  const BodyMotion motion = motion_along_path(state, vdot, size_t(frame.body));
  const Twist<double> V = inverse_transform(frame.X_BF, motion.V),
                      A = inverse_transform(frame.X_BF, motion.A);
  return {V.w, A.v + cross(V.w, V.v)};
}

}  // namespace torsor
