#pragma once
// Armature of coupled transmissions, which rigid-body solvers do not support: off the diagonal, and
// also on the diagonal for transmissions that depend on q. M is the solver's mass matrix, A this
// armature, b the bias, and vdot_s the solver's acceleration:
//   (M + A) vdot = tau - b    and    M vdot_s = tau - b,    so    vdot = vdot_s - M^-1 A vdot
// A is nonzero only at the dof of transmissions. P contains these rows of the identity. With A =
// P^T A_c P and x = P vdot:
//   (I + P M^-1 P^T A_c) x = P vdot_s,  vdot = vdot_s - M^-1 P^T A_c x
// This linear system has one unknown per dof of a transmission. It has a solution if M + A is
// positive definite.

#include <Eigen/LU>

#include "torsor/model/transmission.hpp"
#include "torsor/simulation/mechanism/mechanism.hpp"

namespace torsor {

class CoupledArmature {
 public:
  explicit CoupledArmature(const Mechanism& mechanism);
  bool empty() const { return columns_.empty(); }
  // Sets the armature of the transmissions that depend on q.
  void set(const Model& model, const Transmissions& transmissions);
  // Replaces M^-1 [n_v * n_v] by (M + A)^-1, and vdot_s [n_v] by vdot. The pointer vdot may be
  // null. Does not allocate.
  void add(double* M_inverse, double* vdot);

 private:
  Eigen::Index place(int dof) const;

  Eigen::Index n_v_;
  std::vector<int> columns_;
  Eigen::MatrixXd A_, Y_, K_;  // A_c; M^-1 P^T; I + P Y A_c
  Eigen::MatrixXd b_, x_;      // b_: [P M^-1, P vdot_s], then A_c x; x_: x
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace torsor
