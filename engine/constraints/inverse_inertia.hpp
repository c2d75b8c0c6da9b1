#pragma once
// The accelerations that forces cause under constraints with constant rows, such as those of mimic
// joints. The entries of u that are not pivots of these rows (ActiveRows) are independent; they are
// y, and u = P y. The forces of the rows do no work: P^T J^T = 0. With the mass matrix M of u,
//   udot = P (P^T M P)^-1 P^T f
// Thus the rows are eliminated: every use of M^-1 respects them. Without rows, P = 1.
//
// R = P^T M P is factorised as L^T D L, from the last entry of y to the first. The order of y is
// that of the bodies, so that L is as sparse as R for a tree (Featherstone, Rigid Body Dynamics
// Algorithms, 6.5). Rows between branches cause fill-in, which is found once.
//
// R consists of diagonal blocks, one for each set of trees that rows or transmissions connect. Each
// is stored as a dense matrix, and its entries of y follow one another.

#include <Eigen/Cholesky>
#include <span>
#include <vector>

#include "torsor/constraints/active_rows.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor {

class InverseInertia {
 public:
  // Entries (i, j) and (j, i) of M that may be nonzero although the joints are on different
  // branches.
  struct Pair {
    int i, j;
  };
  // rows: constant rows of v. motor_inertia [n_u - n_v]: u consists of v and the rates of motors,
  // whose mass matrix is diagonal.
  InverseInertia(const Model& model, std::span<const double> motor_inertia,
                 std::span<const ConstraintRow> rows, std::span<const Pair> pairs);

  // Factorises M [n_v x n_v], symmetric, by rows. Returns a dof at which R is singular, or -1: a
  // pivot is then only a rounding error of its diagonal entry. Does not allocate.
  [[nodiscard]] int factor(const double* M);
  // Replaces the forces f [n_u] by the accelerations udot. Does not allocate.
  void solve(double* f) const;
  // Appends the nonzero components of x = D^-1/2 L^-T P^T f to `out`, for the force f of 1 along a
  // row. The product of the x of two rows is the acceleration along one by a force along the other.
  // The indices of components ascend, and are below n_u. Only the blocks of the row are visited.
  void append_half(const Row& row, std::vector<Term>& out) const;
  // Writes the forces along the eliminated rows to `out` [n_v], for the unbalanced forces M vdot -
  // f [n_v]. Each row has its own pivot, whose unbalanced force is the force of the row.
  void add_row_forces(const double* unbalanced, double* out) const;
  bool eliminates() const { return !pivots_.empty(); }
  // Returns the number of the block of R of a component of append_half(). Each motor has its own.
  int block_of(int component) const {
    return size_t(component) < block_.size()
               ? block_[size_t(component)]
               : int(blocks_.size() + size_t(component) - block_.size());
  }

 private:
  struct Share {
    int y;
    double factor;
  };
  // An entry of M that contributes to an entry of R.
  struct Source {
    size_t from;
    double factor;
  };
  // An entry of R. Its sources are those from the end of the previous entry to `end`.
  struct Entry {
    size_t at, end;
  };
  // A diagonal block of R: the entries [first, end) of y.
  struct Block {
    int first, end;
  };
  void find_independent(const Model& model, std::span<const ConstraintRow> rows,
                        std::span<const Pair> pairs);
  void find_sources(const Model& model, std::span<const Pair> pairs);
  void find_fill();
  size_t at(size_t row, size_t column) const { return size_t(row_[row] + std::ptrdiff_t(column)); }
  void solve_outer(Block block) const;

  size_t n_v_;
  std::vector<double> motor_inertia_;
  std::vector<int> pivots_;            // dof that are not in y
  std::vector<int> independent_;       // dof of each entry of y
  std::vector<std::vector<Share>> P_;  // [n_v] rows of P
  std::vector<Block> blocks_;
  std::vector<int> block_;           // [n_y] block of each entry of y
  std::vector<std::ptrdiff_t> row_;  // [n_y] entry (k, a) of R is R_[row_[k] + a]
  std::vector<Entry> entries_;
  std::vector<Source> sources_;
  std::vector<size_t> fill_;              // entries of L that are zero in R
  std::vector<std::vector<int>> before_;  // earlier entries of each row of L, in ascending order
  std::vector<double> R_;                 // the blocks of R, then L and D in place
  std::vector<double> root_;              // [n_y] D^-1/2
  mutable std::vector<double> y_;
  mutable std::vector<int> touched_;  // blocks of a row
};

// The Delassus operator of rows: G = J M^-1 J^T [rows x rows].
class Delassus {
 public:
  // Does not allocate unless the number of rows changes.
  void evaluate(const InverseInertia& inverse, size_t n_u, std::span<const ConstraintRow> rows);
  // G is symmetric to the bit.
  Eigen::MatrixXd G;

 private:
  Eigen::MatrixXd X_;  // [rows x n_u] append_half() of each row
  std::vector<Term> half_;
};

// G of rows at a state, factorised.
class DelassusFactor {
 public:
  // Does not allocate unless the number of rows grows.
  void compute(const InverseInertia& inverse, size_t n_u, std::span<const ConstraintRow> rows);
  // Replaces x [rows] by G^-1 x, and writes M^-1 J^T G^-1 x to u [n_u], the smallest rates in the
  // metric of M with J u = x. J may be that of a position near the one of compute().
  void solve(const InverseInertia& inverse, std::span<const ConstraintRow> rows, Eigen::VectorXd& x,
             std::span<double> u) const;

 private:
  Delassus delassus_;
  Eigen::LDLT<Eigen::MatrixXd> factor_{Eigen::MatrixXd(Eigen::MatrixXd::Identity(1, 1))};
};

// Writes M^-1 J^T lambda [n_u], the accelerations by forces along rows.
void accelerate(const InverseInertia& inverse, std::span<const ConstraintRow> rows,
                std::span<const double> lambda, std::span<double> out);

}  // namespace torsor
