#include "torsor/mechanics/kinematics.hpp"

#include <cassert>
#include <cstring>

namespace torsor {

// Equations: MR 9.37, 9.49; RCFS 105.
std::vector<Pose<double>> world_poses(const State& state) {
  std::vector<Pose<double>> X_WB(size_t(state.model().n_body));
  world_poses(state, X_WB);
  return X_WB;
}
void world_poses(const State& state, std::span<Pose<double>> X_WB) {
  const Model& model = state.model();
  X_WB[0] = Pose<double>::identity();
  for (int i = 1; i < model.n_body; ++i) X_WB[i] = X_WB[model.parent[i]] * state.X_PB()[i];
}

// Equations: MR 9.36.
Pose<double> frame_pose(const State& state, const Frame& frame) {
  Pose<double> X = frame.X_BF;
  for (int i = frame.body; i > 0; i = state.model().parent[i]) X = state.X_PB()[i] * X;
  return X;
}

// V_WB = Ad(X_PB)^-1 V_WP + S v   (MR 9.54, MK 15, 16)
// Equations: KHALIL 7.14, 7.15, 7.17, 7.18, 7.22, 7.41, 7.42; MR 9.46.
void body_twists(const State& state, std::span<Twist<double>> V) {
  body_twists(state, state.v.data(), V);
}

void body_twists(const State& state, const double* v, std::span<Twist<double>> V) {
  const Model& model = state.model();
  V[0] = {};
  for (int i = 1; i < model.n_body; ++i) {
    V[i] = inverse_transform(state.X_PB()[i], V[model.parent[i]]);
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      V[i] = V[i] + v[k] * model.S_B[k];
  }
}

namespace {
// Follows the path from a frame to the world, beginning with the nearest joint. Calls column(k, S)
// for each dof k, and joint() after the last dof of each joint. S = Ad(X_BF)^-1 S_B is column k of
// the frame's Jacobian in the axes of the frame (MK 16, 17). X_BF is the pose of the frame in the
// joint's body. Returns the pose of the frame in the world.
template <class Column, class Joint>
Pose<double> for_each_column_to_world(const State& state, const Frame& frame, Column column,
                                      Joint joint) {
  const Model& model = state.model();
  Pose<double> X_BF = frame.X_BF;
  for (int i = frame.body; i > 0; i = model.parent[i]) {
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      column(k, inverse_transform(X_BF, model.S_B[k]));
    joint();
    X_BF = state.X_PB()[i] * X_BF;
  }
  return X_BF;
}

Twist<double> turned(const Mat3<double>& R, const Twist<double>& V) {
  return {R * V.w, R * V.v};
}
}  // namespace

// V_WF_F is the sum of S v along the path. For the axes of the world, both vectors are rotated.
// Equations: MR 9.91; JIN 30.
Twist<double> frame_twist(const State& state, const Frame& frame, Axes axes) {
  Twist<double> V{};
  const Pose<double> X_WF = for_each_column_to_world(
      state, frame, [&](int k, const Twist<double>& S) { V = V + state.v[k] * S; }, [] {});
  return axes == Axes::frame ? V : turned(X_WF.R, V);
}

// The pose in the world is known after the last column. Columns in the axes of the world are
// rotated then. Equations: JIN 35.
void frame_jacobian(const State& state, const Frame& frame, Axes axes,
                    Eigen::Ref<Eigen::MatrixXd> J) {
  assert(J.rows() == 6 && J.cols() == state.model().n_v);
  J.setZero();
  const auto set = [&](int k, const Twist<double>& S) {
    std::memcpy(J.data() + k * J.outerStride(), &S, sizeof S);
  };
  const Pose<double> X_WF = for_each_column_to_world(state, frame, set, [] {});
  if (axes == Axes::frame) return;
  const Model& model = state.model();
  for (int i = frame.body; i > 0; i = model.parent[i])
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const double* S = J.data() + k * J.outerStride();
      set(k, turned(X_WF.R, {{S[0], S[1], S[2]}, {S[3], S[4], S[5]}}));
    }
}

Eigen::MatrixXd frame_jacobian(const State& state, const Frame& frame, Axes axes) {
  Eigen::MatrixXd J(6, state.model().n_v);
  frame_jacobian(state, frame, axes, J);
  return J;
}

// The recursion of accelerations from the world outwards (MK 22, MR 9.55), with vdot = 0 here, is
//   Vdot = Ad^-1 Vdot_P + S vdot - ad(S v) V
// This function evaluates the sum from the frame towards the world instead, which needs no memory.
// S = Ad(X_BF)^-1 S_B changes because F moves relative to B. The relative twist V_BF_F is the sum
// of S v of the joints between B and F:
//   d/dt Ad(X_BF)^-1 S_B = -ad(V_BF) S,        Jdot v = sum over joints of ad(S v, V_BF)
// In the axes of the world, with R = R_WF and Rdot = R w~:
//   d/dt (R w, R v) = (R wdot, R (vdot + w x v))
// Equations: MR 9.92.
Twist<double> jacobian_rate(const State& state, const Frame& frame, Axes axes) {
  Twist<double> V_BF{}, joint{}, rate{};
  const Pose<double> X_WF = for_each_column_to_world(
      state, frame, [&](int k, const Twist<double>& S) { joint = joint + state.v[k] * S; },
      [&] {
        rate = rate + ad(joint, V_BF);
        V_BF = V_BF + joint;
        joint = {};
      });
  if (axes == Axes::frame) return rate;
  return turned(X_WF.R, {rate.w, rate.v + cross(V_BF.w, V_BF.v)});
}

