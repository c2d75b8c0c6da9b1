#pragma once
// The number of degrees of freedom that mimic joints and closures leave.

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Returns n_v - rank J at the position of a state, where J are the rows of mimic joints and
// closures. Rows are scaled to length 1. Singular values below 1e-6 count as 0, like the parts of
// redundant rows (independent_rows.hpp).
int mobility(const State& state);

}  // namespace torsor
