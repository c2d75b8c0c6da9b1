// Tests of iLQR: it is exact for linear-quadratic problems, the cost never increases, and it brings
// chains of 2 to 10 links to a target.

#include "torsor/planning/ilqr.hpp"
#include "torsor/base/linear_algebra.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "planning/chains.hpp"
#include "support/random_robot.hpp"
#include "torsor/base/error.hpp"
#include "torsor/planning/batch.hpp"
#include "torsor/planning/reach_cost.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using testing::HasSubstr;

void nothing() {}

MatrixXd random_matrix(Random& random, int rows, int columns, double size) {
  return Eigen::Map<const Matrix>(random_values(random, rows * columns, size).data(), rows,
                                  columns);
}

// The dynamics x+ = A x + B u.
struct Linear : DiscreteDynamics {
  MatrixXd A, B;
  bool works = true;
  Eigen::Index n_x() const override { return A.rows(); }
  Eigen::Index n_u() const override { return B.cols(); }
  bool step(const VectorXd& x, const VectorXd& u, VectorXd& next) override {
    next = A * x + B * u;
    return works;
  }
  bool linearise(const VectorXd&, const VectorXd&, LinearStep& out) override {
    out = {A, B};
    return true;
  }
  std::string failure() const override { return "it does not work"; }
};

// The running cost 1/2 u^T R u + 1/2 x^T Q x + u^T P x, and the final cost
//   1/2 (x - goal)^T F (x - goal)
struct Quadratic : Cost {
  MatrixXd Q, R, P, F;
  VectorXd goal;
  double running(size_t, const VectorXd& x, const VectorXd& u) override {
    return 0.5 * (u.dot(R * u) + x.dot(Q * x)) + u.dot(P * x);
  }
  void add_running(size_t, const VectorXd& x, const VectorXd& u, double, CostModel& out) override {
    out = {Q * x + P.transpose() * u, R * u + P * x, Q, P, R};
  }
  double terminal(const VectorXd& x) override { return 0.5 * (x - goal).dot(F * (x - goal)); }
  void add_terminal(const VectorXd& x, double, CostModel& out) override {
    out.l_x = F * (x - goal);
    out.l_xx = F;
  }
  double error(const VectorXd& x) override { return (x - goal).norm(); }
};

class Form : public testing::TestWithParam<IlqrForm> {};
INSTANTIATE_TEST_SUITE_P(Ilqr, Form, testing::Values(IlqrForm::recursion, IlqrForm::batch));

// Checks a linear-quadratic problem, which is one least-squares problem in all controls U. The
// states are X = S_u U + S_x x_1 (batch matrices). The first step of iLQR must find the solution of
// the normal equations.
TEST_P(Form, SolvesALinearQuadraticProblemInOneStep) {
  const int n_x = 4, n_u = 2, T = 15;
  Random random(3);
  Linear dynamics;
  dynamics.A = MatrixXd::Identity(n_x, n_x) + random_matrix(random, n_x, n_x, 0.2);
  dynamics.B = random_matrix(random, n_x, n_u, 0.5);
  Quadratic cost;
  const MatrixXd root = random_matrix(random, n_x + n_u, n_x + n_u, 1);
  const MatrixXd all = root * root.transpose() + 0.1 * MatrixXd::Identity(n_x + n_u, n_x + n_u);
  cost.Q = all.topLeftCorner(n_x, n_x), cost.R = all.bottomRightCorner(n_u, n_u);
  cost.P = all.bottomLeftCorner(n_u, n_x);
  cost.F = 10 * MatrixXd::Identity(n_x, n_x);
  cost.goal = to_vector(random_values(random, n_x, 1));
  const VectorXd x_1 = to_vector(random_values(random, n_x, 1));

  const std::vector<LinearStep> steps(size_t(T - 1), LinearStep{dynamics.A, dynamics.B});
  const MatrixXd S = batch_response(steps);
  const VectorXd free = free_response(steps) * x_1;
  VectorXd goal = VectorXd::Zero(n_x * T);
  MatrixXd QQ = MatrixXd::Zero(n_x * T, n_x * T), RR = MatrixXd::Zero(n_u * (T - 1), n_u * (T - 1)),
           PP = MatrixXd::Zero(n_u * (T - 1), n_x * T);
  for (int t = 0; t < T; ++t) {
    if (t + 1 < T) {
      RR.block(n_u * t, n_u * t, n_u, n_u) = cost.R;
      PP.block(n_u * t, n_x * t, n_u, n_x) = cost.P;
    }
    QQ.block(n_x * t, n_x * t, n_x, n_x) = t + 1 < T ? cost.Q : cost.F;
  }
  goal.tail(n_x) = cost.goal;
  const MatrixXd H = S.transpose() * QQ * S + RR + PP * S + S.transpose() * PP.transpose();
  const VectorXd gradient = S.transpose() * QQ * (free - goal) + PP * free;
  const VectorXd U = -solve(H, gradient);

  const std::vector<VectorXd> start(size_t(T - 1), VectorXd::Zero(n_u));
  const IlqrPlan plan = ilqr(dynamics, cost, x_1, start, {.form = GetParam()}, nothing);
  EXPECT_EQ(plan.end, IlqrEnd::converged);
  ASSERT_GE(plan.iterations.size(), 1u);
  EXPECT_LE(plan.iterations.size(), 2u);
  EXPECT_EQ(plan.iterations[0].step, 1);
  for (int t = 0; t + 1 < T; ++t)
    EXPECT_TRUE(close(plan.u[size_t(t)], U.segment(n_u * t, n_u), U.norm(), 1e-12)) << "t = " << t;
  EXPECT_NEAR(plan.iterations[0].cost, plan.cost, 1e-12 * plan.cost);
}

