// Tests of motors: coupled transmissions (KHALIL 7.31, 7.32, 7.33), limits, and rotors that are
// bodies. The references are equations of the same mechanism without coupled joints.

#include <gmock/gmock.h>
#include <Eigen/LU>

#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/signals/limit_watch.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

constexpr const char* every_solver[] = {"articulated_body", "newton_euler", "lie_group",
                                        "lagrange_christoffel"};

// Returns a differential transmission, in which both motors move both joints:
//   q1 = (a + b) / 2,   q2 = (a - b) / 2
TransmissionDescription differential(double inertia_a, double inertia_b,
                                     const Friction& friction = {}) {
  return {.joints = {"joint1", "joint2"},
          .jacobian = {{0.5, 0.5}, {0.5, -0.5}},
          .motors = {{.rotor_inertia = inertia_a, .friction = friction},
                     {.rotor_inertia = inertia_b, .friction = friction}},
          .source = ""};
}
RobotDescription arm() {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  for (size_t i = 0; i < 2; ++i) robot.links[i].joint.name = "joint" + std::to_string(i + 1);
  return robot;
}
Simulation swinging(const RobotDescription& robot, const char* solver,
                    Integrator integrator = Integrator::rk4) {
  Simulation s(build(robot), solver_factory(solver), integrator, 1e-3);
  s.set_gravity({0, -g, 0});
  s.set_load({.tau = {3, -1}});
  s.set_state(std::vector<double>{0.3, 0.7}, std::vector<double>{0.5, -1});
  return s;
}

