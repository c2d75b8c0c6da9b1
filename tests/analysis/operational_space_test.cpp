// Tests of Lambda, eta and related quantities: against MR's formulae with J^-1, and by the
// accelerations and energies that they must give.

#include "torsor/analysis/operational_space.hpp"

#include <gmock/gmock.h>

#include "support/dense_dynamics.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "support/table_solver.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"

namespace torsor::test {
namespace {

struct Arm {
  Random random;
  std::shared_ptr<const Model> model;
  State state;
  Solver solver;
  Frame frame;  // fixed to the last body of the chain
  DenseDynamics dense;
  Matrix J;
  Vector v, b;

  template <class Kind>
  Arm(int joints, uint64_t seed, const Kind& kinds)
      : random(seed),
        model(build(random_robot(joints, Shape::chain, seed, kinds))),
        state(random_state(model, random)),
        solver(table_solver(dense_solver_table(), model)),
        frame{"hand", model->n_body - 1, random.pose(0.5)},
        dense(flat_ = model->view(), state.view()),
        J(frame_jacobian(state, frame)),
        v(Eigen::Map<const Vector>(state.v.data(), model->n_v)),
        b(dense.C * v + dense.g) {}
  Vector values(double size) {
    const std::vector<double> x = random_values(random, model->n_v, size);
    return Eigen::Map<const Vector>(x.data(), model->n_v);
  }

