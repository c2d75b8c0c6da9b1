// Tests of torques along a motion and of the duration within their limits: closed forms, scaled
// motions, power, and messages.

#include <gmock/gmock.h>

#include <cmath>

#include "planning/chains.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"
#include "support/reference.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/motions/torque_check.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
constexpr Vec3<double> gravity{0, 0, -9.81};

struct Motion {
  std::shared_ptr<const Model> model;
  List from, to;
  std::string law = "quintic";

  std::shared_ptr<const Trajectory> over(double duration) const {
    return planning_registry().make<Trajectory>(
        law, model, {{"from", from}, {"to", to}, {"duration", List{duration}}});
  }
  TorqueCheck check(double duration, int samples = 201) const {
    Solver solver = planning_registry().solver("newton_euler", model);
    return check_torques(*over(duration), solver, gravity, samples);
  }
  double use(double duration) const {
    double most = 0;
    for (const TorqueUse& dof : check(duration).dofs) most = std::max(most, dof.use);
    return most;
  }
};

// A link with a point mass of 2 kg at 0.5 m, on a hinge about y. At angle a from the downward
// vertical, the torque is m l^2 a'' + m g l sin a.
RobotDescription pendulum() {
  LinkDescription link;
  link.name = "rod";
  link.joint = {.name = "hinge",
                .kind = JointKind::revolute,
                .placement = ScrewPlacement{Pose<double>::identity(), {0, 1, 0}}};
  link.inertia = {2, {0, 0, -1}, {0.5, 0.5, 0, 0, 0, 0}};
  RobotDescription robot;
  robot.name = "pendulum";
  robot.links = {link};
  return robot;
}

// The pendulum with a second one at its end, on the joint "knee" that mimics the hinge.
RobotDescription with_knee(double ratio, double offset) {
  RobotDescription robot = pendulum();
  LinkDescription second = robot.links[0];
  second.name = "second";
  second.parent = "rod";
  second.joint.name = "knee";
  second.joint.placement = ScrewPlacement{translation<double>({0, 0, -0.5}), {0, 1, 0}};
  second.joint.mimic = Mimic{"hinge", ratio, offset};
  robot.links.push_back(second);
  return robot;
}

// Compares with the formula at many times. The limit is exceeded at the start and at the end.
// Equations: KHALIL 9.1.
TEST(TorqueCheck, IsThatOfAPendulum) {
  RobotDescription robot = pendulum();
  robot.links[0].joint.effort_limit = 4.5;
  robot.links[0].joint.damping = 0.5;
  const Motion motion{build(robot), {0}, {1}, "cubic"};
  const TorqueCheck check = motion.check(0.8, 2001);
  double peak = 0, exceeded_from = NAN, exceeded_to = NAN;
  constexpr int times = 200000;
  for (int k = 0; k <= times; ++k) {
    const double u = double(k) / times, a = u * u * (3 - 2 * u), v = 6 * u * (1 - u) / 0.8,
                 vdot = (6 - 12 * u) / 0.64;
    const double tau = 0.5 * vdot + 0.5 * v + 9.81 * std::sin(a);
    peak = std::max(peak, std::abs(tau));
    if (std::abs(tau) <= 4.5) continue;
    if (std::isnan(exceeded_from)) exceeded_from = 0.8 * u;
    exceeded_to = 0.8 * u;
  }
  EXPECT_NEAR(check.dofs[0].peak, peak, 1e-9);
  EXPECT_NEAR(check.dofs[0].use, peak / 4.5, 1e-9);
  ASSERT_GT(exceeded_to, exceeded_from);
  EXPECT_NEAR(check.dofs[0].exceeded_from, exceeded_from, 4e-4) << "the distance of the samples";
  EXPECT_NEAR(check.dofs[0].exceeded_to, exceeded_to, 4e-4);
}

