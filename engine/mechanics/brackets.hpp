#pragma once
// Brackets of the screws of joints with several dof that do not commute: [S_j, S_k] = sum_l c S_l.

#include "torsor/model/model.hpp"

namespace torsor {

struct Bracket {
  int j, k, l;  // dof of one joint
  double c;
};
// Returns the brackets that are not zero, in both orders of each pair. There are none if all joints
// have one dof.
std::vector<Bracket> brackets(const Model& model);

}  // namespace torsor
