#pragma once
// Where the columns of joints of several degrees of freedom do not commute: [S_j, S_k] = sum_l c
// S_l.

#include "torsor/model/model.hpp"

namespace torsor {

struct Bracket {
  int j, k, l;  // columns of one joint
  double c;
};
// Those that are not zero, each pair both ways; none in a model of joints of one degree of freedom.
std::vector<Bracket> brackets(const Model& model);

}  // namespace torsor
