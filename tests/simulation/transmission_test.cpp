// Tests of stiffness matrices (KHALIL 7.34) and of transmissions whose Jacobian depends on q
// (KHALIL 7.31). The references are eigenvalues in closed form, Lagrange's equation of a
// slider-crank, and the motion of its crank in another coordinate.

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <array>
#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor::test::transmissions {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

RobotDescription arm() {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  for (size_t i = 0; i < 2; ++i) robot.links[i].joint.name = "joint" + std::to_string(i + 1);
  return robot;
}
template <class Change>
std::string build_error(const RobotDescription& valid, const Change& change) {
  RobotDescription robot = valid;
  change(robot);
  try {
    (void)build(robot);
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

RobotDescription elastic_arm(const std::vector<List>& k, const List& damping = {}) {
  RobotDescription robot = arm();
  for (size_t i = 0; i < 2; ++i)
    robot.links[i].joint.drives = {
        {.motor = {.rotor_inertia = 0.01, .gear_ratio = i == 0 ? 10.0 : 5.0, .friction = {}}}};
  robot.stiffnesses = {{.joints = {"joint1", "joint2"}, .matrix = k, .damping = damping}};
  return robot;
}

// At q = 0, M = {{5, 2}, {2, 1}} and I_a = diag(1, 0.25). Without gravity, the deflection e = q -
// theta obeys
//   e'' = -B e,  B = (M^-1 + I_a^-1) k,  M^-1 + I_a^-1 = {{2, -2}, {-2, 9}}
// The squares of the frequencies are the eigenvalues of B:
//   w^2 = (tr B -+ sqrt((tr B)^2 - 4 det B)) / 2
// A small deflection along an eigenvector oscillates as cos w t.
TEST(Stiffness, NormalModesAreThoseOfMassAndStiffness) {
  const std::vector<List> k{{400, 150}, {150, 100}};
  const double C[2][2] = {{2, -2}, {-2, 9}};
  double B[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) B[i][j] = C[i][0] * k[0][size_t(j)] + C[i][1] * k[1][size_t(j)];
  const double trace = B[0][0] + B[1][1], det = B[0][0] * B[1][1] - B[0][1] * B[1][0];
  const auto model = build(elastic_arm(k));
  for (const double sign : {-1.0, 1.0}) {
    const double w2 = (trace + sign * std::sqrt(trace * trace - 4 * det)) / 2, w = std::sqrt(w2);
    const double e0 = 1e-7, e1 = e0 * (w2 - B[0][0]) / B[0][1];
    // The total momenta are zero: M q + I_a theta = 0. With e = (M^-1 + I_a^-1) p, q = M^-1 p.
    const double det_C = C[0][0] * C[1][1] - C[0][1] * C[1][0],
                 p0 = (C[1][1] * e0 - C[0][1] * e1) / det_C,
                 p1 = (C[0][0] * e1 - C[1][0] * e0) / det_C;
    const double q0 = p0 - 2 * p1, q1 = -2 * p0 + 5 * p1;
    Simulation s(model, solver_factory(), Integrator::dormand_prince, 1e-3, {1e-13, 1e-19});
    s.set_gravity({0, 0, 0});
    s.set_state(List{q0, q1}, List{0, 0});
    s.set_motors(List{q0 - e0, q1 - e1}, List{0, 0});
    EXPECT_NEAR(s.energy().elastic, 0.5 * (400 * e0 * e0 + 300 * e0 * e1 + 100 * e1 * e1), 1e-25);
    double worst = 0;
    while (s.time() < 20 * 2 * M_PI / w) {
      s.step();
      worst = std::max(worst,
                       std::abs((s.state().q()[0] - s.motor_q()[0]) / e0 - std::cos(w * s.time())));
    }
    EXPECT_LT(worst, 1e-9) << "w = " << w;
    std::printf("stiffness matrix: w = %.6f rad/s, deviation %.1e after 20 periods\n", w, worst);
  }
}

TEST(Stiffness, KeepsTheLedgerClosed) {
  for (const List& damping : {List{}, List{0.5, 0.2}}) {
    for (const char* solver : {"articulated_body", "newton_euler", "lie_group"}) {
      Simulation s(build(elastic_arm({{400, 150}, {150, 100}}, damping)), solver_factory(solver),
                   Integrator::dormand_prince, 1e-2, {1e-11, 1e-12});
      s.set_gravity({0, -g, 0});
      s.set_load({.tau = {3, -1}});
      s.set_state(List{0.3, 0.7}, List{0.5, -1});
      const double start = s.energy().sum();
      while (s.time() < 3) s.step();
      EXPECT_NEAR(s.ledger_error(), 0, 1e-8) << solver;
      EXPECT_GT(std::abs(s.energy().sum() - start), 0.1);
    }
  }
}

// At rest under gravity, k e = -g(q): the springs carry the weight.
TEST(Stiffness, DeflectsByTheComplianceAtRest) {
  RobotDescription robot = elastic_arm({{400, 150}, {150, 100}}, {20, 10});
  for (LinkDescription& link : robot.links)
    link.joint.drives[0].motor.friction = {
        .law = Friction::Law::coulomb, .viscous = 1, .coulomb = 100, .breakaway = 200};
  Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 0.05);
  s.set_gravity({0, -g, 0});
  s.set_state(List{0.1, 0.2}, List{0, 0});
  while (s.time() < 30) s.step();
  const double q1 = s.state().q()[0], q12 = q1 + s.state().q()[1],
               tau1 = g * (2 * std::cos(q1) + std::cos(q12)), tau2 = g * std::cos(q12);
  const double e0 = q1 - s.motor_q()[0], e1 = s.state().q()[1] - s.motor_q()[1];
  EXPECT_NEAR(400 * e0 + 150 * e1, -tau1, 1e-6);
  EXPECT_NEAR(150 * e0 + 100 * e1, -tau2, 1e-6);
}

// Checks that a diagonal matrix equals a spring at each joint.
TEST(Stiffness, OfADiagonalMatrixEqualsSprings) {
  RobotDescription apart = elastic_arm({{400, 0}, {0, 100}});
  apart.stiffnesses.clear();
  apart.links[0].joint.drives[0].elasticity = Elasticity{.stiffness = 400};
  apart.links[1].joint.drives[0].elasticity = Elasticity{.stiffness = 100};
  const auto end = [](const RobotDescription& robot) {
    Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
    s.set_gravity({0, -g, 0});
    for (int k = 0; k < 200; ++k) s.step();
    return s.state_hash();
  };
  EXPECT_EQ(end(apart), end(elastic_arm({{400, 0}, {0, 100}})));
  EXPECT_NE(end(apart), end(elastic_arm({{400, 1}, {1, 100}})));
}

TEST(Stiffness, RejectsInvalidMatrices) {
  const RobotDescription valid = elastic_arm({{400, 150}, {150, 100}});
  const auto error = [&](auto change) {
    return build_error(valid, [&](RobotDescription& r) { change(r, r.stiffnesses[0]); });
  };
  using R = RobotDescription;
  using S = StiffnessDescription;
  EXPECT_EQ(error([](R&, S& s) { s.matrix[0][1] = 140; }),
            "stiffness matrix: it is not symmetric: entry (1, 2) is 140, and (2, 1) is 150");
  EXPECT_EQ(error([](R&, S& s) {
              s.matrix = {{1, 2}, {2, 1}};
            }),
            "stiffness matrix: it is not positive definite: its smallest eigenvalue is -1, so some "
            "deflection would have no restoring torque");
  EXPECT_THAT(error([](R&, S& s) { s.matrix = {{1, 1}, {1, 1}}; }), HasSubstr("not positive"));
  EXPECT_EQ(error([](R&, S& s) { s.matrix.pop_back(); }),
            "stiffness matrix: it must have 2 rows of 2 numbers, one for each joint");
  EXPECT_EQ(error([](R&, S& s) {
              s.matrix[1] = {1, 2, 3};
            }),
            "stiffness matrix: it must have 2 rows of 2 numbers, one for each joint");
  EXPECT_EQ(error([](R&, S& s) { s.matrix[1][0] = s.matrix[0][1] = NAN; }),
            "stiffness matrix: entry (1, 2) is not a finite number");
  EXPECT_EQ(error([](R&, S& s) { s.joints[1] = "jiont2"; }),
            "stiffness matrix: the robot has no joint 'jiont2'; did you mean 'joint2'?");
  EXPECT_EQ(error([](R&, S& s) { s.joints[1] = "joint1"; }),
            "stiffness matrix: joint 'joint1' is listed twice; list it once");
  EXPECT_EQ(error([](R& r, S&) { r.links[0].joint.drives.clear(); }),
            "stiffness matrix: joint 'joint1' has no motor with an inertia; give it motor = { "
            "rotor_inertia = .. }");
  EXPECT_EQ(error([](R& r, S&) { r.links[0].joint.drives[0].motor.body = true; }),
            "stiffness matrix: joint 'joint1' has a rotor that is a body; remove body = true");
  EXPECT_EQ(error([](R&, S& s) { s.damping = {1}; }),
            "stiffness matrix: damping has 1 entries for 2 joints; give one for each");
  EXPECT_EQ(error([](R&, S& s) {
              s.damping = {1, -1};
            }),
            "stiffness matrix: damping is -1; it must be a finite number, not negative");
}

// The slider-crank with a crank of radius r and a rod of length l. The position of the slider is
//   x(phi) = r cos phi + sqrt(l^2 - r^2 sin^2 phi)
// so cos phi = (x^2 + r^2 - l^2) / (2 r x). The Jacobian dx / dphi is a function of x.
constexpr double r = 0.3, l = 0.8;

struct Crank {
  double phi, slope, curvature;  // phi(x), dx / dphi and d2x / dphi2
};
Crank crank_at(double x) {
  const double phi = std::acos((x * x + r * r - l * l) / (2 * r * x));
  const double s = std::sin(phi), c = std::cos(phi), root = std::sqrt(l * l - r * r * s * s);
  const double slope = -r * s - r * r * s * c / root;
  const double curvature =
      -r * c - r * r * (c * c - s * s) / root - std::pow(r * r * s * c, 2) / std::pow(root, 3);
  return {phi, slope, curvature};
}

struct CrankLaw final : TransmissionLaw {
  void evaluate(std::span<const double> q, std::span<const double> v, std::span<double> J,
                std::span<double> J_dot) const override {
    const Crank at = crank_at(q[0]);
    J[0] = at.slope;
    J_dot[0] = at.curvature * v[0] / at.slope;
  }
  uint64_t fingerprint() const override { return 1; }
  std::vector<std::string> expressions(std::span<const std::string>) const override { return {}; }
};

constexpr double J_m = 0.05;

RobotDescription slider_crank(double damping = 0) {
  RobotDescription robot = slider();
  robot.transmissions = {{.joints = {"rail"},
                          .jacobian = {},
                          .motors = {{.rotor_inertia = J_m, .friction = {}}},
                          .source = "scene.lua:7",
                          .law = std::make_shared<CrankLaw>()}};
  if (damping > 0)
    robot.transmissions[0].motors[0].friction = {.law = Friction::Law::coulomb, .viscous = damping};
  return robot;
}

// Lagrange's equation of the slider: m(x) x'' + m'(x) x'^2 / 2 = f, with
//   m(x) = 1 + J_m / S^2,   m'(x) = -2 J_m S' / S^4,   S = dx / dphi, S' = d2x / dphi2
TEST(VaryingTransmission, AccelerationIsThatOfLagrange) {
  const auto model = build(slider_crank());
  for (const char* solver : {"articulated_body", "newton_euler", "lie_group"})
    for (const double x : {0.55, 0.7, 0.9, 1.05})
      for (const double v : {0.0, 0.7, -2.0}) {
        Simulation s(model, solver_factory(solver), Integrator::rk4, 1e-3);
        s.set_gravity({0, 0, 0});
        s.set_load({.tau = {1.3}});
        s.set_state(List{x}, List{v});
        const Crank at = crank_at(x);
        const double S2 = at.slope * at.slope, m = 1 + J_m / S2,
                     dm = -2 * J_m * at.curvature / (S2 * S2);
        const double expected = (1.3 - 0.5 * dm * v * v) / m;
        EXPECT_NEAR(s.acceleration()[0], expected, 1e-13 * (1 + std::abs(expected)));
        EXPECT_NEAR(s.energy().kinetic, 0.5 * m * v * v, 1e-14 * (1 + m * v * v));
        const auto split = s.torque_split();
        EXPECT_NEAR(split.inertial[0], m * expected, 1e-13 * (1 + m * std::abs(expected)));
        EXPECT_NEAR(split.centrifugal[0], 0.5 * dm * v * v, 1e-12 * (1 + std::abs(dm) * v * v));
        EXPECT_EQ(split.coriolis[0], 0);
        EXPECT_NEAR(s.joint_torque()[0], expected, 1e-12 * (1 + std::abs(expected)));  // 1 kg
        EXPECT_NEAR(s.motor_torque()[0], 1.3 * at.slope, 1e-15);
      }
}

// The same mechanism in the angle of the crank, integrated by an own Runge-Kutta method:
//   (J_m + S^2) phi'' + S S' phi'^2 = tau_m
TEST(VaryingTransmission, MotionIsThatOfTheCrank) {
  const auto acceleration = [](double phi, double rate) {
    const double s = std::sin(phi), c = std::cos(phi), root = std::sqrt(l * l - r * r * s * s);
    const double S = -r * s - r * r * s * c / root;
    const double dS =
        -r * c - r * r * (c * c - s * s) / root - std::pow(r * r * s * c, 2) / std::pow(root, 3);
    return (0.04 - S * dS * rate * rate) / (J_m + S * S);
  };
  Simulation s(build(slider_crank()), solver_factory(), Integrator::dormand_prince, 0.01,
               {1e-12, 1e-13});
  s.set_gravity({0, 0, 0});
  s.set_load({.tau = {0}, .motor_tau = {0.04}});
  double phi = 0.6, rate = 0.5;
  const double root = std::sqrt(l * l - r * r * std::sin(phi) * std::sin(phi)),
               x0 = r * std::cos(phi) + root;
  s.set_state(List{x0}, List{crank_at(x0).slope * rate});
  const double h = 1e-4;
  for (int k = 0; k < 10000; ++k) {
    const double k1 = acceleration(phi, rate), r2 = rate + h / 2 * k1,
                 k2 = acceleration(phi + h / 2 * rate, r2), r3 = rate + h / 2 * k2,
                 k3 = acceleration(phi + h / 2 * r2, r3), r4 = rate + h * k3,
                 k4 = acceleration(phi + h * r3, r4);
    phi += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
    rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  while (s.time() < 1 - 1e-9) s.step();
  ASSERT_GT(phi, 1);
  ASSERT_LT(phi, 3);
  EXPECT_NEAR(crank_at(s.state().q()[0]).phi, phi, 1e-9);
  EXPECT_NEAR(s.state().v[0] / crank_at(s.state().q()[0]).slope, rate, 1e-9);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-11);
}

// Polynomial entries that depend on both joints: no function q_m(q) exists.
TransmissionDescription coupled(const Friction& friction = {}) {
  using Entry = JacobianEntry;
  return {.joints = {"joint1", "joint2"},
          .jacobian = {},
          .motors = {{.rotor_inertia = 0.4, .friction = friction},
                     {.rotor_inertia = 0.1, .friction = friction}},
          .source = "",
          .law = make_law({{Entry::polynomial(1, {0.5, 0.05, 0.02}), Entry::polynomial(0, {0.4})},
                           {Entry::polynomial(0, {0.5, 0.1}),
                            Entry::table(1, {-8, -3, 0, 4, 9}, {-0.5, -0.6, -0.5, -0.45, -0.7})}})};
}

// Checks (M + A) vdot + C v + g + W^T J_m Wdot v = tau at a state, with Wdot by central differences
// of the inverse of J.
TEST(VaryingTransmission, AccelerationIsThatOfTheFullMassMatrix) {
  RobotDescription robot = arm();
  const auto bare = build(robot);
  robot.transmissions = {coupled()};
  const auto model = build(robot);
  const Eigen::Vector2d q(0.3, 0.7), v(0.5, -1);
  const auto W = [&](const Eigen::Vector2d& at) {
    Transmissions transmissions(model);
    transmissions.evaluate(List{at[0], at[1]}, List{0, 0});
    Eigen::Matrix2d J;
    const auto entries = transmissions.inverse(0);
    J << entries[0], entries[1], entries[2], entries[3];
    return J;
  };
  const Eigen::Matrix2d W0 = W(q), J_m2 = Eigen::Vector2d(0.4, 0.1).asDiagonal();
  const double h = 1e-5;
  const Eigen::Matrix2d W_dot = (W(q + h * v) - W(q - h * v)) / (2 * h);
  EXPECT_NEAR(W0.inverse()(0, 0), 0.5 + 0.05 * 0.7 + 0.02 * 0.49, 1e-14);
  EXPECT_NEAR(W0.inverse()(1, 0), 0.53, 1e-14);
  for (const char* solver : {"articulated_body", "newton_euler", "lagrange_christoffel"}) {
    Simulation s(model, solver_factory(solver), Integrator::rk4, 1e-3);
    s.set_gravity({0, -g, 0});
    s.set_load({.tau = {3, -1}});
    s.set_state(List{q[0], q[1]}, List{v[0], v[1]});
    Solver bodies = solver_factory(solver)(bare);
    State state(bare);
    state.set_gravity({0, -g, 0});
    state.set_q(List{q[0], q[1]});
    state.v = {v[0], v[1]};
    Eigen::Matrix2d M;
    Eigen::Vector2d bias;
    ASSERT_TRUE(bodies.mass_matrix(state, M.data()));
    ASSERT_TRUE(bodies.bias(state, bias.data()));
    const Eigen::Vector2d vdot =
        (M + W0.transpose() * J_m2 * W0).inverse() *
        (Eigen::Vector2d(3, -1) - bias - W0.transpose() * J_m2 * W_dot * v);
    EXPECT_NEAR(s.acceleration()[0], vdot[0], 1e-8) << solver;
    EXPECT_NEAR(s.acceleration()[1], vdot[1], 1e-8) << solver;
    const auto split = s.torque_split();
    for (size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(split.inertial[i] + split.centrifugal[i] + split.coriolis[i] + split.gravity[i],
                  s.torque()[i], 1e-11);
  }
}

TEST(VaryingTransmission, KeepsTheLedgerClosed) {
  const Friction lugre{.law = Friction::Law::lugre,
                       .viscous = 0.05,
                       .coulomb = 0.1,
                       .breakaway = 0.15,
                       .decay = 2,
                       .bristle_stiffness = 50,
                       .bristle_damping = 0.5};
  for (const Friction& friction :
       {Friction{}, Friction{.law = Friction::Law::coulomb, .viscous = 0.2}, lugre}) {
    RobotDescription robot = arm();
    robot.transmissions = {coupled(friction)};
    Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 1e-2, {1e-11, 1e-12});
    s.set_gravity({0, -g, 0});
    s.set_load({.tau = {3, -1}, .motor_tau = {0.2, 0.1}});
    s.set_state(List{0.3, 0.7}, List{0.5, -1});
    double largest = 0;
    while (s.time() < 2) {
      s.step();
      largest = std::max(largest, s.energy().kinetic);
    }
    EXPECT_GT(largest, 5);
    // Bristles store energy that the ledger counts as lost to friction.
    EXPECT_NEAR(s.ledger_error(), 0, 1e-8 * largest);
  }
}

// Checks that a law with constant entries equals a constant Jacobian, also with friction, a stop
// and limited motors.
TEST(VaryingTransmission, OfAConstantLawEqualsTheConstantOne) {
  RobotDescription constant = arm();
  Motor motor{.rotor_inertia = 0.4,
              .friction = {.law = Friction::Law::piecewise_linear,
                           .viscous = 0.1,
                           .coulomb = 0.3,
                           .transition = 0.1}};
  motor.torque_constant = 0.5, motor.resistance = 1, motor.max_voltage = 4;
  constant.transmissions = {{.joints = {"joint1", "joint2"},
                             .jacobian = {{0.7, 0.31}, {0.43, -0.9}},
                             .motors = {motor, motor},
                             .source = ""}};
  constant.links[1].joint.upper = 0.9;
  constant.links[1].joint.drives = {{.stop = Stop{0.4}}};
  RobotDescription law = constant;
  std::vector<std::vector<JacobianEntry>> entries;
  for (const List& row : constant.transmissions[0].jacobian) {
    entries.emplace_back();
    for (const double x : row) entries.back().push_back(JacobianEntry::polynomial(0, {x}));
  }
  law.transmissions[0].jacobian.clear();
  law.transmissions[0].law = make_law(std::move(entries));
  const auto run = [](const RobotDescription& robot, bool at_shaft) {
    Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 0.01, {1e-12, 1e-13});
    s.set_gravity({0, -g, 0});
    List tau{0, 0};
    if (!at_shaft) Transmissions(s.models()[0]).add_motor_torques(List{0.7, -0.4}, tau);
    s.set_load({.tau = tau, .motor_tau = at_shaft ? List{0.7, -0.4} : List{}});
    s.set_state(List{0.3, 0.5}, List{0.5, 2});
    while (s.time() < 2) s.step();
    EXPECT_NEAR(s.ledger_error(), 0, 1e-7);
    return List{s.state().q()[0], s.state().q()[1], s.state().v[0], s.state().v[1],
                s.motor_torque()[0]};
  };
  const List expected = run(constant, false), found = run(law, true);
  for (size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-8);
}