// Checks (M + A) vdot + C v + g = tau with A = J^-T diag(J_m) J^-1. M and C v + g are those of the
// links without motors.
TEST(Transmission, AccelerationIsThatOfTheFullMassMatrix) {
  RobotDescription robot = arm();
  const auto bare = build(robot);
  robot.transmissions = {differential(0.4, 0.1)};
  for (const char* solver : every_solver) {
    Simulation s = swinging(robot, solver);
    Solver bodies = solver_factory(solver)(bare);
    State state(bare);
    state.set_gravity({0, -g, 0});
    state.set_q(s.state().q());
    state.v = s.state().v;
    Eigen::Matrix2d M, J_inverse, J_m = Eigen::Vector2d(0.4, 0.1).asDiagonal();
    J_inverse << 1, 1, 1, -1;
    Eigen::Vector2d bias;
    ASSERT_TRUE(bodies.mass_matrix(state, M.data()));
    ASSERT_TRUE(bodies.bias(state, bias.data()));
    const Eigen::Vector2d vdot =
        (M + J_inverse.transpose() * J_m * J_inverse).inverse() * (Eigen::Vector2d(3, -1) - bias);
    EXPECT_NEAR(s.acceleration()[0], vdot[0], 1e-12) << solver;
    EXPECT_NEAR(s.acceleration()[1], vdot[1], 1e-12) << solver;
    const auto split = s.torque_split();
    for (size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(split.inertial[i] + split.centrifugal[i] + split.coriolis[i] + split.gravity[i],
                  s.torque()[i], 1e-11);
  }
}

TEST(Transmission, KeepsTheLedgerClosed) {
  RobotDescription robot = arm();
  robot.transmissions = {differential(0.4, 0.1)};
  Simulation s = swinging(robot, "articulated_body");
  const double kinetic = s.energy().kinetic;
  RobotDescription bare = arm();
  // The velocities of the motors are v1 + v2 and v1 - v2.
  EXPECT_NEAR(kinetic,
              swinging(bare, "articulated_body").energy().kinetic + 0.5 * (0.4 * 0.25 + 0.1 * 2.25),
              1e-14);
  while (s.time() < 3) s.step();
  EXPECT_NEAR(s.ledger_error(), 0, 1e-9 * s.energy().kinetic + 1e-9);
}

// Checks that a transmission with a diagonal Jacobian is equivalent to a gear at each joint.
TEST(Transmission, OfADiagonalJacobianEqualsGears) {
  RobotDescription together = arm(), apart = arm();
  const Friction friction{
      .law = Friction::Law::coulomb, .viscous = 0.01, .coulomb = 0.02, .breakaway = 0.03};
  together.transmissions = {{.joints = {"joint2", "joint1"},
                             .jacobian = {{0.02, 0}, {0, 0.01}},
                             .motors = {{.rotor_inertia = 1e-4, .friction = friction},
                                        {.rotor_inertia = 2e-5, .friction = friction}},
                             .source = ""}};
  const auto scaled = [&](double N) {
    Friction f = friction;
    f.viscous *= N * N, f.coulomb *= N, f.breakaway *= N;
    return f;
  };
  apart.links[0].joint.drives = {
      {.motor = {.rotor_inertia = 2e-5, .gear_ratio = 100, .friction = scaled(100)}}};
  apart.links[1].joint.drives = {
      {.motor = {.rotor_inertia = 1e-4, .gear_ratio = 50, .friction = scaled(50)}}};
  Simulation a = swinging(together, "newton_euler", Integrator::dormand_prince),
             b = swinging(apart, "newton_euler", Integrator::dormand_prince);
  for (int k = 0; k < 2000; ++k) a.step(), b.step();
  EXPECT_NEAR(a.state().q()[0], b.state().q()[0], 1e-9);
  EXPECT_NEAR(a.state().q()[1], b.state().q()[1], 1e-9);
  EXPECT_NEAR(a.motor_torque()[0], b.motor_torque()[0], 1e-14);
  EXPECT_NEAR(a.motor_torque()[1], b.motor_torque()[1], 1e-14);
}

TEST(Transmission, PowerOfMotorsIsThatOfJoints) {
  RobotDescription robot = arm();
  robot.transmissions = {differential(0.4, 0.1)};
  const auto model = build(robot);
  const std::vector<double> motor_tau{2, -5}, motor_v{0.3, 0.9};
  std::vector<double> tau{10, 20}, back(2);
  const Transmissions transmissions(model);
  transmissions.add_motor_torques(motor_tau, tau);
  tau[0] -= 10, tau[1] -= 20;
  const double v1 = (0.3 + 0.9) / 2, v2 = (0.3 - 0.9) / 2;
  EXPECT_NEAR(tau[0] * v1 + tau[1] * v2, 2 * 0.3 - 5 * 0.9, 1e-14);
  transmissions.motor_torques(tau, back);
  EXPECT_NEAR(back[0], 2, 1e-14);
  EXPECT_NEAR(back[1], -5, 1e-14);
}

// Checks that strong friction at both motors keeps both joints at rest. If only one motor has
// friction, the arm moves, but that motor does not.
TEST(Transmission, StickingMotorsDoNotCreep) {
  const Friction strong{.law = Friction::Law::coulomb, .coulomb = 50, .breakaway = 60};
  for (const char* solver : {"articulated_body", "newton_euler"}) {
    RobotDescription robot = arm();
    robot.transmissions = {differential(0.4, 0.1, strong)};
    Simulation s(build(robot), solver_factory(solver), Integrator::rk4, 0.02);
    s.set_gravity({0, -g, 0});
    s.set_state(std::vector<double>{0.1, 0.2}, std::vector<double>{0, 0});
    while (s.time() < 60) s.step();
    EXPECT_EQ(s.state().q()[0], 0.1);
    EXPECT_EQ(s.state().q()[1], 0.2);
    EXPECT_EQ(s.state().v[1], 0);
    robot.transmissions[0].motors[1].friction = {};
    // The numbers of this coupled Jacobian have rounding errors.
    robot.transmissions[0].jacobian = {{0.7, 0.31}, {0.43, -0.9}};
    Simulation half(build(robot), solver_factory(solver), Integrator::rk4, 5e-3);
    half.set_gravity({0, -g, 0});
    half.set_state(std::vector<double>{0.1, 0.2}, std::vector<double>{0, 0});
    const Row row = half.mechanism().frictions.at(0).row;
    const auto motor = [&] { return along(row, half.state().q().data()); };
    const double start = motor();
    while (half.time() < 60) half.step();
    EXPECT_GT(std::abs(half.state().q()[0] - 0.1) + std::abs(half.state().v[0]), 1e-3);
    EXPECT_NEAR(motor(), start, 1e-12);
    EXPECT_EQ(half.snapshot()[Work::friction], 0);
  }
}

// Checks that slipping motors come to rest and remain at rest. The work of friction must equal the
// loss of energy.
TEST(Transmission, MotorsComeToRest) {
  RobotDescription robot = arm();
  robot.transmissions = {
      differential(0.4, 0.1, {.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 3})};
  robot.transmissions[0].jacobian = {{0.7, 0.31}, {0.43, -0.9}};
  Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 0.01, {1e-10, 1e-11});
  s.set_gravity({0, 0, 0});
  s.set_state(std::vector<double>{0.1, 0.2}, std::vector<double>{1, -2});
  while (s.time() < 10) s.step();
  EXPECT_EQ(s.snapshot().modes, (std::vector<double>{0, 0}));
  const std::vector<double> q(s.state().q().begin(), s.state().q().end());
  while (s.time() < 60) s.step();
  EXPECT_EQ(s.state().q()[0], q[0]);
  EXPECT_EQ(s.state().q()[1], q[1]);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-8);
}

