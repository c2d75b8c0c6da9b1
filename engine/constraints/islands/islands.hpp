#pragma once
// Splits a constraint problem into islands: sets of rows that G does not couple. Each island is a
// problem of its own, which solvers solve faster than all of them together.

#include <vector>

#include "torsor/constraints/disjoint_sets.hpp"
#include "torsor/constraints/islands/row_factor.hpp"
#include "torsor/handles/constraint_solver.hpp"

namespace torsor {

class Islands {
 public:
  // The problem has a sparse G. Entries that are zero couple rows, too. halves: null if X is not
  // known. Both must outlive the calls of problem(). Does not allocate unless the number of rows or
  // entries grows.
  void split(const ConstraintProblem& problem, const HalfRows* halves);
  size_t size() const { return first_.empty() ? 0 : first_.size() - 1; }
  // Returns the rows of an island in ascending order.
  std::span<const int> rows(size_t island) const {
    return std::span(rows_).subspan(size_t(first_[island]),
                                    size_t(first_[island + 1] - first_[island]));
  }
  // Returns the problem of an island. Its G is dense if at least half of its entries are stored. It
  // has a factor if it has more than 60 rows, and no held row acts on it. Valid until the
  // next call.
  ConstraintProblem problem(size_t island);

 private:
  const ConstraintProblem* whole_ = nullptr;
  const HalfRows* halves_ = nullptr;
  RowFactor factor_;
  DisjointSets sets_;               // of rows
  std::vector<int> rows_, first_;   // [rows], [islands + 1]
  std::vector<int> head_;           // [rows] first row of the contact of a row, or itself
  std::vector<int> local_;          // [rows] index of a row in its island
  std::vector<int> next_friction_;  // [rows] index of the first friction of a normal row, or -1
  std::vector<double> c_, c_terms_, lower_, upper_, start_, value_, G_;
  std::vector<int> row_start_, column_;
  std::vector<torsor_friction> frictions_;
};

}  // namespace torsor
