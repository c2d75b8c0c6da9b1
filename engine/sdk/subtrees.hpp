#pragma once
// An order of dof in which each subtree is one contiguous range: the dof of each body come before
// those of its children. It is for kernels that process everything that a body carries in one
// loop. It is constructed in prepare().

#include <vector>

#include "torsor/sdk/torsor_model.h"

namespace torsor::sdk {

class Subtrees {
 public:
  Subtrees() = default;
  explicit Subtrees(const torsor_model& model)
      : column_(size_t(model.n_v)),
        begin_(size_t(model.n_body), 0),
        size_(model.v_count, model.v_count + model.n_body) {
    for (int i = model.n_body - 1; i > 0; --i) size_[model.parent[i]] += size_[i];
    std::vector<int> next(begin_);  // next free place in the range of each body
    for (int i = 0; i < model.n_body; ++i) {
      if (i > 0) {
        begin_[i] = next[i] = next[model.parent[i]];
        next[model.parent[i]] += size_[i];
      }
      for (int k = 0; k < model.v_count[i]; ++k) column_[next[i]++] = model.v_index[i] + k;
    }
  }

  // The dof of a body and of all bodies that it carries are at the places [begin(i), begin(i) +
  // size(i)).
  int begin(int body) const { return begin_[body]; }
  int size(int body) const { return size_[body]; }
  int column(int place) const { return column_[place]; }

 private:
  std::vector<int> column_, begin_, size_;
};

}  // namespace torsor::sdk
