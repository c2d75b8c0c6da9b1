#pragma once
// The operational-space dynamics of a frame at one state.

#include <string>
#include <vector>

#include "torsor/analysis/operational_space.hpp"

namespace torsor::editor {

// The operational-space dynamics of a frame, in its own axes about its origin.
struct FrameDynamics {
  OperationalSpace space;
  // [rank] eigenvalues of Lambda in the feasible directions of the frame, ascending, in mixed
  // units.
  std::vector<double> inertias;
  std::string failure;

  double condition() const { return inertias.empty() ? 0 : inertias.back() / inertias.front(); }
};

}  // namespace torsor::editor
