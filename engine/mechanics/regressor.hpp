#pragma once
// The dynamics as a linear function of the inertial parameters (KHALIL 9.3), with two velocities in
// the Coriolis term (Slotine and Li 1987):
//   Y(q, v, v_r, a_r) pi = M(q) a_r + C(q, v) v_r + g(q)
// M does not include the armature, and C is such that Mdot - 2C is skew-symmetric. For v_r = v and
// a_r = vdot, the result is inverse dynamics.

#include <array>
#include <span>

#include "torsor/mechanics/state.hpp"
#include "torsor/spatial/pack.hpp"

namespace torsor {

// Number of inertial parameters of a body: m, m c, Ixx Iyy Izz Ixy Ixz Iyz, about the origin of the
// body in its axes. The order is that of torsor_model.inertia_B.
inline constexpr int n_inertial = 10;

// Convert inertial parameters to an inertia and back.
constexpr SpatialInertia<double> inertia_of(const std::array<double, n_inertial>& x) {
  return {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
}
constexpr std::array<double, n_inertial> inertial_numbers(const SpatialInertia<double>& M) {
  return {M.m, M.h.x, M.h.y, M.h.z, M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz};
}
// Returns the inertia whose parameter p is 1 and whose other parameters are 0.
constexpr SpatialInertia<double> unit_inertia(int p) {
  std::array<double, n_inertial> x{};
  x[size_t(p)] = 1;
  return inertia_of(x);
}

// Computes Y [n_v][n_inertial n_body], stored by rows, at q, v, gravity and base motion of the
// state. v_r and a_r are [n_v]. The columns of body 0, the world, are zero. scratch: a buffer of
// regressor_scratch() twists. Does not allocate.
void regressor(const State& state, const double* v_r, const double* a_r,
               std::span<Twist<double>> scratch, double* Y);
size_t regressor_scratch(const Model& model);

// A state as the kernel of the regressor reads it. A_W is the acceleration of the world, -g of
// gravity included.
template <class T>
struct RegressorState {
  const Pose<T>* X_PB;     // [n_body]
  const T *v, *v_r, *a_r;  // [n_v]
  Twist<T> V_W, A_W;
};
inline RegressorState<double> regressor_state(const State& state, const double* v_r,
                                              const double* a_r) {
  return {state.X_PB().data(),
          state.v.data(),
          v_r,
          a_r,
          state.V_W(),
          state.Vdot_W() - Twist<double>{{0, 0, 0}, state.gravity_W()}};
}

// The kernel of the regressor. The scalar T is double, or a register with one state in each lane
// (batch/batch_regressor.hpp).
template <class T>
class RegressorKernel {
 public:
  // scratch: a buffer of regressor_scratch() twists. It and the model must outlive the kernel.
  RegressorKernel(const Model& model, std::span<Twist<T>> scratch);

  // Computes the motions of all bodies.
  void evaluate_motion(const RegressorState<T>& at);
  // Writes the columns of the parameters of a body in these motions. Y: the first of these columns
  // in the first row of a matrix with n_v rows of length `row`. Writes only the rows of dof on the
  // path from the body to the world. The others are zero.
  void write_columns(int body, T* Y, size_t row) const;
  // Writes the columns of parameters about the origin and in the axes of a frame F of the body.
  void write_columns(int body, const Pose<double>& X_BF, T* Y, size_t row) const;

 private:
  void write(size_t body, const Pose<T>& X_AF, const Twist<T>& V, const Twist<T>& V_r,
             const Twist<T>& A, T* Y, size_t row) const;

  const Model& model_;
  std::span<Twist<T>> V_, V_r_, A_, poses_, S_A_;
};
extern template class RegressorKernel<double>;
extern template class RegressorKernel<Pack<native_lanes>>;

}  // namespace torsor
