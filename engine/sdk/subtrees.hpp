#pragma once
// An order of the dof in which each subtree is one contiguous range. A subtree is a body and all
// its descendants. The dof of a body come before those of its children. Kernels use it to process a
// subtree in one loop. Construct it in prepare().

#include <algorithm>
#include <vector>

#include "torsor/sdk/torsor_model.h"

namespace torsor::sdk {

class Subtrees {
 public:
  Subtrees() = default;
  explicit Subtrees(const torsor_model& model)
      : column_(size_t(model.n_v)),
        begin_(size_t(model.n_body), 0),
        size_(model.v_count, model.v_count + model.n_body),
        last_child_(size_t(model.n_body), 0) {
    for (int i = model.n_body - 1; i > 0; --i) {
      int& last = last_child_[model.parent[i]];
      last = std::max(last, i);
      size_[model.parent[i]] += size_[i];
    }
    std::vector<int> next(begin_);  // next free position in the range of each body
    for (int i = 0; i < model.n_body; ++i) {
      if (i > 0) {
        begin_[i] = next[i] = next[model.parent[i]];
        next[model.parent[i]] += size_[i];
      }
      for (int k = 0; k < model.v_count[i]; ++k) column_[next[i]++] = model.v_index[i] + k;
    }
  }

  // The dof of the subtree of a body are at the positions [begin(i), begin(i) + size(i)). column()
  // returns the dof at a position.
  int begin(int body) const { return begin_[body]; }
  int size(int body) const { return size_[body]; }
  int column(int place) const { return column_[place]; }

  // Returns the child of a body with the largest number, or 0 if it has none. A recursion towards
  // the world processes this child first.
  int last_child(int body) const { return last_child_[body]; }

 private:
  std::vector<int> column_, begin_, size_, last_child_;
};

}  // namespace torsor::sdk