TEST(Transmission, RejectsInvalidDescriptions) {
  const auto error = [](auto change) {
    RobotDescription robot = arm();
    robot.transmissions = {differential(0.4, 0.1)};
    change(robot);
    try {
      (void)build(robot);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error([](RobotDescription& r) {
              r.transmissions[0].jacobian = {{1, 2}, {2, 4}};
            }),
            "transmission: its jacobian is singular: some motion of the motors moves no joint");
  EXPECT_EQ(error([](RobotDescription& r) {
              r.transmissions[0].joints = {"joint1", "jiont2"};
            }),
            "transmission: the robot has no moving joint 'jiont2'; did you mean 'joint2'?");
  EXPECT_EQ(error([](RobotDescription& r) {
              r.transmissions[0].joints = {"joint1", "joint1"};
            }),
            "transmission: it names joint 'joint1' twice");
  EXPECT_EQ(error([](RobotDescription& r) { r.transmissions.push_back(r.transmissions[0]); }),
            "transmission: joint 'joint1' is in another transmission already");
  EXPECT_EQ(error([](RobotDescription& r) { r.transmissions[0].jacobian.pop_back(); }),
            "transmission: its jacobian has 1 rows for 2 joints; give one row for each joint");
  EXPECT_EQ(error([](RobotDescription& r) { r.transmissions[0].motors.pop_back(); }),
            "transmission: it has 2 joints and 1 motors; give one motor for each joint");
  EXPECT_EQ(error([](RobotDescription& r) { r.transmissions[0].motors[0].rotor_inertia = -1; }),
            "transmission: the rotor inertia is -1; it must be a finite number, not negative");
  EXPECT_EQ(error([](RobotDescription& r) { r.links[0].joint.drives = {{.passive = true}}; }),
            "transmission: joint 'joint1' is passive, elastic or has a motor of its own");
}

// Checks a mass of 1 kg that is pushed by 5 t N. A clamped motor exerts at most its limit of 3 N.
// Without clamping, the limit is only reported.
TEST(Limits, ClampOrAreReported) {
  RobotDescription robot = slider();
  robot.links[0].joint.effort_limit = 3;
  robot.links[0].joint.velocity_limit = 1;
  robot.links[0].joint.upper = 2;
  const auto end = [&](LimitWatch& watch, const std::shared_ptr<const Model>& model) {
    Simulation s(model, solver_factory(), Integrator::rk4, 1e-2);
    s.set_load(
        {.tau = {}, .tau_of_time = [](double t, std::span<double> tau) { tau[0] += 5 * t; }});
    for (int k = 0; k < 200; ++k) s.step(), watch.check_state(s);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-6);
    return s.state().v[0];
  };
  const auto free = build(robot);
  LimitWatch watch(*free);
  EXPECT_NEAR(end(watch, free), 10, 1e-12);
  // The unclamped motion is v = 2.5 t^2, q = 2.5/3 t^3.
  EXPECT_THAT(watch.passed(),
              testing::ElementsAre(
                  "joint 'rail' passed its position limit of 2 m at t = 1.34 s (2.00509 m)",
                  "joint 'rail' passed its velocity limit of 1 m/s at t = 0.64 s (1.024 m/s)",
                  "joint 'rail' passed its effort limit of 3 N at t = 0.61 s (3.05 N)"));
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].motor.clamp = true;
  const auto clamped = build(robot);
  LimitWatch held(*clamped);
  EXPECT_NEAR(end(held, clamped), 2.5 * 0.36 + 3 * 1.4, 1e-9);
  EXPECT_EQ(held.passed().size(), 2u);
  robot.links[0].joint.effort_limit = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)build(robot), Error);
}

