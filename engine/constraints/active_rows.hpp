#pragma once
// Constraint rows in reduced echelon form. Projection onto them makes the rates of the constraints
// exactly zero.

#include <span>
#include <vector>

#include "torsor/constraints/row.hpp"

namespace torsor {

// Active constraint rows. Each independent row has a pivot, an entry of u that project() computes
// from the entries that are not pivots. An entry is set to exactly 0 if a row has it as its only
// term, or if several rows together determine it. Entries flagged in `given` [n_u] are never pivots
// and keep their values.
class ActiveRows {
 public:
  // Rows that vary are ignored.
  void set(std::span<const ConstraintRow> rows, std::span<const char> given);
  // Returns whether some row depends linearly on the others. The individual forces of dependent
  // rows are undetermined. Rows that have only entries flagged in `given` do not count.
  bool redundant() const { return redundant_; }
  void project(double* u) const;
  // Return the pivots of the independent rows, and the other factors [n_u] of the row of a pivot,
  // whose own factor is 1.
  std::vector<int> pivots() const;
  std::span<const double> rest(size_t row) const { return rows_[row].rest; }

 private:
  void add(const Row& row, std::span<const char> given);
  struct Reduced {
    int pivot;
    std::vector<double> rest;  // [n_u]: u[pivot] = -rest . u
  };
  std::vector<Reduced> rows_;
  bool redundant_ = false;
};

}  // namespace torsor
