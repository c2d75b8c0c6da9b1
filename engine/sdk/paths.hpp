#pragma once
// The columns of the joints between the world and each body: those that move it. For the closed forms, which
// keep one entry for each body and each column of its path. Made in prepare().

#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor::sdk {

class Paths {
 public:
  Paths() = default;
  explicit Paths(const torsor_model& model) : start_(size_t(model.n_body) + 1) {
    for (int i = 1; i < model.n_body; ++i) {
      const int p = model.parent[i];
      start_[i] = int(column_.size());
      for (int a = 0; a < length(p); ++a) {
        column_.push_back(column_[start_[p] + a]);
        joint_.push_back(joint_[start_[p] + a]);
      }
      for (int k = 0; k < model.v_count[i]; ++k) {
        column_.push_back(model.v_index[i] + k);
        joint_.push_back(length(p));
      }
      start_[i + 1] = int(column_.size());
    }
  }

  // Entries of all paths together, and those of one body: at [start(i), start(i) + length(i)). The path of its
  // parent comes first, then its own joint's columns.
  int size() const { return int(column_.size()); }
  int start(int body) const { return start_[body]; }
  int length(int body) const { return start_[body + 1] - start_[body]; }
  // Column of entry a of a body's path, and the first entry of the joint that it belongs to.
  int column(int body, int a) const { return column_[start_[body] + a]; }
  int joint(int body, int a) const { return joint_[start_[body] + a]; }

 private:
  std::vector<int> start_, column_, joint_;
};

}  // namespace torsor::sdk
