#pragma once
// The armature of coupled transmissions off its diagonal, which rigid-body solvers do not know:
// with M theirs and A it,
//   (M + A) vdot = tau - b    and    M vdot_s = tau - b,    so    vdot = vdot_s - M^-1 A vdot
// A lives on the columns of transmissions; with P those rows of the identity and A = P^T A_c P,
//   (I + P M^-1 P^T A_c) x = P vdot_s,  vdot = vdot_s - M^-1 P^T A_c x
// is a linear system of their size. M + A is positive definite where M is, so it has a solution.

#include <Eigen/LU>

#include "torsor/simulation/mechanism.hpp"

namespace torsor {

class CoupledArmature {
 public:
  explicit CoupledArmature(const Mechanism& mechanism);
  bool empty() const { return columns_.empty(); }
  // From M^-1 [n_v * n_v] and vdot_s: (M + A)^-1 and vdot, in their places. vdot may be null. No
  // allocation.
  void add(double* M_inverse, double* vdot);

 private:
  Eigen::Index n_v_;
  std::vector<int> columns_;
  Eigen::MatrixXd A_, Y_, K_;  // A_c; M^-1 P^T; I + P Y A_c
  Eigen::MatrixXd b_, x_;      // [P M^-1, P vdot_s], then A_c x; x
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace torsor
