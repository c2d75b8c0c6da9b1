#pragma once
// Selects independent rows of constraints from their Delassus operator.

#include <Eigen/Core>
#include <span>
#include <vector>

namespace torsor {

// A row of unit length depends on others if its part outside of their span is below this limit.
inline constexpr double least_independent_part = 1e-6;

// Selects rows that span the same space as all rows, from G = J M^-1 J^T [n x n], which is positive
// semidefinite. Rows are scaled to G_ii = 1. A row is dependent if the part of it outside of the
// span of the selected rows is below 1e-6 of it: its square, a pivot of the Cholesky decomposition
// of G, has rounding errors of n eps. The first `preferred` rows are selected before the others.
class IndependentRows {
 public:
  // Overwrites G. Does not allocate unless the size grows.
  void select(Eigen::MatrixXd& G, size_t preferred);
  // Returns the selected rows in ascending order.
  std::span<const int> rows() const { return rows_; }

 private:
  std::vector<int> rows_;
  std::vector<char> is_left_;
  Eigen::VectorXd column_;
};

// Solves G x = b in the sense of least squares, with the x of least norm in the scale of G_ii = 1:
// x^T diag(G) x is least. G is positive semidefinite. The result does not depend on the order of
// the rows, and distributes the forces of redundant rows.
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& G, const Eigen::VectorXd& b);

}  // namespace torsor
