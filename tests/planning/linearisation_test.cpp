// A_t and B_t of explicit Euler (RCFS 111): against values computed in extended precision, and central differences of the steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "planning/chains.hpp"
#include "support/random_state.hpp"
#include "torsor/model/error.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

Vector stacked(const Vector& a, const Vector& b) {
  Vector out(a.size() + b.size());
  out << a, b;
  return out;
}
Matrix twice(const Matrix& L) {
  Matrix out = Matrix::Zero(2 * L.rows(), 2 * L.cols());
  out.topLeftCorner(L.rows(), L.cols()) = out.bottomRightCorner(L.rows(), L.cols()) = L;
  return out;
}

// The tables are in absolute angles q = L x and their forces u = L^-T tau.
TEST(Linearisation, EqualsTheSharedReference) {
  TORSOR_NEEDS_SHARED_FOLDER();
  const Json table = shared_table("planar_nlink.json");
  double worst_A = 0, worst_B = 0;
  for (const Json& sample : table["samples"]) {
    SCOPED_TRACE("N = " + std::to_string(sample["N"].get<int>()));
    const Matrix L = ones_below(sample["N"].get<int>()), L2 = twice(L);
    SteppedChain chain(planar_n_link(vector(sample["l"]), vector(sample["m"])), sample["dt"], sample["g"]);
    const Vector x = stacked(vector(sample["x"]), L.inverse() * vector(sample["qd"]));
    LinearStep step;
    ASSERT_TRUE(chain.dynamics.linearise(x, vector(sample["tau"]), step)) << chain.dynamics.failure();
    const Matrix A = L2 * step.A * L2.inverse(), B = L2 * step.B * L.transpose();
    const Matrix exact_A = matrix(sample["A_analytic"]), exact_B = matrix(sample["B_analytic"]);
    EXPECT_TRUE(close(A, exact_A, exact_A.norm(), 1e-12));
    EXPECT_TRUE(close(B, exact_B, exact_B.norm(), 1e-12));
    worst_A = std::max(worst_A, (A - exact_A).norm() / exact_A.norm());
    worst_B = std::max(worst_B, (B - exact_B).norm() / exact_B.norm());
  }
  std::printf("largest relative error against the reference: A %.1e, B %.1e\n", worst_A, worst_B);
}

class Differences : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Links, Differences, testing::Values(1, 2, 3, 5, 10));

// With dampers, which are in the step.
TEST_P(Differences, EqualTheLinearisation) {
  const int n = GetParam();
  Random random{uint64_t(n)};
  SteppedChain chain(equal_links(n, 0.3), 0.01);
  const Vector x = to_vector(random_values(random, 2 * n, 2)), u = to_vector(random_values(random, n, 10));
  LinearStep step;
  ASSERT_TRUE(chain.dynamics.linearise(x, u, step));
  const auto column = [&](Vector dx, Vector du) {
    constexpr double h = 1e-5;
    Vector up, down;
    EXPECT_TRUE(chain.dynamics.step(x + h * dx, u + h * du, up));
    EXPECT_TRUE(chain.dynamics.step(x - h * dx, u - h * du, down));
    return Vector((up - down) / (2 * h));
  };
  Matrix A(2 * n, 2 * n), B(2 * n, n);
  for (int k = 0; k < 2 * n; ++k) A.col(k) = column(Vector::Unit(2 * n, k), Vector::Zero(n));
  for (int k = 0; k < n; ++k) B.col(k) = column(Vector::Zero(2 * n), Vector::Unit(n, k));
  EXPECT_TRUE(close(A, step.A, step.A.norm(), 1e-7));
  EXPECT_TRUE(close(B, step.B, step.B.norm(), 1e-7));
  std::printf("N = %d: relative error of central differences: A %.1e, B %.1e\n", n,
              (A - step.A).norm() / step.A.norm(), (B - step.B).norm() / step.B.norm());
}

TEST(EulerDynamics, AStepIsEulers) {
  SteppedChain chain(equal_links(2, 0.5), 0.01);
  const Vector x = Eigen::Vector4d(0.3, -0.4, 1, 2), u = Eigen::Vector2d(3, -1);
  State state(chain.model);
  state.set_gravity({0, -9.81, 0});
  state.set_q(std::vector{0.3, -0.4});
  state.v = {1, 2};
  const Vector torque = Eigen::Vector2d(3 - 0.5 * 1, -1 - 0.5 * 2);
  Vector vdot(2), next;
  Solver other = planning_registry().solver("articulated_body", chain.model);
  ASSERT_TRUE(other.forward(state, torque.data(), vdot.data()));
  ASSERT_TRUE(chain.dynamics.step(x, u, next));
  EXPECT_TRUE(
      close(next, stacked(x.head(2) + 0.01 * x.tail(2), x.tail(2) + 0.01 * vdot), next.norm(), 1e-14));
}

TEST(EulerDynamics, AStepThatIsNoneSaysWhy) {
  SteppedChain chain(equal_links(2), 0.01);
  Vector next;
  LinearStep step;
  const Vector x = Vector::Constant(4, std::nan("")), u = Vector::Zero(2);
  EXPECT_FALSE(chain.dynamics.step(x, u, next));
  EXPECT_THAT(chain.dynamics.failure(), HasSubstr("not a finite number"));
  EXPECT_FALSE(chain.dynamics.linearise(x, u, step));
}

std::string refusal(const RobotDescription& robot, const std::string& solver_id) {
  const auto model = build(robot);
  Solver solver = planning_registry().solver(solver_id, model);
  try {
    EulerDynamics(solver, model, {0, 0, 0}, 0.01);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(EulerDynamics, RefusesASolverWithoutPartials) {
  EXPECT_THAT(refusal(equal_links(2), "articulated_body"),
              HasSubstr("solver 'solver.articulated_body' offers no partial derivatives"));
}

TEST(EulerDynamics, RefusesWhatActsAtAJointUnseen) {
  const auto with = [](const std::function<void(JointDescription&)>& change) {
    RobotDescription robot = equal_links(2);
    JointDescription& joint = robot.links[1].joint;
    joint.drives = {Drive{}};
    joint.lower = -1, joint.upper = 1, joint.effort_limit = 5, joint.velocity_limit = 3;
    change(joint);
    return refusal(robot, "planar_lagrange");
  };
  EXPECT_EQ(with([](JointDescription&) {}), "");
  EXPECT_THAT(with([](JointDescription& j) {
                j.drives[0].friction = {.law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 1};
              }),
              HasSubstr("joint 'joint2' has friction, which a plan does not know"));
  EXPECT_THAT(with([](JointDescription& j) { j.drives[0].spring.stiffness = 1; }), HasSubstr("has a spring"));
  EXPECT_THAT(with([](JointDescription& j) { j.drives[0].stop = Stop{}; }), HasSubstr("has a stop"));
  EXPECT_THAT(with([](JointDescription& j) { j.drives[0].motor.clamp = true; }), HasSubstr("cut off"));
  EXPECT_THAT(with([](JointDescription& j) { j.drives[0].passive = true; }), HasSubstr("is passive"));
  EXPECT_THAT(with([](JointDescription& j) {
                j.drives[0].elasticity = Elasticity{.stiffness = 10};
                j.drives[0].motor.rotor_inertia = 1;
              }),
              HasSubstr("is elastic"));
  EXPECT_THAT(with([](JointDescription& j) {
                j.mimic = Mimic{"joint1", 1, 0};
              }),
              HasSubstr("mimics another"));
}

}  // namespace
}  // namespace torsor::test
