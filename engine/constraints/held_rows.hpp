#pragma once
// Constraint rows in reduced echelon form. Projection onto them makes the rates of the constraints
// exactly zero.

#include <span>
#include <vector>

#include "torsor/constraints/row.hpp"

namespace torsor {

// Active constraint rows. Each independent row computes one entry of u, its pivot, from entries
// that are not pivots. A row with a single term sets its entry to exactly 0. So do several rows
// that together fully determine an entry. Entries flagged in `given` [n_u] are never pivots and
// keep their values.
class HeldRows {
 public:
  void set(std::span<const Row* const> rows, std::span<const char> given);
  // Returns whether a row depends linearly on the others. The individual forces of these rows are
  // then undetermined.
  bool redundant() const { return redundant_; }
  void project(double* u) const;
  // Returns whether a row is in the span of the stored rows. Entries flagged in `given` are
  // ignored.
  bool spans(const Row& row, std::span<const char> given) const;

 private:
  void add(const Row& row, std::span<const char> given);
  std::vector<double> remainder(const Row& row, size_t n_u) const;
  struct Reduced {
    int pivot;
    std::vector<double> rest;  // [n_u]: u[pivot] = -rest . u
  };
  std::vector<Reduced> rows_;
  bool redundant_ = false;
};

}  // namespace torsor
