#pragma once
// The factorisation M = L^T D L along the tree. Leaves are eliminated first, so that L is as sparse
// as M: it has entries only between a joint and its ancestors (Featherstone, Rigid Body Dynamics
// Algorithms, 6.5). D_k is the inertia that joint k moves, the H_j of KHALIL 7.71.

#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// The smallest D_k [n_body] above rounding error, for the joint of each body in a state. D_k = S^T
// P S + armature is a difference of numbers as large as S^T I S, where I is the composite inertia
// of all bodies that the joint carries. D_k counts as zero if it is at most a few times the
// rounding error of S^T I S. Three scalars bound I: its mass m, |first moment| h and trace t about
// the body origin. Moved to the parent's origin over a distance L, they are at most m, h + m L and
// t + 4 h L + 2 m L^2. Then S^T I S <= |Sw|^2 t + 2 |Sw| |Sv| h + |Sv|^2 m.
class MinPivots {
 public:
  explicit MinPivots(const Model& model);
  std::span<const double> at(std::span<const Pose<double>> X_PB);  // no allocation

 private:
  struct Bound {
    double m, h, t;
  };
  // Factors of t, h, m and 1 in the bound of S^T I S + armature, the maximum over the dof of a
  // body.
  struct Weight {
    double t = 0, h = 0, m = 0, armature = 0;
  };
  std::vector<int> parent_;
  std::vector<Weight> weight_;
  std::vector<Bound> own_, composite_;
  std::vector<double> out_;
  // Every joint turns about its body's origin, so that the distances L never change.
  bool constant_ = false;
};

class TreeFactor {
 public:
  explicit TreeFactor(const Model& model);

  // Factorises M (n_v x n_v, stored by rows). Returns the body at whose joint M is singular, or -1.
  // M is singular if a pivot is not above its min_pivot [n_body]. No allocation.
  [[nodiscard]] int factor(const double* M, std::span<const double> min_pivot);
  // Computes x = M^-1 x.
  void solve(double* x) const;
  // Returns the number of multiplications and additions of M -> M^-1: factor(), and solve() for
  // each column.
  double operations_of_inverse() const;
  // Returns the number of entries of L: pairs of a dof and itself or a dof of an ancestor.
  size_t size() const { return path_.size(); }

 private:
  // Pivots are dof, ordered so that those of a joint come after those of its ancestors. Row k of L
  // has an entry for each pivot on the path from the world to k. The last entry is D of k. The row
  // of an ancestor has the same positions up to its own length.
  std::vector<int> column_, body_;  // of each pivot
  std::vector<int> start_{0};       // start of each row in path_ and L_, [n + 1]
  std::vector<int> path_;           // pivot of each entry
  std::vector<double> L_;
  mutable std::vector<double> y_;
};

}  // namespace torsor
