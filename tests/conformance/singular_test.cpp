// Tests of links without mass. They are accepted if M is regular. If it is singular, forward
// dynamics names the joint.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/dense_dynamics.hpp"
#include "torsor/batch/batch_solver.hpp"

namespace torsor::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr SpatialInertia<double> nothing = SpatialInertia<double>::zero();

LinkDescription link(int number, JointKind kind, const ScrewPlacement& screw,
                     const SpatialInertia<double>& inertia) {
  LinkDescription out;
  out.name = "link" + std::to_string(number);
  if (number > 1) out.parent = "link" + std::to_string(number - 1);
  out.joint.name = "joint" + std::to_string(number);
  out.joint.kind = kind;
  out.joint.placement = screw;
  out.inertia = inertia;
  return out;
}

class Massless : public testing::TestWithParam<std::string> {
 protected:
  // Creates an arm of two links with mass, to which each test adds links.
  Massless() {
    robot.name = "arm";
    add(JointKind::revolute, random_inertia(random, 0.3, 5));
    add(JointKind::revolute, random_inertia(random, 0.3, 3));
  }
  LinkDescription& add(JointKind kind, const SpatialInertia<double>& inertia) {
    ScrewPlacement screw;
    screw.X_PL = random.pose(0.5);
    screw.axis = random.direction();
    screw.point = random.vector(0.2);
    return add(kind, screw, inertia);
  }
  LinkDescription& add(JointKind kind, const ScrewPlacement& screw,
                       const SpatialInertia<double>& inertia) {
    robot.links.push_back(link(int(robot.links.size()) + 1, kind, screw, inertia));
    return robot.links.back();
  }

  void expect_regular() {
    const auto model = build(robot);
    TestSolver solver(GetParam(), model);
    const State state = random_state(model, random);
    const torsor_model flat = model->view();
    const DenseDynamics exact(flat, state.view());
    const Vector tau = to_vector(random_values(random, model->n_v, 10));
    const Vector bias = exact.inverse(velocity(state), Vector::Zero(model->n_v));
    EXPECT_TRUE(satisfies_equation_of_motion(exact.M, solver.forward(state, tau), bias, tau));
    EXPECT_TRUE(agree(solver.inverse(state, tau), exact.inverse(velocity(state), tau)));
  }

  // Checks in several states that forward dynamics and M^-1 name one of these joints as singular.
  // Inverse dynamics and M must be correct nevertheless.
  template <class... Names>
  void expect_singular(Names... joints) {
    const auto model = build(robot);
    TestSolver asked(GetParam(), model);
    Solver& solver = asked.solver();
    std::vector<double> out(size_t(model->n_v) * size_t(model->n_v));
    BatchSolver in_lanes(solver);
    StateBatch batch(model, 5);
    std::vector<double> tau_5(size_t(model->n_v) * batch.stride(), 1),
        out_5(out.size() * batch.stride());
    for (const Quantity quantity : {Quantity::forward, Quantity::inverse_mass_matrix}) {
      const BatchStatus failed = in_lanes.evaluate(quantity, batch, tau_5.data(), out_5.data());
      EXPECT_EQ(failed.failed, batch.size()) << name(quantity);
      EXPECT_EQ(TORSOR_STATUS_CODE(failed.status.value), TORSOR_SINGULAR) << name(quantity);
    }
    for (int sample = 0; sample < 20; ++sample) {
      const State state = random_state(model, random);
      const Vector tau = to_vector(random_values(random, model->n_v, 10));
      for (const Status status : {solver.forward(state, tau.data(), out.data()),
                                  solver.inverse_mass_matrix(state, out.data())}) {
        ASSERT_EQ(TORSOR_STATUS_CODE(status.value), TORSOR_SINGULAR) << solver.explain(status);
        EXPECT_THAT(solver.explain(status), AnyOf(HasSubstr(std::string("'") + joints + "'")...));
      }
      const torsor_model flat = model->view();
      const DenseDynamics exact(flat, state.view());
      EXPECT_TRUE(agree(asked.inverse(state, tau), exact.inverse(velocity(state), tau)));
      EXPECT_TRUE(agree(asked.mass_matrix(state), exact.M));
    }
  }