// A motion along the vertical axis has the torque J vdot alone, so that the scale is sqrt(J A / L).
TEST(TorqueCheck, ScalesAMotionWithoutGravityInClosedForm) {
  RobotDescription robot = pendulum();
  robot.links[0].inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  robot.links[0].joint.effort_limit = 2;
  const Motion motion{build(robot), {0}, {3}, "bang_bang"};
  const TorqueCheck check = motion.check(1);  // acceleration 4 D / T^2 = 12
  EXPECT_NEAR(check.dofs[0].peak, 12, 1e-12);
  EXPECT_NEAR(check.scale, std::sqrt(12 / 2.0), 1e-12);
  robot.links[0].joint.effort_limit = 200;
  EXPECT_NEAR((Motion{build(robot), {0}, {3}, "bang_bang"}.check(1).scale), std::sqrt(12 / 200.0),
              1e-12);
  // The speed limit 4 rad/s: the peak is 2 D / T = 6 rad/s.
  robot.links[0].joint.velocity_limit = 4;
  EXPECT_NEAR((Motion{build(robot), {0}, {3}, "bang_bang"}.check(1).scale), 1.5, 1e-12);
}

// The motor gives 10 N m at rest and nothing at 5 rad/s. At the end of the acceleration with J = 1,
// x = 1/k: 12 x^2 = 10 (1 - 6 x / 5), so that x = (-12 + sqrt(144 + 480)) / 24.
TEST(TorqueCheck, FollowsTheLineOfTheMotor) {
  RobotDescription robot = pendulum();
  robot.links[0].inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  robot.links[0].joint.velocity_limit = 5;
  Drive drive;
  drive.motor.stall_torque = 10;
  robot.links[0].joint.drives = {drive};
  const TorqueCheck check = Motion{build(robot), {0}, {3}, "bang_bang"}.check(1);
  EXPECT_NEAR(check.scale, 24 / (std::sqrt(624.0) - 12), 1e-7);
  EXPECT_NEAR(check.time, 0.5, 1e-9);
  EXPECT_GT(check.dofs[0].use, 1);
}

// The simulator clamps the torque to the stall torque in both directions, also at rest
// (model/transmission.hpp). The weight needs 9.81 sin(a) N m, against a motion downwards.
TEST(TorqueCheck, ComparesTheStallTorqueAgainstTheMotionAndAtRest) {
  RobotDescription robot = pendulum();
  robot.links[0].joint.velocity_limit = 5;
  Drive drive;
  drive.motor.stall_torque = 5;
  robot.links[0].joint.drives = {drive};
  for (const List& to : {List{0.1}, List{1.5}}) {
    const TorqueCheck check = Motion{build(robot), {1.5}, to}.check(100);
    EXPECT_NEAR(check.dofs[0].use, check.dofs[0].peak / 5, 1e-3 * check.dofs[0].use);
    EXPECT_GT(check.dofs[0].use, 9.7 / 5);
    EXPECT_TRUE(std::isinf(check.scale));
    EXPECT_EQ(check.dof, 0);
  }
}

// With J + N^2 J_m = 2 and N = 4, the shaft has the torque 2 vdot / 4. At 1/k of the speed, x =
// 1/k:
//   i = 12 x^2 A at first,   R i + K_T omega = 24 x^2 + 12 x V at the end of the acceleration
TEST(TorqueCheck, MeetsTheLimitsOfAmplifiers) {
  RobotDescription robot = pendulum();
  robot.links[0].inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  Drive drive;
  drive.motor.rotor_inertia = 1.0 / 16;
  drive.motor.gear_ratio = 4;
  drive.motor.torque_constant = 0.5;
  drive.motor.amplifier_gain = 2;
  drive.motor.resistance = 2;
  drive.motor.max_current = 3;
  const auto check = [&] {
    robot.links[0].joint.drives = {drive};
    return Motion{build(robot), {0}, {3}, "bang_bang"}.check(1);
  };
  EXPECT_NEAR(check().scale, 2, 1e-12);
  EXPECT_NEAR(check().dofs[0].use, 4, 1e-12);
  drive.motor.max_input = 1;  // 2 A
  EXPECT_NEAR(check().scale, std::sqrt(6), 1e-12);
  drive.motor.max_input = drive.motor.max_current = 0;
  drive.motor.max_voltage = 18;
  EXPECT_NEAR(check().scale, 48 / (std::sqrt(1872.0) - 12), 1e-7);
  EXPECT_NEAR(check().dofs[0].use, 2, 1e-7);
}

