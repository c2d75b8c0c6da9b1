#pragma once
// Describes the closures of a mechanism at a state: their gaps and the wrenches that they transmit.

#include <string>
#include <vector>

#include "editor/probe/joint_report.hpp"
#include "torsor/constraints/closure_rows.hpp"

namespace torsor::editor {

std::vector<ClosureGap> closure_gaps(const State& state);  // one per closure of the model

// The wrench of A on B of each closure, at the origin of B in the axes of A, or the reason why they
// are not available.
struct ClosureWrenches {
  std::vector<Wrench<double>> F_A;
  std::string failure;
};

// Returns the kind of a closure with its parameter, the links that it joins, its gap and its
// wrench.
std::vector<Line> closure_report(const State& state, int closure, const ClosureWrenches& wrenches);

// Returns the name of the link whose joint moves a body, or "world".
std::string link_of_body(const Model& model, int body);

}  // namespace torsor::editor
