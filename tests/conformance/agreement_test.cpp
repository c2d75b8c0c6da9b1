// Tests of every solver against the dense closed form, which shares no code with it. Also tests
// invariances: what must not change the results.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/dense_dynamics.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

class Agreement : public RandomRobot {
 protected:
  DenseDynamics closed_form() const {
    const torsor_model flat = model->view();
    return DenseDynamics(flat, state.view());
  }
};
TORSOR_ON_RANDOM_ROBOTS(Agreement);

// Equations: JIN 45; MR 9.87; MK 26.
TEST_P(Agreement, AllQuantitiesEqualTheClosedForm) {
  const DenseDynamics exact = closed_form();
  const Vector v = velocity(state);
  EXPECT_TRUE(agree(solver.mass_matrix(state), exact.M));
  EXPECT_TRUE(agree(solver.gravity(state), exact.g));
  EXPECT_TRUE(agree(solver.bias(state), exact.C * v + exact.g));
  const Matrix C = solver.coriolis_matrix(state);
  EXPECT_TRUE(agree(C * v, exact.C * v));
  EXPECT_TRUE(close(C + C.transpose(), exact.C + exact.C.transpose(), exact.C.norm(), agreement));
}

// Equations: KHALIL 7.39, 7.40, 7.56, 7.81; MR 9.48, 9.55; MK 22, 23.
TEST_P(Agreement, InverseDynamicsWithWrenches) {
  add_random_wrenches(random, state);
  const Vector vdot = random_vector(5);
  EXPECT_TRUE(agree(solver.inverse(state, vdot), closed_form().inverse(velocity(state), vdot)));
}

TEST_P(Agreement, ForwardDynamicsWithWrenches) {
  add_random_wrenches(random, state);
  const DenseDynamics exact = closed_form();
  const Vector tau = random_vector(50),
               bias = exact.inverse(velocity(state), Vector::Zero(model->n_v));
  EXPECT_TRUE(satisfies_equation_of_motion(exact.M, solver.forward(state, tau), bias, tau));
}

// Checks that bias and gravity do not depend on applied wrenches.
TEST_P(Agreement, WrenchesAreNoPartOfBias) {
  const Vector bias = solver.bias(state), g = solver.gravity(state);
  add_random_wrenches(random, state);
  EXPECT_TRUE(agree(solver.bias(state), bias));
  EXPECT_TRUE(agree(solver.gravity(state), g));
}

// Checks that a wrench F on a frame, at its origin and in its axes, decreases tau by J^T F.
// Equations: KHALIL 7.30; MK 34.
TEST_P(Agreement, AWrenchActsByTheTransposedJacobian) {
  const Vector vdot = random_vector(5), free = solver.inverse(state, vdot);
  for (const Frame& frame : model->frames) {
    const Wrench<double> F{random.vector(5), random.vector(20)};
    Vector six(6);
    six << F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z;
    const Vector expected = frame_jacobian(state, frame).transpose() * six;
    state.add_wrench(frame, F);
    const Vector change = free - solver.inverse(state, vdot);
    EXPECT_TRUE(close(change, expected, free.norm() + expected.norm(), 1e-12)) << frame.name;
    state.clear_wrenches();
  }
}

// Checks that quantities of the joints do not change if the robot and gravity are rotated and moved
// together.
TEST_P(Agreement, ThePlaceInTheWorldDoesNotMatter) {
  const Pose<double> X_WR = random.pose(3);
  ModelBuilder world;
  world.add(described(robot()), X_WR);
  const auto moved_model = world.build();
  TestSolver moved_solver(solver_id(), moved_model);
  const Vector vdot = random_vector(5), tau = random_vector(50), v = velocity(state);
  for (const Vec3<double>& field : {Vec3<double>{0, 0, -9.81}, random.vector(10)}) {
    state.set_gravity(field);
    State moved(moved_model);
    moved.set_q(state.q());
    moved.v = state.v;
    moved.set_gravity(X_WR.R * field);
    const Matrix M = solver.mass_matrix(state), C = solver.coriolis_matrix(state),
                 moved_C = moved_solver.coriolis_matrix(moved);
    EXPECT_TRUE(agree(moved_solver.mass_matrix(moved), M));
    EXPECT_TRUE(agree_inverse(moved_solver.inverse_mass_matrix(moved),
                              solver.inverse_mass_matrix(state), M));
    EXPECT_TRUE(agree(moved_C * v, C * v));
    EXPECT_TRUE(close(moved_C + moved_C.transpose(), C + C.transpose(), C.norm(), agreement));
    EXPECT_TRUE(agree(moved_solver.gravity(moved), solver.gravity(state)));
    EXPECT_TRUE(agree(moved_solver.bias(moved), solver.bias(state)));
    EXPECT_TRUE(agree(moved_solver.inverse(moved, vdot), solver.inverse(state, vdot)));
    EXPECT_TRUE(
        agree_acceleration(moved_solver.forward(moved, tau), solver.forward(state, tau), M));
  }
}

// Checks that the torques of gravity are linear in the field: the torques of two fields add up, and
// those of a zero field vanish.
TEST_P(Agreement, GravityIsLinearInTheField) {
  const Vec3<double> a{0, 0, -9.81}, b = random.vector(10);
  const auto in_field = [&](const Vec3<double>& field) {
    state.set_gravity(field);
    return solver.gravity(state);
  };
  const Vector g_a = in_field(a), g_b = in_field(b), sum = in_field(a + b);
  EXPECT_TRUE(close(sum, g_a + g_b, g_a.norm() + g_b.norm(), 1e-13));
  EXPECT_EQ(in_field({0, 0, 0}).norm(), 0);
  EXPECT_GT(g_a.norm(), 0);
}

}  // namespace
}  // namespace torsor::test
