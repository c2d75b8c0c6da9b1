#pragma once
// Constraint rows in reduced echelon form, which set their rates to exactly zero.

#include <span>
#include <vector>

#include "torsor/constraints/row.hpp"

namespace torsor {

// Active constraint rows. Each independent row computes one entry of u, its pivot, from entries
// that are not pivots.
// A row of one term sets its entry to exactly 0. Several rows that together leave an entry no
// freedom also set it to exactly 0. Entries flagged in `given` [n_u] are never pivots and keep
// their values.
class HeldRows {
 public:
  void set(std::span<const Row* const> rows, std::span<const char> given);
  // Returns whether a row depends linearly on the others. The distribution of their forces is then
  // undetermined.
  bool redundant() const { return redundant_; }
  void project(double* u) const;
  // Returns whether a row is in the span of these rows.
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