// Checks that a motor cannot accelerate a joint beyond its velocity limit. The torque-speed line is
// v' = T (1 - v / v_max) / m. A constant command gives v = v_max (1 - e^(-T t / (m v_max))). The
// line does not reduce braking torques.
TEST(Limits, AMotorDrivesNoFasterThanItsVelocityLimit) {
  RobotDescription robot = slider();
  robot.links[0].joint.velocity_limit = 2;
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].motor.stall_torque = 6;
  for (const bool elastic : {false, true}) {
    if (elastic) {
      Drive& drive = robot.links[0].joint.drives[0];
      drive.elasticity = Elasticity{.stiffness = 1e4, .damping = 200};
      drive.motor.rotor_inertia = 1;
    }
    Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 1e-2, {1e-11, 1e-12});
    s.set_load({.tau = {100}});
    for (int k = 0; k < 100; ++k) s.step();
    const double mass = elastic ? 2 : 1;
    const double v = 2 * (1 - std::exp(-6.0 / (2 * mass)));
    EXPECT_NEAR(s.state().v[0], v, elastic ? 2e-3 : 1e-9);
    EXPECT_NEAR(s.torque()[0], 6 * (1 - (elastic ? s.motor_v()[0] : v) / 2), 1e-8);
    for (int k = 0; k < 2000; ++k) s.step();
    EXPECT_NEAR(s.state().v[0], 2, 1e-7);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-7);
    s.change_torque(std::vector<double>{-5});
    EXPECT_EQ(s.torque()[0], -5);
    s.change_torque(std::vector<double>{-7});
    EXPECT_EQ(s.torque()[0], -6);
  }
  robot.links[0].joint.velocity_limit = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)build(robot), Error);
}

Motor rotor(double inertia, double gear_ratio, bool body) {
  Motor out;
  out.rotor_inertia = inertia, out.gear_ratio = gear_ratio, out.body = body;
  return out;
}

// Checks that a rotor body is equivalent to an armature if the axis of its joint is fixed in the
// world.
// Equations: KHALIL 7.29.
TEST(RotorBody, OnTheGroundEqualsAnArmature) {
  RobotDescription robot = arm();
  robot.links[0].joint.drives = {{.motor = rotor(2e-4, 50, false)}};
  const auto reduced = build(robot);
  robot.links[0].joint.drives[0].motor.body = true;
  const auto whole = build(robot);
  ASSERT_EQ(whole->n_v, 3);
  for (const char* solver : every_solver) {
    Simulation a(reduced, solver_factory(solver), Integrator::rk4, 1e-3),
        b(whole, solver_factory(solver), Integrator::rk4, 1e-3);
    a.set_gravity({0, -g, 0}), b.set_gravity({0, -g, 0});
    a.set_load({.tau = {3, -1}}), b.set_load({.tau = {3, 0, -1}});
    a.set_state(std::vector<double>{0.3, 0.7}, std::vector<double>{0.5, -1});
    b.set_state(std::vector<double>{0.3, 15, 0.7}, std::vector<double>{0.5, 25, -1});
    EXPECT_NEAR(a.energy().kinetic, b.energy().kinetic, 1e-13);
    for (int k = 0; k < 500; ++k) a.step(), b.step();
    EXPECT_NEAR(a.state().q()[0], b.state().q()[0], 1e-10) << solver;
    EXPECT_NEAR(a.state().q()[1], b.state().q()[2], 1e-10) << solver;
  }
}

