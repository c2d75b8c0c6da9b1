// Tests of the costs of planning: each second-order model is compared with central differences of
// the cost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "planning/chains.hpp"
#include "support/random_robot.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/planning/goal_cost.hpp"
#include "torsor/planning/reach_cost.hpp"
#include "torsor/planning/running_costs.hpp"

namespace torsor::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Returns x moved by d [2 n_v].
VectorXd moved(const Model& model, const VectorXd& x, const VectorXd& d) {
  VectorXd out = x;
  integrate(model, x.data(), d.data(), 1, out.data());
  out.tail(model.n_v) += d.tail(model.n_v);
  return out;
}

// Compares the slopes of the model with central differences, and, if it is exact, its curvatures
// too.
void expect_model(Cost& cost, const Model& model, size_t step, const VectorXd& x, const VectorXd& u,
                  bool exact) {
  const Eigen::Index n = model.n_v;
  constexpr double h = 1e-6;
  const auto running = [&](const VectorXd& at, const VectorXd& with) {
    CostModel out;
    out.set_zero(2 * n, n);
    cost.add_running(step, at, with, 1, out);
    return out;
  };
  const auto terminal = [&](const VectorXd& at) {
    CostModel out;
    out.set_zero(2 * n, 0);
    cost.add_terminal(at, 1, out);
    return out;
  };
  const CostModel run = running(x, u), end = terminal(x);
  const double size = 1 + run.l_xx.norm() + run.l_uu.norm() + end.l_xx.norm();
  for (Eigen::Index k = 0; k < 2 * n; ++k) {
    const VectorXd d = h * VectorXd::Unit(2 * n, k), up = moved(model, x, d),
                   down = moved(model, x, -d);
    EXPECT_NEAR((cost.running(step, up, u) - cost.running(step, down, u)) / (2 * h), run.l_x[k],
                1e-8 * size);
    EXPECT_NEAR((cost.terminal(up) - cost.terminal(down)) / (2 * h), end.l_x[k], 1e-8 * size);
    if (!exact) continue;
    const CostModel high = running(up, u), low = running(down, u);
    EXPECT_TRUE(close((high.l_x - low.l_x) / (2 * h), run.l_xx.col(k), size, 1e-8));
    EXPECT_TRUE(close((high.l_u - low.l_u) / (2 * h), run.l_ux.col(k), size, 1e-8));
    EXPECT_TRUE(
        close((terminal(up).l_x - terminal(down).l_x) / (2 * h), end.l_xx.col(k), size, 1e-8));
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    const VectorXd d = h * VectorXd::Unit(n, k);
    EXPECT_NEAR((cost.running(step, x, u + d) - cost.running(step, x, u - d)) / (2 * h), run.l_u[k],
                1e-8 * size);
    if (exact) {
      EXPECT_TRUE(close((running(x, u + d).l_u - running(x, u - d).l_u) / (2 * h), run.l_uu.col(k),
                        size, 1e-8));
    }
  }
}

const Frame& tip_of(const Model& model) {
  return model.frames[size_t(model.frame("tip3"))];
}

TEST(ReachCost, ItsModelIsItsDerivative) {
  const auto model = build(equal_links(3));
  const ReachWeights weights{.position = 3,
                             .velocity = 2,
                             .effort = 0.5,
                             .motion = 0.3,
                             .limits = 4,
                             .limit = {1, 5, 0.1}};
  CostSum cost = reach_cost(model, tip_of(*model), {0.3, 0.6, 0}, weights, 0.01);
  Random random(4);
  const VectorXd x = to_vector(random_values(random, 6, 1)), u = Eigen::Vector3d(2, -1, -0.7);
  expect_model(cost, *model, 3, x, u, false);
  // By hand: effort and motion of the step, and the excess of the torques 1 and 3.
  EXPECT_NEAR(cost.running(0, x, u),
              0.01 / 2 * (0.5 * u.squaredNorm() + 0.3 * x.tail(3).squaredNorm() + 4 * (1 + 0.36)),
              1e-15);
  State state(model);
  state.set_q({x.data(), 3});
  const Vec3<double> e = frame_pose(state, tip_of(*model)).p - Vec3<double>{0.3, 0.6, 0};
  EXPECT_NEAR(cost.terminal(x), 0.5 * (3 * dot(e, e) + 2 * x.tail(3).squaredNorm()), 1e-14);
  EXPECT_NEAR(cost.error(x), norm(e), 1e-15);
}

// Checks that the second derivative is exact at the target. Elsewhere it is the Gauss-Newton
// approximation.
TEST(ReachCost, ItsCurvatureIsExactAtTheTarget) {
  const auto model = build(equal_links(3));
  const VectorXd x = to_vector({0.3, 0.5, -0.9, 0, 0, 0});
  State state(model);
  state.set_q({x.data(), 3});
  CostSum cost = reach_cost(model, tip_of(*model), frame_pose(state, tip_of(*model)).p, {}, 0.01);
  EXPECT_LT(cost.error(x), 1e-15);
  expect_model(cost, *model, 0, x, VectorXd::Zero(3), true);
}

// An arm with a spherical shoulder, whose states are on a manifold.
std::shared_ptr<const Model> ball_arm() {
  RobotDescription robot;
  robot.name = "arm";
  for (const char* name : {"upper", "lower"}) {
    LinkDescription link;
    link.name = name;
    link.joint.name = std::string(name) + "_joint";
    link.inertia = inertia_about_com(1, {0, 0, -0.2}, {0.02, 0.02, 0.001, 0, 0, 0});
    robot.links.push_back(link);
  }
  robot.links[0].joint.kind = JointKind::floating;
  robot.links[1].parent = "upper";
  robot.links[1].joint.kind = JointKind::revolute;
  robot.links[1].joint.placement =
      ScrewPlacement{.X_PL = translation<double>({0, 0.1, -0.4}), .axis = {0, 1, 0}};
  return build(robot);
}