// The scaled motion uses a limit exactly once, for the robots of the literature.
TEST(TorqueCheck, TheScaledMotionUsesTheLimitsFully) {
  for (RobotDescription robot : {iiwa(stored_table("iiwa_second_order.json")),
                                 rx90(stored_table("rx90.json"), RxParameters::standard)}) {
    Random random(4);
    for (int k = 0; k < 10; ++k) {
      for (LinkDescription& link : robot.links)
        link.joint.effort_limit = random.uniform(2, 20) * 100;
      const auto model = build(robot);
      const Motion motion{model, random_values(random, model->n_v, 1),
                          random_values(random, model->n_v, 1)};
      const TorqueCheck check = motion.check(0.5);
      ASSERT_TRUE(std::isfinite(check.scale) && check.scale > 0);
      EXPECT_NEAR(motion.use(0.5 * check.scale), 1, 1e-9);
      for (const TorqueUse& dof : motion.check(0.5 * check.scale, 5003).dofs)
        EXPECT_LT(dof.use, 1 + 1e-9) << "at other samples";
      EXPECT_GT(motion.use(0.5 * check.scale * (1 - 1e-6)), 1);
    }
  }
}

// Random trees of joints with one dof, with friction, springs and motors: bisection finds the same
// duration.
TEST(TorqueCheck, AgreesWithBisectionOnRandomTrees) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    RobotDescription robot = random_robot(5, Shape::tree, seed);
    for (LinkDescription& link : robot.links) {
      JointDescription& joint = link.joint;
      if (joint.kind == JointKind::fixed) continue;
      joint.damping = random.uniform();
      joint.effort_limit = 5000;
      joint.velocity_limit = random.uniform(1, 5);
      Drive drive;
      const double coulomb = random.uniform();
      drive.friction = {.law = Friction::Law::coulomb,
                        .viscous = random.uniform(),
                        .coulomb = coulomb,
                        .breakaway = coulomb};
      if (random.below(2) == 0) drive.motor.stall_torque = 6000;
      if (random.below(3) == 0) drive.spring = {random.uniform(0, 20), random.uniform(-1, 1)};
      joint.drives = {drive};
    }
    const auto model = build(robot);
    const Motion motion{model, random_values(random, model->n_v, 1),
                        random_values(random, model->n_v, 1)};
    const TorqueCheck check = motion.check(1);
    if (!std::isfinite(check.scale)) continue;
    double low = 1e-3, high = 1e3;
    for (int k = 0; k < 60; ++k) {
      const double middle = std::sqrt(low * high);
      (motion.use(middle) > 1 ? low : high) = middle;
    }
    EXPECT_NEAR(check.scale, high, 1e-8 * high);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// A joint that mimics another one loads it: the power of the driven joints is the rate of the
// energy.
TEST(TorqueCheck, LoadsTheJointThatIsMimicked) {
  const auto model = build(with_knee(0.5, 0.1));
  const Motion motion{model, {0.2, 0.2}, {1.2, 0.7}};
  const auto trajectory = motion.over(0.3);
  Solver solver = planning_registry().solver("newton_euler", model);
  const TorqueCheck check = check_torques(*trajectory, solver, gravity, 400);
  const auto energy = [&](double t) {
    Reference at = trajectory->make_reference();
    EXPECT_TRUE(trajectory->evaluate(t, at));
    State state(model);
    state.set_q(at.q);
    state.v = at.v;
    return std::pair(kinetic_energy(state) + potential_energy(state), at.v[0]);
  };
  const double t = check.dofs[0].peak_time, h = 1e-5;
  ASSERT_GT(std::abs(energy(t).second), 1e-3);
  const double power = (energy(t + h).first - energy(t - h).first) / (2 * h);
  EXPECT_NEAR(check.dofs[0].peak, std::abs(power / energy(t).second), 1e-6 * check.dofs[0].peak);
  EXPECT_NEAR(check.dofs[1].peak, 0, 1e-12);
}

