#pragma once
// Lie brackets of the screws of joints with several dof: [S_j, S_k] = sum_l c S_l.

#include "torsor/model/model.hpp"

namespace torsor {

struct Bracket {
  int j, k, l;  // dof of the same joint
  double c;
};
// Returns the nonzero brackets, for both orders (j, k) and (k, j) of each pair. The list is empty
// if all joints have one dof.
std::vector<Bracket> brackets(const Model& model);

}  // namespace torsor
