#pragma once
// The factorisation M = L^T D L along the tree (sdk/factor_pattern.hpp).

#include <span>
#include <vector>

#include "torsor/mechanics/state.hpp"
#include "torsor/sdk/factor_pattern.hpp"

namespace torsor {

// The threshold [n_body] for the pivot D_k of the joint of each body: a D_k that is not above it is
// indistinguishable from zero. D_k = S^T P S + armature is a difference of numbers as large as S^T
// I S. I is the composite inertia of all bodies that the joint moves. The threshold is a few times
// the rounding error of S^T I S. Three scalars bound I: its mass m, the norm h of its first moment,
// and its trace t, about the body origin. After a shift to the parent's origin over a distance L,
// they are at most m, h + m L and t + 4 h L + 2 m L^2. With these,
//   S^T I S <= |Sw|^2 t + 2 |Sw| |Sv| h + |Sv|^2 m.
class MinPivots {
 public:
  explicit MinPivots(const Model& model);
  // Return the thresholds at a state, or at the poses X_PB [n_body]. Do not allocate.
  std::span<const double> at(const State& state) {
    return are_constant() ? out_ : at(state.X_PB());
  }
  std::span<const double> at(std::span<const Pose<double>> X_PB);
  // Returns true if every joint turns about its body's origin, so that the distances L never
  // change.
  bool are_constant() const { return constant_; }

 private:
  void evaluate(std::span<const Pose<double>> X_PB);

  struct Bound {
    double m, h, t;
  };
  // Factors of t, h, m and 1 in the bound of S^T I S + armature. Each is the maximum over the dof
  // of a body.
  struct Weight {
    double t = 0, h = 0, m = 0, armature = 0;
  };
  std::vector<int> parent_;
  std::vector<Weight> weight_;
  std::vector<Bound> own_, composite_;
  std::vector<double> out_;
  bool constant_ = false;
};

class TreeFactor {
 public:
  explicit TreeFactor(const Model& model);

  // Factorises M (n_v x n_v, stored by rows). Returns the body at whose joint M is singular, or -1.
  // M is singular if a pivot is not above min_pivot [n_body] of its body. Does not allocate.
  [[nodiscard]] int factor(const double* M, std::span<const double> min_pivot);
  // Computes x = M^-1 x.
  void solve(double* x) const;
  // Compute products with M^-1, one or three of them. They process several columns at once, and
  // take much less time than solve() for each column. They do not allocate.
  void multiply(const sdk::InverseProduct<double>& product) const;
  void multiply(const sdk::InverseProduct<double> (&products)[3]) const;
  // Returns the number of multiplications and additions to compute M^-1 from M: factor(), then
  // solve() for each column.
  double operations_of_inverse() const;
  // Returns the number of entries of L: one for each dof, and one for each pair of a dof and a dof
  // of an ancestor.
  size_t size() const { return pattern_.entries(); }

 private:
  using Lanes = LanesOf<double>;
  double* L() { return reinterpret_cast<double*>(L_.data()); }
  const double* L() const { return reinterpret_cast<const double*>(L_.data()); }

  sdk::FactorPattern pattern_;
  std::vector<Lanes> L_;           // the rows of the pattern
  std::vector<double> D_inverse_;  // [n_v]
  mutable std::vector<double> y_;  // [n_v]
  mutable std::vector<Lanes> columns_;
};

}  // namespace torsor