// Two hinges of one inertia each are moved by the motors' sum and difference: v = J v_m. The power
// of the motors, sum tau_m v_m, is that of the joints' inertia, of the rotors and of the friction
// of the shafts.
TEST(TorqueCheck, IncludesTheFrictionOfTransmissions) {
  RobotDescription robot = pendulum();
  robot.links[0].inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  robot.links.push_back(robot.links[0]);
  robot.links[1].name = "second";
  robot.links[1].joint.name = "other";
  Motor left, right;
  left.friction = {.law = Friction::Law::coulomb, .viscous = 0.3, .coulomb = 2, .breakaway = 2};
  right.rotor_inertia = 0.2;
  robot.transmissions = {{.joints = {"hinge", "other"},
                          .jacobian = {{0.5, 0.5}, {0.5, -0.5}},
                          .motors = {left, right},
                          .source = ""}};
  const Motion motion{build(robot), {0, 0}, {3, 1}, "bang_bang"};
  const TorqueCheck check = motion.check(1);  // vdot = (12, 4) at first, then (-12, -4)
  // v_m = (q_1 + q_2, q_1 - q_2): rates up to 8 and 4 rad/s, and 8 rad/s^2 of the right rotor. The
  // shafts add 2 + 0.3 * 8 N m of the left motor, and 0.2 * 8 N m of the right one.
  const double left_tau = 2 + 0.3 * 8, right_tau = 0.2 * 8;
  EXPECT_NEAR(check.dofs[0].peak, 12 + left_tau + right_tau, 1e-6);
  EXPECT_NEAR(check.dofs[1].peak, 4 + left_tau - right_tau, 1e-6);
  EXPECT_NEAR(check.dofs[0].motor_peak, (12 + 4) / 2.0 + left_tau, 1e-6);
  EXPECT_NEAR(check.dofs[1].motor_peak, (12 - 4) / 2.0 + right_tau, 1e-6);
  robot.transmissions[0].motors[0].friction.law = Friction::Law::stribeck;
  robot.transmissions[0].motors[0].friction.decay = 1;
  EXPECT_THAT(error_of([&] {
                Motion{build(robot), {0, 0}, {3, 1}}.check(1);
              }),
              testing::StartsWith("motor 'hinge' has stribeck friction"));
}

// A slow turn about z takes the torque of the spring alone, which is largest at the end.
TEST(TorqueCheck, IncludesTheSpringOfABall) {
  RobotDescription robot = pendulum();
  robot.links[0].inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  JointDescription& joint = robot.links[0].joint;
  joint = {.name = "ball", .kind = JointKind::spherical, .placement = ScrewPlacement{}};
  joint.drives.assign(3, Drive{});
  joint.spring = PoseSpring{.angular = 30};
  const Motion motion{build(robot), {1, 0, 0, 0}, {std::cos(0.6), 0, 0, std::sin(0.6)}};
  const TorqueCheck check = motion.check(1000);
  EXPECT_NEAR(check.dofs[0].peak, 0, 1e-12);
  EXPECT_NEAR(check.dofs[2].peak, 30 * 1.2, 1e-9);
}

// The largest sample of these motions need not be next to the largest maximum, and some maxima are
// close to a break.
TEST(TorqueCheck, FindsTheLargestOfSimilarMaxima) {
  const auto model = build(pendulum());
  Solver solver = planning_registry().solver("newton_euler", model);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    Rows rows{{0, 0}};
    for (int k = 0; k < 4; ++k)
      rows.push_back({rows.back()[0] + random.uniform(0.2, 0.4), random.uniform(-1, 1)});
    const auto motion =
        planning_registry().make<Trajectory>("quintic_spline", model, {{"path", rows}});
    const double exact = check_torques(*motion, solver, gravity, 20001).dofs[0].peak;
    EXPECT_NEAR(check_torques(*motion, solver, gravity, 21).dofs[0].peak, exact, 1e-9 * exact);
  }
}

