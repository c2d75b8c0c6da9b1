#pragma once
// Compares partial derivatives with Pinocchio's, in tables that contain them. Both are derivatives
// in the tangent space: a floating base moves along its own axes.

#include "conformance/solvers.hpp"
#include "support/reference.hpp"

namespace torsor::test {

// Compares the partial derivatives of a solver with one sample of a table. Does nothing if the
// solver does not offer them or the sample does not contain them.
void expect_partials(Solver& solver, const State& state, const ColumnOrder& order,
                     const Json& sample);

}  // namespace torsor::test
