#pragma once
// Views of the arrays in torsor_model and torsor_state with the types of spatial/, templated on the
// scalar.

#include <concepts>

#include "torsor/sdk/ext/solver_rates.h"
#include "torsor/spatial/inertia.hpp"

namespace torsor::sdk {

// A tree as kernels see it: torsor_model, or a type that replaces its arrays of inertias and
// armatures with arrays of another scalar.
template <class Model>
concept Tree = std::derived_from<Model, torsor_model>;

// Returns the screw of a dof, in the frame of the body that the joint moves.
template <class T>
Twist<T> screw(const torsor_model& model, int column) {
  const double* s = model.S_B + 6 * column;
  return {{T(s[0]), T(s[1]), T(s[2])}, {T(s[3]), T(s[4]), T(s[5])}};
}
template <class T>
SpatialInertia<T> inertia(const Tree auto& model, int body) {
  const auto* m = model.inertia_B + 10 * body;
  return {
      T(m[0]), {T(m[1]), T(m[2]), T(m[3])}, {T(m[4]), T(m[5]), T(m[6]), T(m[7]), T(m[8]), T(m[9])}};
}
// Returns one past the last dof of the joint of a body. The first dof is v_index[body].
inline int dof_end(const torsor_model& model, int body) {
  return model.v_index[body] + model.v_count[body];
}
// Returns S x for the joint of a body; x is [n_v].
template <class T>
Twist<T> joint_twist(const torsor_model& model, int body, const T* x) {
  Twist<T> s{};
  for (int k = model.v_index[body]; k < dof_end(model, body); ++k)
    s = s + x[k] * screw<T>(model, k);
  return s;
}

// Views of a state, or of a block of states with packs of `lanes` numbers as T.
template <class T = double>
const Pose<T>* poses(const torsor_state& state) {
  return reinterpret_cast<const Pose<T>*>(state.X_PB);
}
template <class T = double>
Twist<T> world_twist(const torsor_state& state) {
  return *reinterpret_cast<const Twist<T>*>(state.V_W);
}
template <class T = double>
Twist<T> world_acceleration(const torsor_state& state) {
  return *reinterpret_cast<const Twist<T>*>(state.A_W);
}
// Returns the wrenches [n_body], or null if there are none.
template <class T = double>
const Wrench<T>* wrenches(const torsor_state& state) {
  return reinterpret_cast<const Wrench<T>*>(state.F_B);
}

// Return the k-th time derivative of a quantity along a motion. k = 0 is the quantity itself. If
// the motion does not contain the derivative, the functions return a zero twist or a null pointer.
template <class Value>
const Value* derivative(const double* value, const double* derivatives, size_t count, int k) {
  const auto* values = reinterpret_cast<const Value*>(derivatives);
  return k == 0   ? reinterpret_cast<const Value*>(value)
         : values ? values + size_t(k - 1) * count
                  : nullptr;
}
template <class T = double>
Twist<T> world_twist(const torsor_state& state, const torsor_motion_rates& motion, int k) {
  const auto* V = derivative<Twist<T>>(state.V_W, motion.V_W, 1, k);
  return V ? *V : Twist<T>{};
}
template <class T = double>
Twist<T> world_acceleration(const torsor_state& state, const torsor_motion_rates& motion, int k) {
  const auto* A = derivative<Twist<T>>(state.A_W, motion.A_W, 1, k);
  return A ? *A : Twist<T>{};
}
template <class T = double>
const Wrench<T>* wrenches(const torsor_model& model, const torsor_state& state,
                          const torsor_motion_rates& motion, int k) {
  return derivative<Wrench<T>>(state.F_B, motion.F_B, size_t(model.n_body), k);
}

}  // namespace torsor::sdk
