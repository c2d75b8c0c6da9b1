#pragma once
// M = L^T D L along the tree: leaves are eliminated first, so that L has M's own sparsity, entries
// only between a joint and its ancestors (Featherstone, Rigid Body Dynamics Algorithms, 6.5), and
// D_k is the inertia that joint k feels of all it carries, the H_j of KHALIL 7.71.

#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// The smallest D_k [n_body] that is more than rounding, for the joint of each body at this state.
// D_k = S^T P S + armature is a difference of numbers as large as S^T I S of the composite inertia
// I of all that the joint carries: what is below a few rounding errors of that is zero. I is
// bounded by three scalars: its mass m, |first moment| h and trace t about the body origin. Moved
// to the parent's origin over a distance L they are at most m, h + m L and t + 4 h L + 2 m L^2, and
// S^T I S <= |Sw|^2 t + 2 |Sw| |Sv| h + |Sv|^2 m.
class MinPivots {
 public:
  explicit MinPivots(const Model& model);
  std::span<const double> at(std::span<const Pose<double>> X_PB);  // no allocation

 private:
  struct Bound {
    double m, h, t;
  };
  struct Weight {  // of t, h, m and 1 in the largest S^T I S + armature of a body's columns
    double t = 0, h = 0, m = 0, armature = 0;
  };
  std::vector<int> parent_;
  std::vector<Weight> weight_;
  std::vector<Bound> own_, composite_;
  std::vector<double> out_;
  bool constant_ = false;  // every joint turns about its body's origin: the distances never change
};

class TreeFactor {
 public:
  explicit TreeFactor(const Model& model);

  // Factors M (n_v x n_v by rows, column order). Returns the body at whose joint M is singular, by
  // its min_pivot [n_body], or -1. No allocation.
  [[nodiscard]] int factor(const double* M, std::span<const double> min_pivot);
  // x = M^-1 x
  void solve(double* x) const;
  // Returns the number of multiplications and additions of M -> M^-1: factor(), and solve() for
  // each column.
  double operations_of_inverse() const;
  // Returns the entries of L: pairs of a joint's column and itself or one of its ancestors'.
  size_t size() const { return path_.size(); }

 private:
  // Pivots are columns in an order in which a joint's come after its ancestors'. Row k of L has the
  // entries of the pivots on the way from the world to k, k the last (D there): the row of each of
  // them has the same places, as far as it goes.
  std::vector<int> column_, body_;  // of each pivot
  std::vector<int> start_{0};       // of each row in path_ and L_, [n + 1]
  std::vector<int> path_;           // pivots of the rows
  std::vector<double> L_;
  mutable std::vector<double> y_;
};

}  // namespace torsor