TEST(VaryingTransmission, NamesTheJointsAtASingularity) {
  RobotDescription robot = slider();
  robot.transmissions = {{.joints = {"rail"},
                          .jacobian = {},
                          .motors = {{.rotor_inertia = 1e-6, .friction = {}}},
                          .source = "scene.lua:7",
                          .law = make_law({{JacobianEntry::polynomial(0, {0, 1})}})}};
  const auto failure = [&](double q, double v) -> std::string {
    Simulation s(build(robot), solver_factory(), Integrator::semi_implicit_euler, 0.05);
    s.set_gravity({0, 0, 0});
    try {
      s.set_state(List{q}, List{v});
      for (int k = 0; k < 40; ++k) s.step();
      (void)s.acceleration();
    } catch (const Error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(
      failure(0, 1),
      HasSubstr("scene.lua:7: transmission: its jacobian is singular at, or shortly before, "
                "rail = 0: there no finite rate of the motors moves the joints; keep the "
                "joints away from this position"));
  EXPECT_EQ(failure(0.5, 1), "none");
  // The joint jumps across the singularity within a step.
  EXPECT_THAT(failure(0.23, -1), HasSubstr("is singular at, or shortly before, rail = -0.0"));
  robot.transmissions[0].law = make_law({{JacobianEntry::table(0, {0, 1, 2}, {1, 2, 2})}});
  EXPECT_THAT(failure(1.5, 1), HasSubstr("its jacobian is not a finite number at rail = 2"));
  EXPECT_THAT(failure(1.5, 1), HasSubstr("entry (1, 1) is the spline of 3 values over rail from 0 "
                                         "to 2; keep the joints where it is defined"));
}

TEST(VaryingTransmission, RejectsInvalidDescriptions) {
  RobotDescription valid = arm();
  valid.transmissions = {coupled()};
  EXPECT_EQ(build_error(valid,
                        [](RobotDescription& r) {
                          r.transmissions[0].motors[1].friction = {
                              .law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 1};
                        }),
            "transmission: its jacobian depends on q and a motor has static friction, which needs "
            "a constant jacobian; use the law piecewise_linear or lugre");
  EXPECT_EQ(build_error(valid, [](RobotDescription& r) { r.transmissions[0].motors.pop_back(); }),
            "transmission: it has 2 joints and 1 motors; give one motor for each joint");
  EXPECT_THROW((void)JacobianEntry::table(0, {0, 1}, {1, 2}), Error);
  EXPECT_THROW((void)JacobianEntry::table(0, {0, 1, 1}, {1, 2, 3}), Error);
  EXPECT_THROW((void)JacobianEntry::table(0, {0, 1, 2}, {1, 2}), Error);
  EXPECT_THROW((void)JacobianEntry::table(0, {0, 1, 2}, {1, 2, NAN}), Error);
}

// The natural spline through sin x has an error of fourth order away from its ends, and passes
// through its nodes.
TEST(VaryingTransmission, SplinesApproachTheirFunction) {
  const auto worst = [](int intervals) {
    List x, y;
    for (int k = 0; k <= intervals; ++k) {
      x.push_back(M_PI * k / intervals);
      y.push_back(std::sin(x.back()));
    }
    const JacobianEntry spline = JacobianEntry::table(0, x, y);
    EXPECT_NEAR(spline.at(x[3]).first, y[3], 1e-15);
    double out = 0, slope = 0;
    for (double at = 0; at <= 3.14; at += 0.01) {
      out = std::max(out, std::abs(spline.at(at).first - std::sin(at)));
      slope = std::max(slope, std::abs(spline.at(at).second - std::cos(at)));
    }
    EXPECT_LT(slope, 30 * out * intervals);
    return out;
  };
  // sin'' = 0 at both ends, so the natural end conditions are exact.
  EXPECT_NEAR(worst(20) / worst(40), 16, 1);
}

}  // namespace
}  // namespace torsor::test::transmissions