TEST(TorqueCheck, RejectsAJumpOfTheVelocity) {
  const auto model = build(pendulum());
  Solver solver = planning_registry().solver("newton_euler", model);
  const auto corners = planning_registry().make<Trajectory>(
      "playback", model,
      {{"path", Rows{{0, 0}, {1, 1}, {2, 1.5}}}, {"interpolation", std::string("linear")}});
  EXPECT_THAT(error_of([&] { check_torques(*corners, solver, gravity, 11); }),
              testing::HasSubstr("the velocity of joint 'hinge' jumps by -0.5 rad/s at t = 1 s"));
  EXPECT_NO_THROW((Motion{model, {0}, {1}, "linear"}.check(1))) << "its ends may move";
}

TEST(TorqueCheck, RejectsLimitsOfZero) {
  RobotDescription robot = pendulum();
  robot.links[0].joint.effort_limit = 0;
  EXPECT_THAT(error_of([&] {
                Motion{build(robot), {0}, {1}}.check(1);
              }),
              testing::HasSubstr("the effort limit of joint 'hinge' is 0"));
  robot.links[0].joint.effort_limit = 5;
  robot.links[0].joint.velocity_limit = 0;
  EXPECT_THAT(error_of([&] {
                Motion{build(robot), {0}, {1}}.check(1);
              }),
              testing::HasSubstr("joint 'hinge' moves, and its velocity limit is 0"));
  EXPECT_EQ((Motion{build(robot), {0}, {0}}.check(1).dofs[0].use), 0);
}

// The knee turns at most at half the speed of the hip: 15/8 rad/s for a quintic over 1 rad in 1 s.
TEST(TorqueCheck, ComparesTheVelocityLimitOfAMimicJoint) {
  RobotDescription robot = with_knee(-0.5, 0);
  robot.links[1].joint.velocity_limit = 0.25;
  const TorqueCheck check = Motion{build(robot), {0, 0}, {1, -0.5}}.check(1);
  EXPECT_NEAR(check.dofs[1].use, 15.0 / 8 / 2 / 0.25, 1e-9);
  EXPECT_NEAR(check.scale, 15.0 / 8 / 2 / 0.25, 1e-9);
  EXPECT_EQ(check.dof, 1);
}

TEST(TorqueCheck, SaysWhatCannotBeScaled) {
  RobotDescription robot = pendulum();
  robot.links[0].joint.effort_limit = 5;
  const Motion held{build(robot), {1.5}, {1.6}};
  const TorqueCheck check = held.check(2);
  EXPECT_TRUE(std::isinf(check.scale));
  EXPECT_EQ(check.dof, 0);
  Drive drive;
  drive.friction = {.law = Friction::Law::stribeck, .coulomb = 1, .breakaway = 2, .decay = 1};
  robot.links[0].joint.drives = {drive};
  const Motion stribeck{build(robot), {0}, {1}};
  EXPECT_THAT(error_of([&] { stribeck.check(1); }),
              testing::StartsWith("joint 'hinge' has stribeck friction, whose torque does not "
                                  "scale with time"));
  const auto model = build(pendulum());
  EXPECT_EQ((Motion{model, {0}, {1}}.check(1).dof), -1);
  Solver solver = planning_registry().solver("newton_euler", model);
  const auto endless = planning_registry().make<Trajectory>(
      "sinusoid", model, {{"center", List{0}}, {"amplitude", List{1}}, {"frequency", List{1}}});
  EXPECT_THAT(error_of([&] { check_torques(*endless, solver, gravity, 10); }),
              testing::HasSubstr("never ends"));
}

}  // namespace
}  // namespace torsor::test