void expect_monotonic(const IlqrPlan& plan) {
  double before = plan.first_cost;
  for (const IlqrIteration& i : plan.iterations) {
    EXPECT_LT(i.cost, before);
    EXPECT_DOUBLE_EQ(i.reduction, before - i.cost);
    EXPECT_GT(i.step, 0);
    before = i.cost;
  }
  EXPECT_EQ(plan.cost, before);
}

// A task for a chain of 1 m: from rest, hanging straight down, reach a point within a second.
struct Reach {
  explicit Reach(int n, const ReachWeights& weights = {})
      : chain(equal_links(n), dt),
        cost(reach_cost(chain.model,
                        chain.model->frames[size_t(chain.model->frame("tip" + std::to_string(n)))],
                        {0.3, 0.6, 0}, weights, dt)),
        x_1(VectorXd::Zero(2 * n)) {
    x_1[0] = -M_PI / 2;
  }
  IlqrPlan plan(const IlqrOptions& options = {}) {
    return ilqr(chain.dynamics, cost, x_1,
                std::vector<VectorXd>(size_t(steps), chain.dynamics.equilibrium_torques(x_1)),
                options, nothing);
  }
  static constexpr double dt = 0.01;
  static constexpr int steps = 100;
  SteppedChain chain;
  CostSum cost;
  VectorXd x_1;
};

class Links : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Reach, Links, testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 10));

TEST_P(Links, ReachAPointFromRest) {
  Reach reach(GetParam());
  const IlqrPlan plan = reach.plan({.iterations = 49});
  expect_monotonic(plan);
  EXPECT_LT(plan.error, 0.01);
  // After 49 iterations, longer chains still improve by less than a thousandth of the cost per
  // iteration, so they have not converged.
  if (GetParam() <= 7) {
    EXPECT_EQ(plan.end, IlqrEnd::converged);
  }
  std::printf("N = %2d: %2zu iterations, cost %.6g -> %.6g, final error %.2e m\n", GetParam(),
              plan.iterations.size(), plan.first_cost, plan.cost, plan.error);
}

// Returns the last q and v of a simulation with the torques of the plan.
VectorXd simulated(const Reach& reach, const IlqrPlan& plan, const char* solver_id) {
  const size_t n = plan.u[0].size();
  Simulation simulation(
      reach.chain.model,
      [&](std::shared_ptr<const Model> model) {
        return planning_registry().solver(solver_id, std::move(model));
      },
      Integrator::euler, Reach::dt);
  Load load;
  const auto law = [&](const Measured& at, double, std::span<const double>,
                       const ControlLaw::Answer& out) {
    const size_t k = size_t(std::lround(at.t / Reach::dt));
    std::copy_n(plan.u[std::min(k, plan.u.size() - 1)].data(), n, out.tau.begin());
  };
  load.controls = {
      {.name = "plan", .law = std::make_shared<FunctionLaw>(law), .period = Reach::dt}};
  simulation.set_gravity({0, -9.81, 0});
  simulation.set_load(load);
  simulation.set_state({reach.x_1.data(), n}, {reach.x_1.data() + n, n});
  while (simulation.steps() < Reach::steps) simulation.step();
  VectorXd x(2 * n);
  std::copy_n(simulation.state().q().begin(), n, x.data());
  std::copy_n(simulation.state().v.begin(), n, x.data() + n);
  return x;
}

