// Tests of State: poses from q, gravity as acceleration of the world, and wrenches moved to body
// origins.

#include "torsor/mechanics/state.hpp"

#include <gtest/gtest.h>

#include "support/agreement.hpp"
#include "support/random_state.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

constexpr double state_rounding = 1e-14;

double distance(const Pose<double>& A, const Pose<double>& B) {
  double sum = norm(A.p - B.p);
  for (int k = 0; k < 9; ++k) sum += std::abs(A.R.m[k] - B.R.m[k]);
  return sum;
}

// Checks X_PB(q) = X_PB(0) exp(S_B q) for joints of one dof.
// Equations: MR 9.35, 9.50, 9.53; MK 5.
TEST(State, PosesAreExponentialsOfTheJointScrews) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(12, Shape::tree, seed));
    const State home(model);
    const State moved = random_state(model, random);
    for (const Joint& joint : model->joints) {
      const Pose<double> motion =
          exp_se3(moved.q()[size_t(joint.q_index)] * model->S_B[size_t(joint.v_index)]);
      const size_t body = size_t(joint.body);
      EXPECT_LT(distance(moved.X_PB()[body], home.X_PB()[body] * motion), state_rounding)
          << joint.name;
    }
    EXPECT_EQ(distance(moved.X_PB()[0], Pose<double>::identity()), 0);
  }
}

TEST(State, StoresItsInputs) {
  const auto model = build(random_robot(5, Shape::chain, 5));
  State state(model);
  const std::vector<double> q{1, -2, 3, -4, 5};
  state.set_q(q);
  EXPECT_TRUE(std::equal(q.begin(), q.end(), state.q().begin(), state.q().end()));
  EXPECT_EQ(state.v, std::vector<double>(5, 0.0));
  EXPECT_EQ(&state.model(), model.get());
  const torsor_state view = state.view();
  EXPECT_EQ(view.q[4], 5);
  EXPECT_EQ(view.v, state.v.data());
  EXPECT_EQ(view.X_PB, &state.X_PB()[0].R.m[0]);
  EXPECT_EQ(state.view(false).X_PB, nullptr);
}

// Checks that poses that were requested before do not remain when the positions change.
TEST(State, PosesFollowThePositions) {
  const auto model = build(random_robot(5, Shape::chain, 5));
  const std::vector<double> q{1, -2, 3, -4, 5};
  State moved(model), fresh(model);
  (void)moved.X_PB();
  moved.set_q(q);
  fresh.set_q(q);
  const State copy = moved;
  for (size_t body = 1; body <= 5; ++body) {
    EXPECT_EQ(distance(moved.X_PB()[body], fresh.X_PB()[body]), 0);
    EXPECT_EQ(distance(copy.X_PB()[body], fresh.X_PB()[body]), 0);
    EXPECT_GT(distance(moved.X_PB()[body], model->X_PB0[body]), 0);
  }
}

// Checks that gravity g is represented by the acceleration -g of the world.
// Equations: KHALIL 7.47.
TEST(State, GravityIsTheWorldsAcceleration) {
  State state(build(random_robot(2, Shape::chain, 6)));
  EXPECT_EQ(state.view().A_W[5], 9.81);
  state.set_gravity({1, 2, 3});
  const double expected[] = {0, 0, 0, -1, -2, -3};
  EXPECT_TRUE(std::equal(expected, expected + 6, state.view().A_W));
  EXPECT_EQ(state.gravity_W().y, 2);
}

// Checks that a wrench has the same power at its frame and at the body origin. Also checks that
// wrenches add up.
TEST(State, WrenchesKeepTheirPower) {
  Random random(7);
  const auto model = build(random_robot(6, Shape::tree, 7));
  State state = random_state(model, random);
  double power = 0;
  for (int k = 0; k < 2; ++k)
    for (const Frame& frame : model->frames) {
      const Wrench<double> F{random.vector(3), random.vector(3)};
      state.add_wrench(frame, F);
      power += dot(frame_twist(state, frame), F);
    }
  std::vector<Twist<double>> V(size_t(model->n_body));
  body_twists(state, V);
  double at_bodies = 0;
  for (size_t i = 0; i < V.size(); ++i) at_bodies += dot(V[i], state.F_B()[i]);
  EXPECT_NEAR(at_bodies, power, 1e-12 * std::abs(power));
}

TEST(State, WithoutWrenchesAPluginSeesNone) {
  const auto model = build(random_robot(3, Shape::chain, 8));
  State state(model);
  EXPECT_EQ(state.view().F_B, nullptr);
  state.add_wrench(model->frames.back(), {{1, 2, 3}, {4, 5, 6}});
  ASSERT_NE(state.view().F_B, nullptr);
  EXPECT_EQ(state.view().F_B, &state.F_B()[0].n.x);
  state.clear_wrenches();
  EXPECT_EQ(state.view().F_B, nullptr);
  for (const Wrench<double>& F : state.F_B()) EXPECT_EQ(norm(F.n) + norm(F.f), 0);
}

// Checks that two states of one model share no mutable data.
TEST(State, CopiesAreIndependent) {
  const auto model = build(random_robot(3, Shape::chain, 9));
  State state(model);
  State copy = state;
  copy.set_q(std::vector<double>{1, 1, 1});
  copy.v[0] = 7;
  EXPECT_EQ(state.q()[0], 0);
  EXPECT_EQ(state.v[0], 0);
  EXPECT_EQ(copy.view().v, copy.v.data());
  EXPECT_EQ(copy.view().A_W[5], 9.81);
}

}  // namespace
}  // namespace torsor::test