// Checks the coupling of a rotor whose axis is parallel to the axis of the first joint. Its energy
// J (v1 + N v2)^2 / 2 adds J {{1, N}, {N, N^2}} to M.
TEST(RotorBody, OnARotatingLinkCouples) {
  const double J = 2e-3, N = 10;
  RobotDescription robot = arm();
  const auto bare = build(robot);
  robot.links[1].joint.drives = {{.motor = rotor(J, N, true)}};
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, 0, 0});
  s.set_load({.tau = {3, -1, 0}});
  s.set_state(std::vector<double>{0.3, 0.7, 7}, std::vector<double>{0, 0, 0});
  Solver bodies = solver_factory()(bare);
  State state(bare);
  state.set_q(std::vector<double>{0.3, 0.7});
  Eigen::Matrix2d M, rotors;
  ASSERT_TRUE(bodies.mass_matrix(state, M.data()));
  rotors << J, J * N, J * N, J * N * N;
  const Eigen::Vector2d vdot = (M + rotors).inverse() * Eigen::Vector2d(3, -1);
  EXPECT_NEAR(s.acceleration()[0], vdot[0], 1e-11);
  EXPECT_NEAR(s.acceleration()[1], vdot[1], 1e-11);
}

// Checks an elastic joint whose axis is fixed in the world: its rotor body moves like a motor that
// is not a body.
TEST(RotorBody, OfAnElasticJointOnTheGroundEqualsItsMotor) {
  RobotDescription robot = arm();
  Drive& drive = robot.links[0].joint.drives.emplace_back();
  drive.motor = rotor(2e-4, -50, false);
  drive.motor.friction = {
      .law = Friction::Law::coulomb, .viscous = 0.1, .coulomb = 0.4, .breakaway = 0.6};
  drive.elasticity = Elasticity{.stiffness = 300, .cubic = 100, .damping = 2};
  const auto reduced = build(robot);
  robot.links[0].joint.drives[0].motor.body = true;
  const auto whole = build(robot);
  ASSERT_EQ(whole->n_v, 3);
  for (const char* solver : every_solver) {
    Simulation a(reduced, solver_factory(solver), Integrator::dormand_prince, 1e-2),
        b(whole, solver_factory(solver), Integrator::dormand_prince, 1e-2);
    a.set_gravity({0, -g, 0}), b.set_gravity({0, -g, 0});
    a.set_load({.tau = {3, -1}}), b.set_load({.tau = {3, 0, -1}});
    a.set_state(std::vector<double>{0.3, 0.7}, std::vector<double>{0.5, -1});
    a.set_motors(std::vector<double>{0.25}, std::vector<double>{0.4});
    b.set_state(std::vector<double>{0.3, -12.5, 0.7}, std::vector<double>{0.5, -20, -1});
    EXPECT_NEAR(a.energy().sum(), b.energy().sum(), 1e-12);
    for (int k = 0; k < 50; ++k) a.step(), b.step();
    EXPECT_NEAR(a.state().q()[0], b.state().q()[0], 1e-8) << solver;
    EXPECT_NEAR(a.state().q()[1], b.state().q()[2], 1e-8) << solver;
    EXPECT_NEAR(-50 * a.motor_q()[0], b.state().q()[1], 1e-6) << solver;
    for (const Work work : {Work::motors, Work::friction, Work::damping})
      EXPECT_NEAR(a.snapshot()[work], b.snapshot()[work], 1e-7) << solver << " " << name(work);
    EXPECT_NEAR(b.ledger_error(), 0, 1e-7);
  }
}

