#pragma once
// The path of each body: the dof of all joints between the world and the body. Solvers that store
// Jacobians use one entry for each body and each dof on its path. Construct it in prepare().

#include <vector>

#include "torsor/sdk/torsor_model.h"
#include "torsor/spatial/screw.hpp"

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

  // Number of entries of all paths together. The entries of a body are [start(i), start(i) +
  // length(i)). The path of its parent comes first, then the dof of its own joint.
  int size() const { return int(column_.size()); }
  int start(int body) const { return start_[body]; }
  int length(int body) const { return start_[body + 1] - start_[body]; }
  // column() returns the dof at position `a` on the path of a body. joint() returns the position of
  // the first dof of the same joint.
  int column(int body, int a) const { return column_[start_[body] + a]; }
  int joint(int body, int a) const { return joint_[start_[body] + a]; }

 private:
  std::vector<int> start_, column_, joint_;
};

// Writes the Jacobians of all bodies to a quantity of a trace, [n_body][n_v][6]. of_body(i) returns
// the screws [paths.length(i)] of body i.
template <class OfBody>
void trace_jacobians(const torsor_model& model, const Paths& paths, const OfBody& of_body,
                     double* out) {
  auto* J = reinterpret_cast<Twist<double>*>(out);
  for (int i = 1; i < model.n_body; ++i)
    for (int a = 0; a < paths.length(i); ++a) J[i * model.n_v + paths.column(i, a)] = of_body(i)[a];
}

}  // namespace torsor::sdk