  Random random{9};
  RobotDescription robot;
};
INSTANTIATE_TEST_SUITE_P(Solvers, Massless, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

TEST_P(Massless, InTheMiddleIsRegular) {
  add(JointKind::revolute, nothing);
  add(JointKind::revolute, random_inertia(random, 0.1, 1));
  expect_regular();
}

TEST_P(Massless, AtTheEndIsSingular) {
  add(JointKind::revolute, nothing);
  expect_singular("joint3");
}

TEST_P(Massless, AtTheEndWithARotorIsRegular) {
  add(JointKind::revolute, nothing).joint.armature = 1e-3;
  expect_regular();
}

TEST_P(Massless, WithRotationalInertiaIsSingularForASlider) {
  const SpatialInertia<double> rotor =
      inertia_from_moments(0, {0, 0, 0}, {1e-3, 2e-3, 2.5e-3, 0, 0, 0});
  add(JointKind::revolute, rotor);
  expect_regular();
  robot.links.back().joint.kind = JointKind::prismatic;
  expect_singular("joint3");
}

// Checks a point mass on the axis, which has no inertia about it: a rounding error of S^T I S must
// not count as inertia. A mass off the axis has inertia, even if it is close to the axis or light.
TEST_P(Massless, PointMassOnTheAxis) {
  const Vec3<double> along = random.direction(), point = random.vector(0.4),
                     across = cross(along, {0, 0, 1});
  const Vec3<double> normal = (1 / norm(across)) * across, on_axis = point + 0.3 * along;
  const ScrewPlacement screw{.X_PL = random.pose(0.5), .axis = along, .point = point};
  const auto mass_at = [](double m, const Vec3<double>& c) {
    return inertia_about_com(m, c, {0, 0, 0, 0, 0, 0});
  };
  add(JointKind::revolute, screw, mass_at(2, on_axis));
  expect_singular("joint3");
  robot.links.back().inertia = mass_at(2, on_axis + 1e-3 * normal);
  expect_regular();
  robot.links.back().inertia = mass_at(1e-6, point + 0.1 * normal);
  expect_regular();
}

// Checks a mass 1 micrometre off the axis. cond(M) is 1e12, so the result has few correct digits,
// but forward dynamics must not fail.
TEST_P(Massless, PointMassAMicrometreOffTheAxis) {
  const ScrewPlacement screw{.X_PL = random.pose(0.5), .axis = {0, 0, 1}, .point = {0.1, 0.2, 0}};
  add(JointKind::revolute, screw, inertia_about_com(2, {0.1 + 1e-6, 0.2, 0.3}, {0, 0, 0, 0, 0, 0}));
  const auto model = build(robot);
  Solver solver = build_registry().solver(GetParam(), model);
  const State state = random_state(model, random);
  const std::vector<double> tau(3, 1.0);
  std::vector<double> vdot(3);
  const Status status = solver.forward(state, tau.data(), vdot.data());
  EXPECT_TRUE(status) << solver.explain(status);
}

// Checks a point mass that slides along the axis of the hinge that carries it. It has no inertia
// about the hinge in any position.
TEST_P(Massless, PointMassOnARailAlongTheAxis) {
  const Vec3<double> along = random.direction(), point = random.vector(0.4);
  const SpatialInertia<double> mass = inertia_about_com(2, point, {0, 0, 0, 0, 0, 0});
  for (const JointKind kind : {JointKind::prismatic, JointKind::helical}) {
    robot.links.resize(2);
    add(JointKind::revolute, {.X_PL = random.pose(0.5), .axis = along, .point = point}, nothing);
    LinkDescription& slider =
        add(kind, {.X_PL = Pose<double>::identity(), .axis = along, .point = point}, mass);
    if (kind == JointKind::helical) slider.joint.pitch = 0.1;
    expect_singular("joint3", "joint4");
  }
}

// Checks two hinges about the same axis. Only their sum moves the body, so M is singular, and
// either hinge may be named. A body between them makes M regular.
TEST_P(Massless, TwoHingesAboutOneAxis) {
  const Vec3<double> along = random.direction(), point = random.vector(0.4);
  add(JointKind::revolute, {.X_PL = random.pose(0.5), .axis = along, .point = point}, nothing);
  add(JointKind::revolute,
      {.X_PL = Pose<double>::identity(), .axis = along, .point = point + 0.2 * along},
      random_inertia(random, 0.2, 4));
  expect_singular("joint3", "joint4");
  robot.links[2].inertia = random_inertia(random, 0.2, 1);
  expect_regular();
}

TEST_P(Massless, AllLinks) {
  for (LinkDescription& each : robot.links) each.inertia = nothing;
  const auto model = build(robot);
  Solver solver = build_registry().solver(GetParam(), model);
  const State state(model);
  std::vector<double> tau(2, 1.0), out(2);
  EXPECT_EQ(TORSOR_STATUS_CODE(solver.forward(state, tau.data(), out.data()).value),
            TORSOR_SINGULAR);
  ASSERT_TRUE(solver.inverse(state, tau.data(), out.data()));
  EXPECT_EQ(out, std::vector<double>(2, 0.0));
}

}  // namespace
}  // namespace torsor::test
