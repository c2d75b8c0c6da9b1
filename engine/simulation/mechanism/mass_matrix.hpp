#pragma once
// The mass matrix by the composite-rigid-body algorithm, without a solver plugin. The host would
// derive it from n_v calls of inverse dynamics for a plugin that does not offer it.

#include <vector>

#include "torsor/mechanics/state.hpp"
#include "torsor/sdk/joints.hpp"
#include "torsor/sdk/subtrees.hpp"

namespace torsor {

class MassMatrix {
 public:
  explicit MassMatrix(const Model& model);
  // Writes the entries of M [n_v x n_v] with armature, by rows, except those of dof on different
  // branches, which must be 0. Does not allocate.
  void evaluate(const State& state, double* M);

 private:
  std::vector<sdk::JointAxis> axes_;
  sdk::Subtrees subtrees_;
  std::vector<SpatialInertia<double>> composite_;  // [n_body]
  std::vector<double> momenta_;                    // [6 n_v]
};

}  // namespace torsor
