#pragma once
// The motions that constraint rows J allow, in the metric of the mass matrix M.
//
// The rows are scaled to unit length in the metric of M^-1, s_r^-2 = J_r M^-1 J_r^T, and
// decomposed, where M = L L^T:
//   B = L^-1 J^T diag(s) = U diag(sigma) W^T
// The singular values sigma do not depend on the units of the rows and of the dof. A row that adds
// nothing to the others has the part 0 outside of their span. The rank r is the number of singular
// values above 1e-6, the limit of IndependentRows. With U = (U_1, U_2), U_1 of r columns,
//   Z = L^-T U_2,   J Z = 0,   Z^T M Z = 1
// is a basis of the velocities that the constraints allow. J x = y has the solution with the least
// x^T M x, and J^T lambda = f the lambda with the least sum of (lambda_r / s_r)^2:
//   x = L^-T U_1 diag(sigma)^-1 W_1^T diag(s) y
//   lambda = diag(s) W_1 diag(sigma)^-1 U_1^T L^-1 f

#include <Eigen/Cholesky>

#include "torsor/constraints/loops/constraint_rows.hpp"

namespace torsor {

class ConstrainedMotions {
 public:
  // Decomposes the rows. M: [n_v x n_v]. Returns false if M is not positive definite.
  [[nodiscard]] bool decompose(const ConstraintRows& rows, const Eigen::MatrixXd& M);

  Eigen::Index rank() const { return rank_; }
  Eigen::Index mobility() const { return Z_.cols(); }  // n_v - rank
  // Returns sigma in descending order, [min(rows, n_v)].
  const Eigen::VectorXd& singular_values() const { return sigma_; }
  // Returns the number of rows of each group (ConstraintRows::groups) that the other groups and the
  // other rows of the group imply: rows of the group + rank without the group - rank.
  std::vector<Eigen::Index> redundant_rows(const ConstraintRows& rows) const;

  const Eigen::MatrixXd& basis() const { return Z_; }  // Z [n_v x mobility]
  // Returns the x [n_v] with J x = y in the sense of least squares and the least x^T M x.
  Eigen::VectorXd solve(const Eigen::VectorXd& y) const;
  // Returns the multipliers of least norm whose forces J^T lambda are nearest to f [n_v].
  Eigen::VectorXd multipliers(const Eigen::VectorXd& f) const;
  // Returns the square root of entry (dof, dof) of M^-1.
  double unit(int dof) const { return unit_[dof]; }
  // Returns row `dof` of Z relative to the velocities that the dof could have without constraints:
  // its norm is between 0, immovable, and 1.
  Eigen::RowVectorXd participation(int dof) const { return Z_.row(dof) / unit_[dof]; }

  // Selects dof whose rates determine the motion, as many as the mobility. The dof of `preferred`
  // are selected before the others. Each is the first one whose part outside of the span of the
  // selected ones is a tenth of the largest part or more.
  std::vector<int> select_independent(std::span<const int> preferred) const;
  // Returns whether the rates of the dof determine the motion and can be chosen freely.
  bool are_independent(std::span<const int> dofs) const;
  // Returns T [n_v x mobility], with v = T v_i and the rows of the identity at the independent dof.
  Eigen::MatrixXd transfer(std::span<const int> independent) const;

 private:
  Eigen::Index rank_ = 0;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::MatrixXd B_, Z_, U_, W_;  // U_1 and W_1 have `rank` columns
  Eigen::VectorXd sigma_;
  Eigen::VectorXd scale_, unit_;  // s [rows], and the square roots of the diagonal of M^-1 [n_v]
};

}  // namespace torsor
