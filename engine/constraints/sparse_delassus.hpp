#pragma once
// The Delassus operator of many rows, of which most have no dof in common, and the responses to
// forces along them, while other rows are held:
//   Y = M_h^-1 J^T,  G = J Y,   M_h^-1 = M^-1 - M^-1 H^T (H M^-1 H^T)^-1 H M^-1
// H are the held rows: M_h^-1 f are the accelerations by f and by the forces along H that keep H
// udot = 0. With the half solutions X of J and X_H of H (InverseInertia::append_half),
//   G = X^T X - Z^T Z,   Z = L^-1 X_H^T X,   L L^T = X_H^T X_H
// X_H^T X_H has a diagonal block for each group of held rows that have components in common. An
// entry of G is zero, and not stored, if both rows have no component of X or Z in common.

#include <Eigen/Cholesky>
#include <span>
#include <vector>

#include "torsor/constraints/active_constraints.hpp"
#include "torsor/constraints/disjoint_sets.hpp"
#include "torsor/constraints/islands/half_rows.hpp"

namespace torsor {

class SparseDelassus {
 public:
  // Holds the selected rows of constraints at a state. `inverse` and they must outlive the calls of
  // the other functions for this state.
  void hold(const InverseInertia& inverse, size_t n_u, const ActiveConstraints& constraints);
  // blocks [rows], ascending: rows of the same block have entries, which may be 0. Does not
  // allocate unless the number of rows or of entries grows.
  void evaluate(std::span<const Row> rows, std::span<const int> blocks);
  // Writes M_h^-1 f to `out` [n_u], for the forces f [n_u]. It meets constant held rows to the bit.
  void respond(std::span<const double> f, std::span<double> out);

  double diagonal(int row) const;
  // Adds a compliance to the diagonal entry of a row, until the next evaluate().
  void add_compliance(int row, double R) {
    value[diagonal_index(row)] += R;
    compliance_[size_t(row)] += R;
  }
  // Returns the components of X: G = X X^T - Z Z^T + the compliances. The components of Z follow
  // those of X in each row, with indices from n_u on.
  HalfRows half_rows();
  // Returns whether the held rows stop all motion along a row, so that no force moves it. Valid for
  // rows without compliance.
  bool is_immovable(int row) const;

  // G by rows: the entries of row i are value[k] in column[k], row_start[i] <= k < row_start[i+1].
  // Columns ascend, and the diagonal is stored. G is symmetric to the bit.
  std::vector<int> row_start, column;
  std::vector<double> value;

 private:
  // Held rows [first, first + size) that have components in common with each other.
  struct Group {
    int first = 0, size = 0;
    Eigen::MatrixXd G;  // X_H^T X_H
    Eigen::LLT<Eigen::MatrixXd> factor;
  };
  void group_held_rows(std::span<const ConstraintRow> held);
  void append_held(size_t first);
  void append_components(const Row& row);
  void mirror();
  size_t diagonal_index(int row) const;

  const InverseInertia* inverse_ = nullptr;
  const ActiveConstraints* constraints_ = nullptr;
  size_t n_u_ = 0;
  // Components of X, row after row. Those of Z follow in each row, with the index n_u + held row.
  std::vector<Term> halves_;
  std::vector<size_t> first_;                // [rows + 1] first component of each row
  std::vector<int> node_;                    // [n_u] HalfRows::node
  std::vector<std::vector<Term>> by_index_;  // [n_u + held] the rows with a component, its value
  std::vector<double> sum_, scratch_;        // [rows], [n_u]
  std::vector<double> compliance_;           // [rows]
  std::vector<char> is_touched_;             // [rows]
  std::vector<int> touched_;
  std::vector<Term> lower_;            // the lower triangle of G, row after row
  std::vector<int> lower_end_, next_;  // [rows] end of each row in lower_; next entry of G
  std::vector<ConstraintRow> held_;    // group after group
  std::vector<Group> groups_;          // the first n_groups_ are in use
  size_t n_groups_ = 0;
  DisjointSets sets_;                          // of held rows
  std::vector<int> group_, place_;             // [held] group of a row; order by group
  std::vector<Term> held_halves_;              // components of X_H, row after row
  std::vector<std::vector<Term>> held_index_;  // [n_u] the held rows with a component, its value
  std::vector<int> touched_groups_;
  Eigen::VectorXd z_, forces_;  // [held]
};

}  // namespace torsor
