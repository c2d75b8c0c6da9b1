#include "torsor/simulation/mechanism/mass_matrix.hpp"

#include <gtest/gtest.h>

#include "support/dense_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

TEST(MassMatrix, IsThatOfDenseMatrices) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(9, Shape::tree, seed, Kinds::every));
    Random random(seed);
    State state(model);
    state.set_q(random_position(random, *model, 1));
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(model->n_v,
                                                                             model->n_v);
    MassMatrix(*model).evaluate(state, M.data());
    EXPECT_TRUE(agree(M, DenseDynamics(model->view(), state.view()).M));
  }
}

}  // namespace
}  // namespace torsor::test
