#pragma once
// Rows that hold, in reduced echelon form: what makes their rates exactly zero.

#include "torsor/simulation/mechanism.hpp"

namespace torsor {

// Each row that adds to those before gives one entry of u, its pivot, from entries that are no pivot. A row of one term that
// is added before all longer ones makes its entry 0, to the last bit; a set of rows that leaves no freedom to a column makes it 0 too.
class HeldRows {
 public:
  void clear() { rows_.clear(); }
  void add(const Row& row, int n_u);
  void project(double* u) const;

 private:
  struct Reduced {
    int pivot;
    std::vector<double> rest;  // [n_u]: u[pivot] = -rest . u
  };
  std::vector<Reduced> rows_;
};

}  // namespace torsor
