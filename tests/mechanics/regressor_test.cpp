// Tests of the accuracy of the regressor. tests/control/controller_test.cpp compares it with the
// dynamics.

#include "torsor/mechanics/regressor.hpp"

#include <gtest/gtest.h>

#include "support/dense_dynamics.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

class Regressor : public testing::TestWithParam<uint64_t> {
 protected:
  // Returns Y with the bases of all robots moved by p, at rest in the world.
  Vector moved_by(const Vec3<double>& p) {
    Random random{GetParam()};
    Model model = *build(random_robot(12, Shape::tree, GetParam(), Kinds::every));
    for (int i = 1; i < model.n_body; ++i)
      if (model.parent[size_t(i)] == 0) model.X_PB0[size_t(i)].p += p;
    const State state = random_state(std::make_shared<const Model>(model), random);
    const std::vector<double> v_r = random_values(random, model.n_v, 2),
                              a_r = random_values(random, model.n_v, 5);
    std::vector<Twist<double>> scratch(regressor_scratch(model));
    Vector Y(n_inertial * model.n_body * model.n_v);
    regressor(state, v_r.data(), a_r.data(), scratch, Y.data());
    return Y;
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, Regressor, testing::Values(1, 2, 3, 4));

// Checks that the place of a robot changes neither an entry nor the zeros of parameters without
// effect.
TEST_P(Regressor, IsAsAccurateFarFromTheOrigin) {
  const Vector near = moved_by({0, 0, 0}), far = moved_by({3e5, -2e6, 1e4});
  EXPECT_LT((far - near).norm(), 1e-13 * near.norm());
}

}  // namespace
}  // namespace torsor::test
