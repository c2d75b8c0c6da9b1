#pragma once
// The recursions of algorithm.hpp with one body per lane (sdk/levels.hpp).

#include "algorithm.hpp"
#include "torsor/sdk/levels.hpp"

namespace torsor::articulated_body {

// The articulated inertia and the bias that bodies add to those of their parents.
template <class T>
struct Carried {
  ArticulatedInertia<T> P;
  Wrench<T> b;
};
template <class T, class Function>
void for_each_pair(ArticulatedBody<T>& a, const Carried<T>& b, Function f) {
  sdk::for_each_pair(a.P.A, b.P.A, f);
  sdk::for_each_pair(a.P.B, b.P.B, f);
  sdk::for_each_pair(a.P.D, b.P.D, f);
  sdk::for_each_pair(a.b, b.b, f);
}
// Selects the angular velocity or the acceleration of a body.
template <class T, class Function>
void for_each_pair(Vec3<T>& w, const ArticulatedBody<T>& b, Function f) {
  sdk::for_each_pair(w, b.w, f);
}
template <class T, class Function>
void for_each_pair(Twist<T>& Vdot, const ArticulatedBody<T>& b, Function f) {
  sdk::for_each_pair(Vdot, b.Vdot, f);
}

// Work area of forward(): arrays of groups, then arrays of slots.
template <int N>
struct ForwardLanes {
  using T = Pack<N>;
  Pose<T>* X_PB;
  ArticulatedBody<T>* body;
  Column<T>* column;
  T *v, *tau, *vdot;
  ForwardLanes(void* work, const sdk::Levels<N>& levels)
      : X_PB(static_cast<Pose<T>*>(work)),
        body(reinterpret_cast<ArticulatedBody<T>*>(X_PB + levels.n_group())),
        column(reinterpret_cast<Column<T>*>(body + levels.n_group())),
        v(reinterpret_cast<T*>(column + levels.n_slot())),
        tau(v + levels.n_slot()),
        vdot(tau + levels.n_slot()) {}
  static size_t doubles(const sdk::Levels<N>& levels) {
    return (sizeof(Pose<T>) + sizeof(ArticulatedBody<T>)) / sizeof(double) *
               size_t(levels.n_group()) +
           (sizeof(Column<T>) / sizeof(double) + 3 * N) * size_t(levels.n_slot());
  }
};

// Computes vdot [n_v] for tau [n_v], as forward() of algorithm.hpp.
template <int N>
void forward(const sdk::Levels<N>& levels, const Pose<double>* X_PB, const double* v,
             const double* tau, const Twist<double>& V_W, const Twist<double>& A_W,
             const Wrench<double>* F_B, const ForwardLanes<N>& at, double* vdot) {
  using T = Pack<N>;
  const auto lanes = [](const Vec3<double>& u) { return Vec3<T>{T(u.x), T(u.y), T(u.z)}; };
  levels.to_slots(v, at.v);
  levels.to_slots(tau, at.tau);
  at.body[0].w = lanes(V_W.w);
  at.body[0].Vdot = {lanes(A_W.w), lanes(A_W.v + cross(V_W.w, V_W.v))};
  for (int i = 1; i < levels.n_group(); ++i) {
    ArticulatedBody<T>& body = at.body[i];
    const Pose<T> X = levels.poses(i, X_PB);
    levels.with_joint(i, [&](const auto& joint) {
      start(joint, X, levels.inertia(i), at.v, levels.template parents<Vec3<T>>(i, at.body), body);
    });
    if (F_B) body.b = body.b - levels.wrenches(i, F_B);
    body.P = rigid(levels.inertia(i));
    at.X_PB[i] = X;
  }
  for (int i = levels.n_group() - 1; i > 0; --i) {
    const bool on_world = levels.is_on_world(i);
    ArticulatedBody<T> added{};
    levels.with_joint(i, [&](const auto& joint) {
      if (levels.has_rotor(i))
        inward<true>(joint, levels.armature(), at.X_PB[i], at.v, at.tau, at.body[i], on_world,
                     added, at.column, i, sdk::NoTrace{});
      else
        inward<false>(joint, levels.armature(), at.X_PB[i], at.v, at.tau, at.body[i], on_world,
                      added, at.column, i, sdk::NoTrace{});
      if (!on_world) levels.add_to_parents(i, Carried<T>{added.P, added.b}, at.body);
    });
  }
  for (int i = 1; i < levels.n_group(); ++i)
    levels.with_joint(i, [&](const auto& joint) {
      outward(joint, at.X_PB[i], at.v, at.column, levels.template parents<Twist<T>>(i, at.body),
              at.body[i], at.vdot, i, sdk::NoTrace{});
    });
  levels.from_slots(at.vdot, vdot);
}

}  // namespace torsor::articulated_body