// Checks every part of a goal far from it, on a manifold. Far away only the slopes are exact.
TEST(GoalCost, ItsSlopeIsItsDerivativeOnAManifold) {
  const auto model = ball_arm();
  Random random(8);
  const auto random_state = [&] {
    std::vector<double> q = neutral(*model);
    integrate(*model, q.data(), random_values(random, model->n_v, 1).data(), 1, q.data());
    VectorXd x(model->n_q + model->n_v);
    x << to_vector(q), to_vector(random_values(random, model->n_v, 1));
    return x;
  };
  const VectorXd wanted = random_state(), x = random_state(),
                 u = to_vector(random_values(random, model->n_v, 1));
  State state(model);
  state.set_q({wanted.data(), size_t(model->n_q)});
  const Frame& hand = model->frames[size_t(model->frame("lower"))];
  const Pose<double> X_WF = frame_pose(state, hand);
  const VectorXd q = wanted.head(model->n_q), v = wanted.tail(model->n_v);
  for (const Goal& goal :
       {Goal{.q = q, .v = {}, .frame = {}}, Goal{.q = {}, .v = v, .frame = {}},
        Goal{.q = {}, .v = {}, .frame = hand, .position_W = X_WF.p},
        Goal{.q = {}, .v = {}, .frame = hand, .position_W = {}, .R_WF = X_WF.R},
        Goal{.q = q, .v = v, .frame = hand, .position_W = X_WF.p, .R_WF = X_WF.R}}) {
    GoalCost cost(model, {{2, goal}, {GoalCost::at_end, goal}}, 0.7);
    expect_model(cost, *model, 2, x, u, false);
    expect_model(cost, *model, 2, wanted, u, true);
    EXPECT_LT(cost.terminal(wanted), 1e-28);
    EXPECT_GT(cost.running(2, x, u), 0.01);
    EXPECT_NEAR(cost.running(2, x, u), 0.35 * std::pow(cost.error(x), 2), 1e-14);
    EXPECT_EQ(cost.running(1, x, u), 0);
  }
  GoalCost via(model, {{2, Goal{.q = q, .v = {}, .frame = {}}}});
  EXPECT_EQ(via.terminal(x), 0);
  EXPECT_TRUE(std::isnan(via.error(x)));
}

TEST(LimitCosts, TheirModelsAreTheirDerivatives) {
  const auto model = build(equal_links(3));
  const double none = std::numeric_limits<double>::infinity();
  const CoordinateLimits limits{{-0.5, -none, -none}, {1, 0.4, none}};
  const VectorXd inside = to_vector({0.3, -0.2, 7, 0.2, 0.1, -2}),
                 outside = to_vector({1.3, 0.9, 7, -0.9, 0.1, -2}),
                 u = Eigen::Vector3d(-0.4, 0.3, 1), beyond = Eigen::Vector3d(-0.8, 0.3, 1);
  for (const Coordinates z : {Coordinates::q, Coordinates::v, Coordinates::tau}) {
    PenaltyCost penalty(*model, z, limits, 0.1);
    BarrierCost barrier(*model, z, limits, 0.1);
    EXPECT_EQ(penalty.running(0, inside, u), 0);
    expect_model(penalty, *model, 0, outside, beyond, true);
    EXPECT_GT(penalty.running(0, outside, beyond), 0);
    expect_model(barrier, *model, 0, inside, u, true);
    EXPECT_EQ(barrier.running(0, outside, beyond), none);
  }
  // By hand: q = 0.3 is at 0.7 and 0.8 of the limits, in a range of 1.5; -0.2 is 0.6 below 0.4.
  BarrierCost barrier(*model, Coordinates::q, limits, 0.1);
  EXPECT_NEAR(barrier.running(0, inside, u),
              -0.1 * (std::log(0.7 / 0.75) + std::log(0.8 / 0.75) + std::log(0.6)), 1e-15);
  PenaltyCost penalty(*model, Coordinates::q, limits, 0.1);
  EXPECT_NEAR(penalty.running(0, outside, u), 0.05 * (0.09 + 0.25), 1e-15);
}

TEST(CostSum, AddsItsTermsWithTheirWeights) {
  const auto model = build(equal_links(3));
  const auto effort =
      std::make_shared<QuadraticCost>(*model, Coordinates::tau, std::vector<double>{1, 2, 3}, 1);
  const auto nothing_allowed = std::make_shared<BarrierCost>(
      *model, Coordinates::q, CoordinateLimits{{5, 5, 5}, {6, 6, 6}}, 1);
  const auto inner =
      std::make_shared<CostSum>(std::vector<WeightedCost>{{2, effort}, {0, nothing_allowed}});
  CostSum sum({{3, inner}, {1, effort}});
  const VectorXd x = VectorXd::Zero(6), u = Eigen::Vector3d(1, -1, 2);
  EXPECT_DOUBLE_EQ(sum.running(0, x, u), 7 * 0.5 * (1 + 2 + 12));
  expect_model(sum, *model, 0, x, u, true);
  EXPECT_TRUE(std::isnan(sum.error(x)));
}

}  // namespace
}  // namespace torsor::test
