#pragma once
// Comparison with Pinocchio's partial derivatives, for tables that have them. They are in the
// tangent space: Pinocchio also moves a floating base along its own axes.

#include "conformance/solvers.hpp"
#include "support/reference.hpp"

namespace torsor::test {

// Compares the partial derivatives of a solver that offers them with a sample of a table.
void expect_partials(Solver& solver, const State& state, const ColumnOrder& order,
                     const Json& sample);

}  // namespace torsor::test
