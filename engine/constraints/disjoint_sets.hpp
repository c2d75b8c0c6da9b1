#pragma once
// Disjoint sets of the numbers 0 .. n - 1, which merge() joins. Each set is represented by its
// smallest number.

#include <algorithm>
#include <numeric>
#include <vector>

namespace torsor {

class DisjointSets {
 public:
  // Makes n sets of one number. Does not allocate unless n grows.
  void reset(size_t n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  // Returns the smallest number of the set of a number. Shortens the path to it.
  int find(int k) {
    while (parent_[size_t(k)] != k) k = parent_[size_t(k)] = parent_[size_t(parent_[size_t(k)])];
    return k;
  }
  void merge(int i, int j) {
    const int a = find(i), b = find(j);
    parent_[size_t(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

}  // namespace torsor
