// Tests of gears, racks and cables: closed-form motions and multipliers.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor::test {
namespace {

constexpr double until = 0.5;

// Adds a body of inertia J about z, or of mass J along z, on an axis through (x, 0, 0).
void add_shaft(RobotDescription& robot, const std::string& name, JointKind kind, double J,
               double x = 0, const std::string& parent = "") {
  LinkDescription link;
  link.name = name + "_link";
  link.parent = parent;
  link.joint.name = name;
  link.joint.kind = kind;
  link.joint.placement = ScrewPlacement{.X_PL = translation<double>({x, 0, 0})};
  link.inertia = inertia_about_com(J, {0, 0, 0}, {J, J, J, 0, 0, 0});
  robot.links.push_back(link);
}

RobotDescription named(const char* name) {
  RobotDescription robot;
  robot.name = name;
  return robot;
}

// Returns a run of constant torques until the time `until`, without gravity.
Simulation turned(const RobotDescription& robot, const std::vector<double>& tau,
                  const Vec3<double>& gravity = {0, 0, 0}) {
  Simulation run(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  run.set_gravity(gravity);
  Load load;
  load.tau = tau;
  run.set_load(load);
  const Model& model = run.model();
  run.set_state(neutral(model), std::vector<double>(size_t(model.n_v), 0.0));
  while (run.time() < until - 1e-9) run.step();
  return run;
}

// The positions of a gear do not drift apart, also at large angles, and also if a prescribed motion
// drives it.
TEST(Gear, DoesNotDrift) {
  RobotDescription robot = named("gears");
  add_shaft(robot, "a", JointKind::revolute, 2);
  add_shaft(robot, "b", JointKind::revolute, 5, 1);
  robot.closures = {
      {.name = "mesh", .kind = ClosureKind::gear, .parameter = 1.0 / 3, .joints = {"a", "b"}}};
  for (const bool prescribed : {false, true}) {
    Simulation run(build(robot), solver_factory(), Integrator::rk4, 1e-3);
    Load load;
    load.tau = {0, prescribed ? 0.0 : 1.0};
    if (prescribed)
      load.prescriptions.push_back(
          {.joint = run.model().joint("b"),
           .motion = [](double t, std::span<double> v, std::span<double> vdot) {
             v[0] = 3000 + std::sin(t);
             vdot[0] = std::cos(t);
           }});
    run.set_load(load);
    run.set_state(std::vector<double>{0, 0}, std::vector<double>{1000, 3000});
    for (int k = 0; k < 20'000; ++k) run.step();
    EXPECT_GT(run.state().q()[1], 5e4);
    EXPECT_LT(std::abs(run.state().q()[0] - run.state().q()[1] / 3), 4e-16 * run.state().q()[1]);
    EXPECT_EQ(run.state().v[0], run.state().v[1] * (1.0 / 3));
  }
}

// A second gear that repeats the first one, up to the digits of its ratio, changes nothing.
TEST(Gear, MayBeRepeated) {
  RobotDescription robot = named("gears");
  add_shaft(robot, "a", JointKind::revolute, 2);
  add_shaft(robot, "b", JointKind::revolute, 5, 1);
  robot.closures = {
      {.name = "mesh", .kind = ClosureKind::gear, .parameter = 0.7, .joints = {"a", "b"}}};
  const Simulation once = turned(robot, {4, 100});
  robot.closures.push_back({.name = "again",
                            .kind = ClosureKind::gear,
                            .parameter = 1.42857142857,
                            .joints = {"b", "a"}});
  const Simulation twice = turned(robot, {4, 100});
  EXPECT_GT(once.state().q()[1], 1);
  EXPECT_NEAR(once.state().q()[1], twice.state().q()[1], 1e-9);
}

// Three slides of 1 kg: a cable holds x1 and x2 together, and two closures hold x1 and x3, and x2
// and x3. One of the three conditions is redundant. The forces move the bodies, and have the least
// norm with G_ii = 2: 6 N on x1 give 2 m/s^2 each.
TEST(Cable, SharesForcesWithLoops) {
  RobotDescription robot = named("slides");
  for (const char* name : {"x1", "x2", "x3"}) {
    add_shaft(robot, name, JointKind::prismatic, 1);
    robot.frames.push_back(
        {name + std::string("_frame"), robot.links.back().name, Pose<double>::identity(), ""});
  }
  robot.closures = {
      {.name = "band", .kind = ClosureKind::cable, .joints = {"x1", "x2"}, .radii = {1, -1}}};
  for (const char* name : {"x1", "x2"})
    robot.closures.push_back({.name = name + std::string("_x3"),
                              .kind = ClosureKind::point_on_plane,
                              .frames = {name + std::string("_frame"), "x3_frame"}});
  Simulation run = turned(robot, {6, 0, 0});
  for (const double vdot : run.acceleration()) EXPECT_NEAR(vdot, 2, 1e-12);
  const std::vector<Wrench<double>> F = run.closure_wrenches();
  // The forces on x1, x2 and x3; the cable pulls x1 by -T and x2 by T.
  const double T = F[0].f.z, f13 = F[1].f.z, f23 = F[2].f.z;
  EXPECT_NEAR(6 - T - f13, 2, 1e-12);
  EXPECT_NEAR(T - f23, 2, 1e-12);
  EXPECT_NEAR(f13 + f23, 2, 1e-12);
}

// The inertia of rotors behind a transmission that depends on q follows the position: the energy is
// that of the integrator's order, and a restored run has the same bits.
TEST(Gear, MayHaveATransmissionThatDependsOnQ) {
  RobotDescription robot = named("arm");
  add_shaft(robot, "a", JointKind::revolute, 2);
  add_shaft(robot, "b", JointKind::revolute, 5, 1);
  add_shaft(robot, "c", JointKind::revolute, 3, 2);
  robot.closures = {
      {.name = "mesh", .kind = ClosureKind::gear, .parameter = 0.5, .joints = {"c", "b"}}};
  const auto entry = [](size_t of, std::vector<double> coefficients) {
    return JacobianEntry::polynomial(of, std::move(coefficients));
  };
  robot.transmissions = {
      {.joints = {"a", "b"},
       .jacobian = {},
       .motors = {{.rotor_inertia = 0.8, .friction = {}}, {.rotor_inertia = 0.6, .friction = {}}},
       .source = "",
       .law = make_law(
           {{entry(0, {2, 0.3, 0.2}), entry(0, {0})}, {entry(0, {0}), entry(1, {1, 0.4, 0.3})}})}};
  const auto model = build(robot);
  const auto start = [&](Integrator integrator) {
    Simulation run(model, solver_factory(), integrator, 1e-2, {1e-11, 1e-12});
    run.set_gravity({0, 0, 0});
    run.set_state(std::vector<double>{0.1, 0.2, 0.1}, std::vector<double>{1, 2, 1});
    return run;
  };
  Simulation run = start(Integrator::dormand_prince);
  for (int k = 0; k < 50; ++k) run.step();
  EXPECT_LT(std::abs(run.ledger_error()), 1e-9 * run.energy().kinetic);
  Simulation again = start(Integrator::dormand_prince);
  again.restore(run.snapshot());
  for (int k = 0; k < 50; ++k) run.step(), again.step();
  EXPECT_EQ(state_hash(run.snapshot()), state_hash(again.snapshot()));
}

// a = -3 b: (9 J_a + J_b) b'' = -3 tau_a + tau_b. The gear has the torque J_a a'' - tau_a on a.
TEST(Gear, SharesTheTorque) {
  RobotDescription robot = named("gears");
  add_shaft(robot, "a", JointKind::revolute, 2);
  add_shaft(robot, "b", JointKind::revolute, 5, 1);
  robot.closures = {
      {.name = "mesh", .kind = ClosureKind::gear, .parameter = -3, .joints = {"a", "b"}}};
  Simulation run = turned(robot, {4, 100});
  const double rate = (-3 * 4 + 100) / (9 * 2 + 5.0);
  EXPECT_NEAR(run.state().v[1], rate * until, 1e-12);
  EXPECT_NEAR(run.state().q()[1], rate * until * until / 2, 1e-12);
  EXPECT_NEAR(run.state().q()[0], -3 * run.state().q()[1], 1e-14);
  const Wrench<double> F = run.closure_wrenches()[0];
  EXPECT_NEAR(F.n.z, -3 * rate * 2 - 4, 1e-11);
  EXPECT_EQ(F.f.z, 0);
  EXPECT_LT(std::abs(run.ledger_error()), 1e-10);
}

// Coordinates of revolute joints count turns: after 300 turns the gear is still at its ratio.
TEST(Gear, CountsTurns) {
  RobotDescription robot = named("gears");
  add_shaft(robot, "a", JointKind::revolute, 1);
  add_shaft(robot, "b", JointKind::revolute, 1, 1);
  robot.closures = {{.name = "mesh",
                     .kind = ClosureKind::gear,
                     .parameter = 2,
                     .joints = {"a", "b"},
                     .offset = 0.25}};
  Simulation run(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  run.set_state(std::vector<double>{0.25, 0}, std::vector<double>{4000, 2000});
  for (int k = 0; k < 1000; ++k) run.step();
  EXPECT_NEAR(run.state().q()[1], 2000, 1e-9);
  EXPECT_NEAR(run.state().q()[0], 4000.25, 1e-9);
  EXPECT_LT(std::abs(run.closure_errors()[0]), 1e-11);
}

// x = r theta: (m + J / r^2) x'' = tau / r + f. The rack feels J-independent force m x'' - f.
TEST(Rack, MovesByTheRadius) {
  RobotDescription robot = named("rack");
  add_shaft(robot, "rack", JointKind::prismatic, 3);
  add_shaft(robot, "pinion", JointKind::revolute, 0.2, 1);
  robot.closures = {
      {.name = "mesh", .kind = ClosureKind::rack, .parameter = 0.1, .joints = {"rack", "pinion"}}};
  Simulation run = turned(robot, {7, 2});
  const double rate = (2 / 0.1 + 7) / (3 + 0.2 / 0.01);
  EXPECT_NEAR(run.state().v[0], rate * until, 1e-12);
  EXPECT_NEAR(run.state().q()[0], 0.1 * run.state().q()[1], 1e-15);
  EXPECT_NEAR(run.closure_wrenches()[0].f.z, 3 * rate - 7, 1e-11);
}

// Atwood's machine: a = g (m_2 - m_1) / (m_1 + m_2), tension 2 m_1 m_2 g / (m_1 + m_2). A mass that
// rises shortens its side of the cable.
TEST(Cable, HasTheTensionOfAtwoodsMachine) {
  RobotDescription robot = named("atwood");
  add_shaft(robot, "left", JointKind::prismatic, 3);
  add_shaft(robot, "right", JointKind::prismatic, 5, 1);
  robot.closures = {{.name = "rope",
                     .kind = ClosureKind::cable,
                     .joints = {"left", "right"},
                     .radii = {-1, -1},
                     .offset = -0.5}};
  Simulation run(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  run.set_gravity({0, 0, -g});
  run.set_state(std::vector<double>{0.2, 0.3}, std::vector<double>{0, 0});
  while (run.time() < until - 1e-9) run.step();
  EXPECT_NEAR(run.state().v[0], g * 2 / 8 * until, 1e-12);
  EXPECT_NEAR(run.state().q()[0] + run.state().q()[1], 0.5, 1e-14);
  EXPECT_NEAR(run.closure_wrenches()[0].f.z, 2 * 15 * g / 8, 1e-11);
}

// Willis' equation of a planetary gear: (sun - carrier) z_sun = -(ring - carrier) z_ring, with a
// planet on the carrier that meshes with both. The third gear follows from the other two.
TEST(PlanetaryGear, HasTheRatesOfWillis) {
  constexpr double z_sun = 20, z_planet = 16, z_ring = 52;
  RobotDescription robot = named("planetary");
  add_shaft(robot, "sun", JointKind::revolute, 0.1);
  add_shaft(robot, "carrier", JointKind::revolute, 0.5);
  add_shaft(robot, "ring", JointKind::revolute, 2);
  add_shaft(robot, "planet", JointKind::revolute, 0.05, 0.3, "carrier_link");
  robot.links[2].joint.placement = ScrewPlacement{.axis = {0, 0, -1}};  // a reversed axis
  robot.closures = {{.name = "inner",
                     .kind = ClosureKind::gear,
                     .parameter = -z_planet / z_sun,
                     .joints = {"sun", "planet"},
                     .carrier = "carrier"},
                    {.name = "outer",
                     .kind = ClosureKind::gear,
                     .parameter = -z_planet / z_ring,
                     .joints = {"ring", "planet"},
                     .carrier = "carrier"}};
  for (const bool redundant : {false, true}) {
    if (redundant)
      robot.closures.push_back({.name = "both",
                                .kind = ClosureKind::gear,
                                .parameter = z_ring / z_sun,
                                .joints = {"sun", "ring"},
                                .carrier = "carrier"});
    Simulation run = turned(robot, {1, -3, 2, 0});
    const auto v = run.state().v;
    EXPECT_NEAR((v[0] - v[1]) * z_sun, -(-v[2] - v[1]) * z_ring, 1e-11);
    EXPECT_NEAR((v[0] - v[1]) * z_sun, -v[3] * z_planet, 1e-11);
    // Lagrange, with sun s and carrier c as coordinates.
    const double k = z_sun / z_ring, p = z_sun / z_planet;
    // ring (about its reversed axis) = k (s - c) - c, planet = -p (s - c) relative to the carrier
    const double m_s[] = {1, 0}, m_c[] = {0, 1}, m_r[] = {k, -k - 1}, m_p[] = {-p, p + 1};
    const double bodies[] = {0.1, 0.5 + 0.05 * 0.09, 2, 0.05};
    const double* rows[] = {m_s, m_c, m_r, m_p};
    double H[2][2] = {}, f[2] = {1 + 2 * k, -3 + 2 * (-k - 1)};
    for (int b = 0; b < 4; ++b)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) H[i][j] += bodies[b] * rows[b][i] * rows[b][j];
    const double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    EXPECT_NEAR(v[0], until * (H[1][1] * f[0] - H[0][1] * f[1]) / det, 1e-10);
    EXPECT_NEAR(v[1], until * (H[0][0] * f[1] - H[1][0] * f[0]) / det, 1e-10);
  }
}

// A gear whose pinion is a coordinate of a cylindrical joint, between robots of a world.
TEST(Gear, CouplesRobotsOfAWorld) {
  RobotDescription left = named("left"), right = named("right");
  add_shaft(left, "tube", JointKind::cylindrical, 2);
  add_shaft(right, "shaft", JointKind::revolute, 1, 1);
  ModelBuilder builder;
  builder.add(left);
  builder.add(right);
  builder.close({.name = "mesh",
                 .kind = ClosureKind::gear,
                 .parameter = 2,
                 .joints = {"left.tube.angle", "right.shaft"}});
  Simulation run(builder.build(), solver_factory(), Integrator::rk4, 1e-3);
  run.set_gravity({0, 0, 0});
  run.set_state(std::vector<double>{0, 0, 0}, std::vector<double>{2, 0.5, 1});
  for (int k = 0; k < 500; ++k) run.step();
  EXPECT_NEAR(run.state().q()[0], 1, 1e-12);
  EXPECT_NEAR(run.state().q()[1], 0.25, 1e-12);
  EXPECT_NEAR(run.state().q()[2], 0.5, 1e-12);
}

}  // namespace
}  // namespace torsor::test
