#pragma once
// Rows that hold, in reduced echelon form: what makes their rates exactly zero.

#include <span>
#include <vector>

#include "torsor/simulation/mechanism.hpp"

namespace torsor {

// Each row that adds to those before gives one entry of u, its pivot, from entries that are no
// pivot. A row of one term makes its entry 0, to the last bit; a set of rows that leaves no freedom
// to a column makes it 0 too. Entries that are given, [n_u] by flags, are no pivots: they stay.
class HeldRows {
 public:
  void set(std::span<const Row* const> rows, std::span<const char> given);
  // Whether a row adds nothing to the others: how they share their forces is open then.
  bool redundant() const { return redundant_; }
  void project(double* u) const;
  // Whether a row is held by these.
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
