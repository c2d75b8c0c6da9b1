#pragma once
// M = L^T D L along the tree: leaves are eliminated first, so that L has M's own sparsity, entries only
// between a joint and its ancestors (Featherstone, Rigid Body Dynamics Algorithms, 6.5), and D_k is the
// inertia that joint k feels of all it carries, the H_j of KHALIL 7.71.

#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

class TreeFactor {
 public:
  explicit TreeFactor(const Model& model);

  // Factors M (n_v x n_v by rows, column order). Returns the body at whose joint M is singular, or -1. No
  // allocation.
  [[nodiscard]] int factor(const double* M);
  // x = M^-1 x
  void solve(double* x) const;

 private:
  int n_;
  std::vector<int> column_;        // of the k-th pivot: a joint's columns after its ancestors'
  std::vector<int> ancestor_;      // pivot that precedes k on the way to the world, or -1
  std::vector<int> body_;          // of pivot k
  std::vector<double> min_pivot_;  // of pivot k
  std::vector<double> L_;          // n x n by rows, lower triangle: L below the diagonal, D on it
  mutable std::vector<double> y_;
};

}  // namespace torsor