 private:
  torsor_model flat_;
};

double eps_of(const Matrix& A) {
  return 1e-14 * condition(A * A.transpose());
}

// Checks MR 9.97, 9.98, 9.99. MR 9.95 prints J^-T b instead of b.
TEST(OperationalSpace, MatchesTheTextbookForSixJoints) {
  for (const uint64_t seed : {1, 2, 5}) {
    TORSOR_TRACE_SEED(seed);
    Arm arm(6, seed, std::vector{JointKind::revolute});
    const OperationalSpace space = OperationalSpaces(arm.solver, arm.state).of(arm.frame);
    ASSERT_EQ(space.rank, 6);
    const double allowed = 1e-13 * condition(arm.dense.M) + eps_of(arm.J);
    const Matrix Jinv = inverse(arm.J).value(), Jdot = jacobian_derivative(arm.state, arm.frame);
    const Matrix Lambda = Jinv.transpose() * arm.dense.M * Jinv;
    const Vector eta = Jinv.transpose() * arm.b - Lambda * Jdot * arm.v;
    EXPECT_TRUE(close(space.Lambda, Lambda, Lambda.norm(), allowed));
    EXPECT_TRUE(close(space.eta(), eta, Lambda.norm(), allowed));
    EXPECT_TRUE(close(space.gravity, Jinv.transpose() * arm.dense.g, Lambda.norm(), allowed));
    const Vector vdot = arm.values(3);
    const Vector F = space.Lambda * (arm.J * vdot + space.Jdot_v) + space.eta();
    EXPECT_TRUE(close(arm.J.transpose() * F, arm.dense.M * vdot + arm.b, Lambda.norm(), allowed));
    EXPECT_LT(space.null_projector.norm(), allowed);
  }
}

// Checks that the frame gets the acceleration requested by F, for any torque tau_0 in the null
// space.
TEST(OperationalSpace, DecouplesTheFrameOfARedundantArm) {
  for (const uint64_t seed : {1, 2, 3}) {
    TORSOR_TRACE_SEED(seed);
    Arm arm(9, seed, Kinds::every);
    const OperationalSpace space = OperationalSpaces(arm.solver, arm.state).of(arm.frame);
    ASSERT_EQ(space.rank, 6);
    EXPECT_EQ(space.immovable.cols(), 0);
    const Matrix Minv = inverse(arm.dense.M).value(), Delassus = arm.J * Minv * arm.J.transpose();
    EXPECT_TRUE(
        close(space.Lambda_inverse, Delassus, Delassus.norm(), 1e-14 * condition(arm.dense.M)));
    EXPECT_TRUE(close(arm.J * space.Jbar, Matrix::Identity(6, 6), 1, 1e-9));
    const Vector requested = (Vector(6) << 1, -2, 3, -4, 5, -6).finished();
    const Vector tau = arm.J.transpose() * (space.Lambda * requested + space.eta()) +
                       space.null_projector * arm.values(10);
    const double terms = arm.J.norm() * Minv.norm() * (tau - arm.b).norm();
    EXPECT_TRUE(close(arm.J * Minv * (tau - arm.b) + space.Jdot_v, requested, terms, 1e-12));
  }
}

// Checks three selected components of the frame, in world axes.
TEST(OperationalSpace, UsesTheRowsOfSelectedComponents) {
  Arm arm(7, 4, Kinds::every);
  const Components components{true, false, false, false, true, true};
  const OperationalSpace space = OperationalSpaces(arm.solver, arm.state).of(arm.frame, components);
  ASSERT_EQ(space.rank, 3);
  const Matrix J = chosen_rows(frame_jacobian(arm.state, arm.frame, Axes::world), components);
  const Matrix Jdot =
      chosen_rows(jacobian_derivative(arm.state, arm.frame, Axes::world), components);
  const Matrix Lambda = inverse(J * inverse(arm.dense.M).value() * J.transpose()).value();
  EXPECT_TRUE(close(space.Lambda, Lambda, Lambda.norm(), 1e-9));
  EXPECT_TRUE(close(space.Jdot_v, Jdot * arm.v, (Jdot * arm.v).norm(), 1e-10));
}

// Checks an arm of three joints, which moves its frame in three of six directions. Lambda must
// vanish in the other directions (no inertia is defined there).
TEST(OperationalSpace, IsZeroInDirectionsThatFewJointsCannotMove) {
  Arm arm(3, 5, Kinds::one_column);
  const OperationalSpace space = OperationalSpaces(arm.solver, arm.state).of(arm.frame);
  ASSERT_EQ(space.rank, 3);
  ASSERT_EQ(space.immovable.cols(), 3);
  EXPECT_LT((space.immovable.transpose() * arm.J).norm(), 1e-13 * arm.J.norm());
  EXPECT_LT((space.Lambda * space.immovable).norm(), 1e-10 * space.Lambda.norm());
  const Vector V = arm.J * arm.v;
  const double twice = arm.v.dot(arm.dense.M * arm.v);
  EXPECT_NEAR(V.dot(space.Lambda * V), twice, 1e-9 * twice);
  EXPECT_TRUE(close(space.Jbar * arm.J, Matrix::Identity(3, 3), 1, 1e-9));
  EXPECT_TRUE(close(arm.J.transpose() * space.eta(),
                    arm.b - arm.J.transpose() * space.Lambda * space.Jdot_v +
                        arm.dense.M * Vector::Zero(3) -
                        (arm.b - arm.J.transpose() * space.Jbar.transpose() * arm.b),
                    arm.b.norm(), 1e-9));
}

// Checks two links at and near the stretched position, where the tip cannot move along the links.
// The rank is determined with the threshold sqrt(eps): an angle of 1e-6 rad is above it, 1e-9 rad
// is below.
TEST(OperationalSpace, DropsTheSingularDirection) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  Solver solver = table_solver(dense_solver_table(), model);
  State state(model);
  const Frame& tip = model->frames[size_t(model->frame("tip2"))];
  const Components x_and_y{false, false, false, true, true, false};
  const auto at = [&](double bent) {
    const double q[] = {0, bent};
    state.set_q(q);
    return OperationalSpaces(solver, state).of(tip, x_and_y);
  };
  const OperationalSpace near = at(1e-6), there = at(0), nearly = at(1e-9);
  EXPECT_EQ(near.rank, 2);
  EXPECT_NEAR(near.Lambda_inverse(1, 1), 1, 1e-5);  // with J = (2, 1) and M = (5, 2; 2, 1)
  EXPECT_GT(near.Lambda(0, 0), 1e11);
  for (const OperationalSpace& space : {there, nearly}) {
    EXPECT_EQ(space.rank, 1);
    EXPECT_NEAR(std::abs(space.immovable(0, 0)), 1, 1e-8);
    EXPECT_NEAR(space.Lambda(1, 1), 1, 1e-8);
    EXPECT_LT(std::abs(space.Lambda(0, 0)), 1e-12);
  }
}

TEST(OperationalSpace, IsZeroForAFrameOfTheWorld) {
  Arm arm(4, 6, Kinds::one_column);
  const OperationalSpace space =
      OperationalSpaces(arm.solver, arm.state).of({"post", 0, Pose<double>::identity()});
  EXPECT_EQ(space.rank, 0);
  EXPECT_EQ(space.Lambda.norm() + space.Lambda_inverse.norm() + space.eta().norm(), 0);
  EXPECT_EQ(space.immovable, Matrix::Identity(6, 6));
  EXPECT_EQ(space.null_projector, Matrix::Identity(4, 4));
}

TEST(OperationalSpace, NamesAJointWithoutInertia) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Unit(2, 0)));
  Solver solver = table_solver(dense_solver_table(), model);
  const State state(model);
  try {
    OperationalSpaces(solver, state);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("singular"), testing::HasSubstr("joint2")));
  }
}

}  // namespace
}  // namespace torsor::test
