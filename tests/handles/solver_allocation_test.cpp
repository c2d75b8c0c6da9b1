// Checks that quantities derived by the host do not allocate memory, for any set of offered
// functions and any number of joints.

#include <gtest/gtest.h>

#include "support/hot_calls.hpp"
#include "support/random_state.hpp"
#include "support/table_solver.hpp"

namespace torsor::test {
namespace {

// Inverse and forward dynamics of 2 vdot + v = tau for each dof, which are sufficient to count
// allocations.
torsor_status inverse(const torsor_plugin*, const torsor_model* model, const torsor_state* state,
                      const double* vdot, double*, double* tau) {
  for (int k = 0; k < model->n_v; ++k) tau[k] = 2 * vdot[k] + state->v[k];
  return TORSOR_OK;
}
torsor_status forward(const torsor_plugin*, const torsor_model* model, const torsor_state* state,
                      const double* tau, double*, double* vdot) {
  for (int k = 0; k < model->n_v; ++k) vdot[k] = (tau[k] - state->v[k]) / 2;
  return TORSOR_OK;
}

class DerivedAllocations : public testing::TestWithParam<int> {
 protected:
  void expect_none(const torsor_solver& table) {
    const int n = GetParam();
    const auto model = build(random_robot(n, Shape::tree, 1));
    Random random(1);
    State state = random_state(model, random);
    Solver solver = table_solver(table, model);
    expect_no_allocation(solver, state, random_values(random, n, 3), random_values(random, n, 1));
  }
};
INSTANTIATE_TEST_SUITE_P(Joints, DerivedAllocations, testing::Values(1, 7, 40));

TEST_P(DerivedAllocations, FromInverse) {
  torsor_solver table{};
  table.struct_size = sizeof table;
  table.inverse = inverse;
  expect_none(table);
}

TEST_P(DerivedAllocations, FromForward) {
  torsor_solver table{};
  table.struct_size = sizeof table;
  table.forward = forward;
  expect_none(table);
}

}  // namespace
}  // namespace torsor::test