// Checks that the simulation follows the plan to rounding. The simulation computes steps as
// differences of times, which rounds differently. An inverted chain of ten links amplifies rounding
// by 10^7 in this second. Another solver also rounds differently.
TEST_P(Links, TheSimulationEndsWhereThePlanDoes) {
  Reach reach(GetParam());
  const IlqrPlan plan = reach.plan();
  const auto apart = [&](const char* solver) {
    return (simulated(reach, plan, solver) - plan.x.back()).lpNorm<Eigen::Infinity>();
  };
  EXPECT_LT(apart("planar_lagrange"), GetParam() < 10 ? 1e-9 : 1e-7);
  EXPECT_LT(apart("articulated_body"), 1e-6);
  std::printf(
      "N = %2d: simulated and planned last states are %.1e apart, by articulated_body %.1e\n",
      GetParam(), apart("planar_lagrange"), apart("articulated_body"));
}

// A task for an arm in space, planned with the general solver. The arms are an iiwa, and an arm
// with a spherical shoulder, whose states are on a manifold.
struct ArmReach {
  std::shared_ptr<const Model> model;
  std::string frame;
  Vec3<double> target_W;
  std::vector<double> q;
};
ArmReach iiwa_reach() {
  RobotDescription robot = iiwa(stored_table("iiwa_second_order.json"));
  for (LinkDescription& link : robot.links) link.joint.armature = 0.1, link.joint.damping = 0.5;
  return {build(robot), "link7", {0.4, 0.3, 0.5}, {0, 0.4, 0, -0.9, 0, 0.3, 0}};
}
ArmReach ball_reach() {
  RobotDescription robot;
  robot.name = "arm";
  for (const char* name : {"upper", "lower"}) {
    LinkDescription link;
    link.name = name;
    link.joint.name = std::string(name) + "_joint";
    link.inertia = inertia_about_com(1, {0, 0, -0.2}, {0.02, 0.02, 0.001, 0, 0, 0});
    robot.links.push_back(link);
  }
  robot.links[0].joint.kind = JointKind::spherical;
  // A spherical joint has no motors by default.
  robot.links[0].joint.drives.assign(3, Drive{});
  robot.links[1].parent = "upper";
  robot.links[1].joint.kind = JointKind::revolute;
  robot.links[1].joint.placement =
      ScrewPlacement{.X_PL = translation<double>({0, 0, -0.4}), .axis = {0, 1, 0}};
  robot.frames.push_back(
      {.name = "hand", .link = "lower", .X_LF = translation<double>({0, 0, -0.4}), .source = ""});
  return {build(robot), "hand", {0.3, 0.4, 0.2}, {1, 0, 0, 0, -0.3}};
}

TEST(Ilqr, LeadsArmsInSpaceToAPoint) {
  for (const auto& [arm, method] : {std::pair{iiwa_reach(), Integrator::semi_implicit_euler},
                                    std::pair{ball_reach(), Integrator::rk4}}) {
    constexpr double dt = 0.02;
    StepDynamics dynamics(solvers(general_solver), arm.model, {0, 0, -9.81},
                          {.method = method, .dt = dt});
    CostSum cost = reach_cost(arm.model, arm.model->frames[size_t(arm.model->frame(arm.frame))],
                              arm.target_W, {.effort = 1e-4}, dt);
    VectorXd x_1 = VectorXd::Zero(arm.model->n_q + arm.model->n_v);
    std::copy(arm.q.begin(), arm.q.end(), x_1.data());
    const double from = cost.error(x_1);
    const IlqrPlan plan =
        ilqr(dynamics, cost, x_1, std::vector<VectorXd>(50, dynamics.equilibrium_torques(x_1)), {},
             nothing);
    expect_monotonic(plan);
    EXPECT_EQ(plan.end, IlqrEnd::converged);
    EXPECT_GT(from, 0.3);
    EXPECT_LT(plan.error, 2e-3);
    EXPECT_LT(plan.x.back().tail(arm.model->n_v).norm(), 0.1);
    EXPECT_LT(plan.iterations.size(), 60u);
    std::printf("%s: %zu iterations, cost %.4g -> %.4g, from %.2f m to %.1e m\n", arm.frame.c_str(),
                plan.iterations.size(), plan.first_cost, plan.cost, from, plan.error);
    if (arm.frame == "hand") {
      EXPECT_NEAR(plan.x.back().head(4).norm(), 1, 1e-12);
    }
  }
}

double peak(const IlqrPlan& plan) {
  double most = 0;
  for (const VectorXd& u : plan.u) most = std::max(most, u.lpNorm<Eigen::Infinity>());
  return most;
}

TEST(StepDynamics, HoldingTorquesKeepTheRobotAtRest) {
  SteppedChain chain(equal_links(3, 0.2), 0.01);
  const VectorXd x = to_vector({0.3, -0.5, 1.1, 0, 0, 0});
  VectorXd next;
  ASSERT_TRUE(chain.dynamics.step(x, chain.dynamics.equilibrium_torques(x), next));
  EXPECT_TRUE(close(next, x, 1, 1e-13));
}

