#include "torsor/simulation/mechanism/mass_matrix.hpp"

#include <gtest/gtest.h>

#include "support/dense_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/random_state.hpp"
#include "torsor/simulation/mechanism/momentum_rate.hpp"

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
    M.setZero();
    MassMatrix(*model).evaluate(state, M.data());
    EXPECT_TRUE(agree(M, DenseDynamics(model->view(), state.view()).M));
  }
}

// Mdot v is the derivative of M(q) v along the motion, at constant v.
TEST(MomentumRate, IsTheDerivativeOfTheMomentum) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(9, Shape::tree, seed, Kinds::every));
    Random random(seed);
    const std::vector<double> q = random_position(random, *model, 1);
    const std::vector<double> values = random_values(random, model->n_v, 1);
    const Vector v = Eigen::Map<const Vector>(values.data(), model->n_v);
    const auto momentum = [&](double time) {
      std::vector<double> moved(q);
      integrate(*model, q.data(), v.data(), time, moved.data());
      State state(model);
      state.set_q(moved);
      return Vector(DenseDynamics(model->view(), state.view()).M * v);
    };
    State state(model);
    state.set_q(q);
    std::ranges::copy(v, state.v.begin());
    Vector rate = Vector::Zero(model->n_v);
    MomentumRate(*model).add(state, rate.data());
    const double h = 1e-3;
    const Vector expected =
        (8 * (momentum(h) - momentum(-h)) - (momentum(2 * h) - momentum(-2 * h))) / (12 * h);
    EXPECT_LT((rate - expected).norm(), 1e-9 * (1 + momentum(0).norm()));
  }
}

}  // namespace
}  // namespace torsor::test
