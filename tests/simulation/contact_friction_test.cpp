// Tests of dry friction at joints in time stepping with contacts, against closed forms.

#include <gtest/gtest.h>

#include "simulation/contact_bodies.hpp"

namespace torsor::test {
namespace {

// A ball of mass 1 and radius 0.1 on a joint along an axis, above the ground.
ContactScene ball_on_joint(const Vec3<double>& axis, const Friction& friction, double height,
                           double v) {
  RobotDescription robot;
  robot.name = "slider";
  add_ball(robot, "ball", 1, 0.1, {});
  JointDescription& joint = robot.links[0].joint;
  joint.kind = JointKind::prismatic;
  joint.placement = ScrewPlacement{.axis = axis};
  joint.drives = {Drive{.friction = friction}};
  return {
      on_plane(robot, {}, Pose<double>{Mat3<double>::identity(), {0, 0, -0.1 - height}}), {0}, {v}};
}

// v = v_0 - F t / m until it stops at t = m v_0 / F, x = m v_0^2 / (2 F).
TEST(ContactFriction, AJointStopsAndStays) {
  const ContactScene scene =
      ball_on_joint({1, 0, 0}, {.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 2}, 1, 1);
  Simulation run = begin(scene, Integrator::time_stepping, 1.0 / 1024);
  while (run.time() < 1) run.step();
  EXPECT_NEAR(run.state().q()[0], 0.25, 1e-12);
  EXPECT_NEAR(run.state().v[0], 0, 1e-15);
  EXPECT_NEAR(run.snapshot()[Work::friction], -0.5, 1e-12);
  EXPECT_EQ(run.snapshot()[Work::contact], 0);
}

// The joint falls with g - F / m. Friction and contact take its energy m g h, of which friction
// takes F h. The error of the moment of the impact is below one step.
TEST(ContactFriction, AContactBringsAJointToRest) {
  constexpr double F = 4, height = 0.5, g = 9.81, dt = 1e-3;
  const ContactScene scene = ball_on_joint(
      {0, 0, 1}, {.law = Friction::Law::coulomb, .coulomb = F, .breakaway = F}, height, -1e-9);
  Simulation run = begin(scene, Integrator::time_stepping, dt);
  while (run.time() < 1) run.step();
  EXPECT_NEAR(run.state().q()[0], -height, 1e-9);
  EXPECT_NEAR(run.state().v[0], 0, 1e-12);
  const double speed = std::sqrt(2 * (g - F) * height);
  EXPECT_NEAR(run.snapshot()[Work::friction], -F * height, F * speed * dt);
  EXPECT_NEAR(run.snapshot()[Work::friction] + run.snapshot()[Work::contact], -g * height, 1e-8);
}

// Static friction holds up to the breakaway force. Then sliding friction acts.
TEST(ContactFriction, AJointBreaksAway) {
  for (const double force : {2.999, 3.001}) {
    ContactScene scene = ball_on_joint(
        {1, 0, 0}, {.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 3}, 1, 0);
    scene.load.tau = {force};
    Simulation run = begin(scene, Integrator::time_stepping, 1.0 / 1024);
    while (run.time() < 1) run.step();
    if (force < 3)
      EXPECT_NEAR(run.state().v[0], 0, 1e-15);
    else
      EXPECT_NEAR(run.state().v[0], force - 2, 2.0 / 1024);
  }
}

}  // namespace
}  // namespace torsor::test