// Computes the terms of the sum in jacobian_rate() as columns: Sdot = -ad(V_BF) S. In the axes of
// the world, d/dt (R S) = R (Sdot + w x S), for the angular and the linear part separately.
// Equations: KHALIL 9.21; MK 19.
void jacobian_derivative(const State& state, const Frame& frame, Axes axes,
                         Eigen::Ref<Eigen::MatrixXd> Jdot) {
  assert(Jdot.rows() == 6 && Jdot.cols() == state.model().n_v);
  const bool of_world = axes == Axes::world;
  const Mat3<double> R = of_world ? frame_pose(state, frame).R : Mat3<double>::identity();
  const Vec3<double> w = of_world ? frame_twist(state, frame).w : Vec3<double>{};
  Twist<double> V_BF{}, joint{};
  Jdot.setZero();
  for_each_column_to_world(
      state, frame,
      [&](int k, const Twist<double>& S) {
        joint = joint + state.v[size_t(k)] * S;
        const Twist<double> rate = ad(S, V_BF);
        const Twist<double> D = turned(R, {rate.w + cross(w, S.w), rate.v + cross(w, S.v)});
        Jdot.col(k) << D.w.x, D.w.y, D.w.z, D.v.x, D.v.y, D.v.z;
      },
      [&] {
        V_BF = V_BF + joint;
        joint = {};
      });
}

Eigen::MatrixXd jacobian_derivative(const State& state, const Frame& frame, Axes axes) {
  Eigen::MatrixXd Jdot(6, state.model().n_v);
  jacobian_derivative(state, frame, axes, Jdot);
  return Jdot;
}

// Equations: KHALIL 7.5, 7.9, 7.10, 7.13, 7.16, 7.19; MR 9.10, 9.24, 9.59, 9.60; JIN 34, 36.
double kinetic_energy(const State& state, std::span<Twist<double>> V) {
  const Model& model = state.model();
  body_twists(state, V);
  double energy = 0;
  for (int i = 1; i < model.n_body; ++i) energy += 0.5 * dot(V[i], model.inertia_B[i] * V[i]);
  for (int k = 0; k < model.n_v; ++k) energy += 0.5 * model.armature[k] * state.v[k] * state.v[k];
  return energy;
}

// Equations: KHALIL 7.24, 7.25a, 7.25b; JIN 38.
double potential_energy(const State& state, std::span<Pose<double>> X_WB) {
  const Model& model = state.model();
  world_poses(state, X_WB);
  double energy = 0;
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    energy -= dot(state.gravity_W(), M.m * X_WB[i].p + X_WB[i].R * M.h);
  }
  return energy;
}

double kinetic_energy(const State& state) {
  std::vector<Twist<double>> V(size_t(state.model().n_body));
  return kinetic_energy(state, V);
}

double potential_energy(const State& state) {
  std::vector<Pose<double>> X_WB(size_t(state.model().n_body));
  return potential_energy(state, X_WB);
}

void joint_screws(const State& state, std::span<Pose<double>> X_WB, std::span<Twist<double>> S_W) {
  const Model& model = state.model();
  const Pose<double>* X_PB = state.X_PB().data();
  X_WB[0] = Pose<double>::identity();
  for (size_t i = 1; i < size_t(model.n_body); ++i) {
    X_WB[i] = X_WB[size_t(model.parent[i])] * X_PB[i];
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      S_W[size_t(k)] = transform(X_WB[i], model.S_B[size_t(k)]);
  }
}

// S_B is constant, and d/dt Ad(X_WB) = ad(V_WB_W) Ad(X_WB):
//   Sdot_W = ad(V_WB_W) S_W
void joint_screw_rates(const State& state, std::span<const Twist<double>> S_W,
                       std::span<Twist<double>> V_WB_W, std::span<Twist<double>> Sdot_W) {
  const Model& model = state.model();
  V_WB_W[0] = {};
  for (size_t i = 1; i < size_t(model.n_body); ++i) {
    const size_t first = size_t(model.v_index[i]), end = first + size_t(model.v_count[i]);
    Twist<double> V = V_WB_W[size_t(model.parent[i])];
    for (size_t k = first; k < end; ++k) V = V + state.v[k] * S_W[k];
    for (size_t k = first; k < end; ++k) Sdot_W[k] = ad(V, S_W[k]);
    V_WB_W[i] = V;
  }
}

}  // namespace torsor