TEST(Ilqr, APenaltyEnforcesTheLimitsOfTheControls) {
  const IlqrPlan free = Reach(5).plan();
  ReachWeights weights;
  const double limit = 0.8 * peak(free);
  weights.limit.assign(5, limit);
  const IlqrPlan limited = Reach(5, weights).plan();
  expect_monotonic(limited);
  EXPECT_LT(limited.error, 0.01);
  EXPECT_GT(peak(free), limit);
  EXPECT_LT(peak(limited), 1.02 * limit);
  std::printf("peak torque %.3f N m; with a limit of %.3f, %.3f\n", peak(free), limit,
              peak(limited));
}

TEST(Ilqr, StopsAtItsLimitOfIterations) {
  const IlqrPlan plan = Reach(4).plan({.iterations = 3});
  EXPECT_EQ(plan.end, IlqrEnd::iterations);
  EXPECT_EQ(plan.iterations.size(), 3u);
  expect_monotonic(plan);
}

// Longer chains take more iterations.
class FewLinks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Reach, FewLinks, testing::Range(2, 6));

// Checks that both forms find the same optimum of a problem that is not linear, from the same
// trajectory near it. (From far away, they may find different local optima.) Each form stops where
// the cost no longer falls by more than rounding. The controls are then equal up to the root of
// this fall.
TEST_P(FewLinks, BothFormsFindTheSameOptimum) {
  Reach reach(GetParam());
  const IlqrPlan near = reach.plan({.iterations = 100, .tolerance = 1e-4});
  const auto from_there = [&](IlqrForm form) {
    return ilqr(reach.chain.dynamics, reach.cost, reach.x_1, near.u,
                {.iterations = 500, .form = form, .tolerance = 1e-15}, nothing);
  };
  const IlqrPlan one = from_there(IlqrForm::recursion), other = from_there(IlqrForm::batch);
  EXPECT_GT(near.cost, one.cost * (1 + 1e-7));
  expect_monotonic(other);
  EXPECT_NEAR(other.cost, one.cost, 1e-10 * one.cost);
  double apart = 0, size = 0;
  for (size_t t = 0; t < one.u.size(); ++t) {
    apart = std::max(apart, (one.u[t] - other.u[t]).lpNorm<Eigen::Infinity>());
    size = std::max(size, one.u[t].lpNorm<Eigen::Infinity>());
  }
  EXPECT_LT(apart, 1e-4 * size);
}

// Checks that a plan that starts at an optimal trajectory does not change it.
TEST(Ilqr, HasConvergedAtTheOptimum) {
  Reach reach(3);
  const IlqrPlan once = reach.plan({.iterations = 100, .tolerance = 1e-12});
  const IlqrPlan twice = ilqr(reach.chain.dynamics, reach.cost, reach.x_1, once.u, {}, nothing);
  EXPECT_EQ(twice.end, IlqrEnd::converged);
  EXPECT_LE(twice.iterations.size(), 1u);
  EXPECT_NEAR(twice.cost, once.cost, 1e-9 * once.cost);
}

TEST(Ilqr, CanBeInterrupted) {
  Reach reach(2);
  int calls = 0;
  const auto stop = [&] {
    if (++calls == 250) throw std::runtime_error("enough");
  };
  EXPECT_THROW(ilqr(reach.chain.dynamics, reach.cost, reach.x_1,
                    std::vector<VectorXd>(100, VectorXd::Zero(2)), {}, stop),
               std::runtime_error);
  EXPECT_EQ(calls, 250);
}

// Returns the message of a plan over linear dynamics.
std::string failure(Cost& cost, IlqrForm form, bool works = true) {
  Linear dynamics;
  dynamics.A = MatrixXd::Identity(2, 2);
  dynamics.B = Eigen::Vector2d(1, 0).asDiagonal();  // the second control has no effect
  dynamics.works = works;
  try {
    ilqr(dynamics, cost, VectorXd::Ones(2), std::vector<VectorXd>(3, VectorXd::Zero(2)),
         {.form = form}, nothing);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_P(Form, ReportsInitialControlsThatFail) {
  Quadratic cost;
  cost.Q = cost.F = cost.P = cost.R = MatrixXd::Zero(2, 2);
  cost.goal = VectorXd::Zero(2);
  EXPECT_THAT(failure(cost, GetParam(), false),
              HasSubstr("initial controls cannot be computed: it does not work"));
  EXPECT_THAT(failure(cost, GetParam()), HasSubstr("the cost does not determine the controls"));
  cost.Q(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THAT(failure(cost, GetParam()), HasSubstr("the cost of the initial motion is not finite"));
}

}  // namespace
}  // namespace torsor::test
