#pragma once
// The recursions of algorithm.hpp with one body per lane (sdk/levels.hpp).

#include "algorithm.hpp"
#include "torsor/sdk/levels.hpp"

namespace torsor::newton_euler {

// The motion of the bodies of a group, without what follows from it.
template <class T>
struct LaneMotion {
  Vec3<T> w, wd, a;
};
template <class T, class Function>
void for_each_pair(LaneMotion<T>& a, const LaneMotion<T>& b, Function f) {
  sdk::for_each_pair(a.w, b.w, f);
  sdk::for_each_pair(a.wd, b.wd, f);
  sdk::for_each_pair(a.a, b.a, f);
}

// Work area of inverse(): arrays of groups, then arrays of slots.
template <int N>
struct InverseLanes {
  using T = Pack<N>;
  Pose<T>* X_PB;
  LaneMotion<T>* motion;
  Wrench<T>* F;
  T *v, *vdot, *tau;
  InverseLanes(void* work, const sdk::Levels<N>& levels)
      : X_PB(static_cast<Pose<T>*>(work)),
        motion(reinterpret_cast<LaneMotion<T>*>(X_PB + levels.n_group())),
        F(reinterpret_cast<Wrench<T>*>(motion + levels.n_group())),
        v(reinterpret_cast<T*>(F + levels.n_group())),
        vdot(v + levels.n_slot()),
        tau(vdot + levels.n_slot()) {}
  static size_t doubles(const sdk::Levels<N>& levels) {
    return N * (27 * size_t(levels.n_group()) + 3 * size_t(levels.n_slot()));
  }
};

// Computes tau [n_v] for vdot [n_v], as inverse() of algorithm.hpp.
template <int N>
void inverse(const sdk::Levels<N>& levels, const Pose<double>* X_PB, const double* v,
             const double* vdot, const Twist<double>& V_W, const Twist<double>& A_W,
             const Wrench<double>* F_B, const InverseLanes<N>& at, double* tau) {
  using T = Pack<N>;
  levels.to_slots(v, at.v);
  levels.to_slots(vdot, at.vdot);
  const Vec3<double> a_W = A_W.v + cross(V_W.w, V_W.v);
  const auto lanes = [](const Vec3<double>& u) { return Vec3<T>{T(u.x), T(u.y), T(u.z)}; };
  at.motion[0] = {lanes(V_W.w), lanes(A_W.w), lanes(a_W)};
  for (int i = 1; i < levels.n_group(); ++i) {
    at.X_PB[i] = levels.poses(i, X_PB);
    const auto p = levels.template parents<LaneMotion<T>>(i, at.motion);
    const BodyMotion<T> parent{p.w, p.wd, p.a, point_acceleration(p.w, p.wd), {}};
    BodyMotion<T> body;
    levels.with_joint(i, [&](const auto& joint) {
      outward(joint, at.X_PB[i], levels.inertia(i), at.v, at.vdot, parent, body);
    });
    at.motion[i] = {body.w, body.wd, body.a};
    at.F[i] = F_B ? body.F - levels.wrenches(i, F_B) : body.F;
  }
  for (int i = levels.n_group() - 1; i > 0; --i) {
    const Wrench<T> F = at.F[i];
    levels.with_joint(
        i, [&](const auto& joint) { joint_torques(joint, levels.armature(), at.vdot, F, at.tau); });
    if (!levels.is_on_world(i)) levels.add_to_parents(i, transform(at.X_PB[i], F), at.F);
  }
  levels.from_slots(at.tau, tau);
}

// Work area of mass_matrix(): arrays of groups, slots and products. X is the pose of a body in the
// axes of the world, about the origin of the root body of its tree. A root is a body attached to
// the world. A distance of the root from the world's origin costs no digits.
template <int N>
struct MassLanes {
  using T = Pack<N>;
  Pose<T>* X;
  SpatialInertia<T>* composite;
  Twist<T>* S;
  Wrench<T>* F;
  T* products;
  MassLanes(void* work, const sdk::Levels<N>& levels)
      : X(static_cast<Pose<T>*>(work)),
        composite(reinterpret_cast<SpatialInertia<T>*>(X + levels.n_group())),
        S(reinterpret_cast<Twist<T>*>(composite + levels.n_group())),
        F(reinterpret_cast<Wrench<T>*>(S + levels.n_slot())),
        products(reinterpret_cast<T*>(F + levels.n_slot())) {}
  static size_t doubles(const sdk::Levels<N>& levels) {
    return N * (22 * size_t(levels.n_group()) + 12 * size_t(levels.n_slot()) +
                size_t(levels.n_product()));
  }
};

// Computes M [n_v x n_v] from the composite inertias Mc and the screws S of all bodies about the
// origin of their root: M_jk = S_j . Mc_k S_k, j on the path from k to the world. These sums need
// no change of frame between bodies.
template <int N>
void mass_matrix(const sdk::Levels<N>& levels, const Pose<double>* X_PB, int n_v,
                 const MassLanes<N>& at, double* M) {
  using T = Pack<N>;
  const size_t n_entry = size_t(n_v) * size_t(n_v), n_group = size_t(levels.n_group());
  at.X[0] = Pose<T>::identity();
  for (int i = 1; i < levels.n_group(); ++i) {
    // Stores zeros in a part of M while the processor computes.
    const size_t begin = size_t(i - 1) * n_entry / (n_group - 1),
                 end = size_t(i) * n_entry / (n_group - 1);
    composite_body::fill_zeros(M + begin, end - begin);
    const auto X_P = levels.template parents<Pose<T>>(i, at.X);
    Pose<T> X = X_P * levels.poses(i, X_PB);
    X.p = levels.off_world(i, X.p);
    const SpatialInertia<T> M_i = transform(X, levels.inertia(i));
    sdk::for_each_pair(at.X[i], X, [](T& to, const T& x) { to = x; });
    sdk::for_each_pair(at.composite[i], M_i, [](T& to, const T& x) { to = x; });
    levels.with_joint(i, [&](const auto& joint) {
      joint.template for_each_dof<T>([&](int k, const Twist<T>& S) { at.S[k] = transform(X, S); });
    });
  }
  for (int i = levels.n_group() - 1; i > 0; --i) {
    const SpatialInertia<T>& Mc = at.composite[i];
    levels.with_joint(i, [&](const auto& joint) {
      joint.template for_each_dof<T>([&](int k, const Twist<T>&) { at.F[k] = Mc * at.S[k]; });
    });
    if (!levels.is_on_world(i)) levels.add_to_parents(i, Mc, at.composite);
    levels.multiply(i, at.S, at.F, at.products, M);
  }
}

}  // namespace torsor::newton_euler