// Checks an elastic joint whose axis is parallel to that of the previous joint. The rotor has its
// own rate w, and T = v^T M v / 2 + J (v1 + w)^2 / 2. Spring and motor act on the rotor with the
// factor 1/N.
TEST(RotorBody, OfAnElasticJointCouplesToThePreviousLink) {
  const double J = 2e-3, N = 10, k = 40, x = 0.7 - 6.0 / N;
  RobotDescription robot = arm();
  const auto bare = build(robot);
  robot.links[1].joint.drives = {
      Drive{.elasticity = Elasticity{.stiffness = k}, .motor = rotor(J, N, true)}};
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, 0, 0});
  s.set_load({.tau = {3, -1, 0}});
  s.set_state(std::vector<double>{0.3, 0.7, 6}, std::vector<double>{0, 0, 0});
  Solver bodies = solver_factory()(bare);
  State state(bare);
  state.set_q(std::vector<double>{0.3, 0.7});
  Eigen::Matrix2d M;
  ASSERT_TRUE(bodies.mass_matrix(state, M.data()));
  Eigen::Matrix3d whole = Eigen::Matrix3d::Zero();
  whole.topLeftCorner<2, 2>() = M;
  whole(0, 0) += J, whole(0, 2) = whole(2, 0) = whole(2, 2) = J;
  const Eigen::Vector3d vdot = whole.inverse() * Eigen::Vector3d(3, -k * x, (k * x - 1) / N);
  for (Eigen::Index c = 0; c < 3; ++c) EXPECT_NEAR(s.acceleration()[size_t(c)], vdot[c], 1e-10);
  // The motion must tend to that of a rigid joint with the same rotor if k is large.
  const auto gap = [&](double stiffness) {
    RobotDescription rigid = arm(), elastic = arm();
    rigid.links[1].joint.drives = {Drive{.motor = rotor(J, N, true)}};
    elastic.links[1].joint.drives = {
        Drive{.elasticity = Elasticity{.stiffness = stiffness, .damping = 2e-3 * stiffness},
              .motor = rotor(J, N, true)}};
    List ends;
    for (const RobotDescription& each : {rigid, elastic}) {
      Simulation run(build(each), solver_factory(), Integrator::dirk, 0.1, {1e-10, 1e-11});
      run.set_gravity({0, -g, 0});
      run.set_state(List{0.3, 0.7, 7}, List{0, 0, 0});
      for (int step = 0; step < 5; ++step) run.step();
      ends.push_back(run.state().q()[0]);
    }
    return std::abs(ends[1] - ends[0]);
  };
  EXPECT_NEAR(gap(1e4) / gap(1e5), 10, 1);
}

// Checks the gyroscopic torque of the rotor of the third joint. At q = 0, the axes are z, x, y and
// meet in one point. T contains J (v1 sin q2 + N v3)^2 / 2, and I3 v1 sin q2 v3 for the ball of
// inertia I3. Therefore
//   (I2 + I3) vdot2 = (J N + I3) v1 v3
TEST(RotorBody, IsAGyroscope) {
  const double J = 3e-3, N = 20, I2 = 0.2, I3 = 0.05, v1 = 0.7, v3 = 1.5;
  RobotDescription robot;
  robot.name = "gimbal";
  const Vec3<double> axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  const double I[] = {0.3, I2, I3};
  for (size_t i = 0; i < 3; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i + 1);
    link.parent = i == 0 ? "" : robot.links.back().name;
    link.joint.name = "joint" + std::to_string(i + 1);
    link.joint.kind = JointKind::revolute;
    link.joint.placement = ScrewPlacement{.axis = axes[i]};
    link.inertia = inertia_about_com(1, {0, 0, 0}, {I[i], I[i], I[i], 0, 0, 0});
    robot.links.push_back(link);
  }
  const auto vdot2 = [&](bool body) {
    robot.links[2].joint.drives = {{.motor = rotor(J, N, body)}};
    Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
    std::vector<double> q(size_t(s.model().n_q), 0.0), v{v1, 0, v3};
    if (body) v.push_back(N * v3);
    s.set_state(q, v);
    return s.acceleration()[1];
  };
  EXPECT_NEAR(vdot2(true), (J * N + I3) * v1 * v3 / (I2 + I3), 1e-12);
  // An armature has no axis, so it has no gyroscopic torque.
  EXPECT_NEAR(vdot2(false), I3 * v1 * v3 / (I2 + I3), 1e-12);
}

TEST(RotorBody, NeedsARevoluteJoint) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives = {{.motor = rotor(1, 1, true)}};
  EXPECT_THAT([&] { (void)build(robot); },
              testing::ThrowsMessage<Error>(
                  "joint 'rail': its rotor is a body and the joint is not revolute"));
}

}  // namespace
}  // namespace torsor::test
