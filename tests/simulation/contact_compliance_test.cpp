// Tests of compliant contacts in time stepping, against closed forms of springs and dampers, and
// against rigid contacts.

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "simulation/contact_scenes.hpp"
#include "support/error_of.hpp"

namespace torsor::test {
namespace {

// Returns a box of 2 kg whose lower face is at a height, on a plane of a material.
Simulation box_on(const ContactMaterial& ground, double height, double dt = 1e-3) {
  RobotDescription robot;
  robot.name = "r";
  add_box(robot, "box", 2, {0.4, 0.4, 0.2}, {});
  return started(on_plane(robot, ground), dt, {0, 0, 0.1 + height, 1, 0, 0, 0},
                 std::vector<double>(6, 0.0));
}

// A box on four points sinks by m g / (4 k). This is where it remains, and where it comes to rest.
TEST(CompliantContact, ABoxSinksByItsWeight) {
  constexpr double k = 3000, sunk = 2 * g / (4 * k);
  for (const double damping : {0.0, 60.0}) {
    Simulation run = box_on({.stiffness = k, .damping = damping}, -sunk);
    for (int step = 0; step < 1000; ++step) run.step();
    EXPECT_NEAR(run.state().q()[2], 0.1 - sunk, 1e-13) << damping;
    const std::vector<ContactForce> forces = run.contact_forces();
    ASSERT_EQ(forces.size(), 4u);
    for (const ContactForce& each : forces) EXPECT_NEAR(std::abs(each.f_W.z), 2 * g / 4, 1e-8);
    EXPECT_NEAR(run.energy().elastic, 4 * k * sunk * sunk / 2, 1e-12);
  }
  Simulation falls = box_on({.stiffness = k, .damping = 60}, 0.01);
  for (int step = 0; step < 5000; ++step) falls.step();
  EXPECT_NEAR(falls.state().q()[2], 0.1 - sunk, 1e-12);
}

// Two balls in free space, of which the second one is at rest, and their impact. With the reduced
// mass m and the stiffness k and damping d of both surfaces in series, the compression x follows
//   m x'' = -k x - d x',   x(0) = 0,  x'(0) = v
struct BallImpact {
  double k_1, d_1, k_2, d_2;

  static constexpr double m_1 = 0.8, m_2 = 2, gap = 0.013, v = 1.7, end = 0.1;
  double m() const { return m_1 * m_2 / (m_1 + m_2); }
  double k() const { return k_1 * k_2 / (k_1 + k_2); }
  double d() const { return d_1 * std::pow(k() / k_1, 2) + d_2 * std::pow(k() / k_2, 2); }

  struct Result {
    double duration, speed;  // time of contact, and the speed after / before it
    double elastic;          // the largest elastic energy, J
    double work, error;      // of contacts, and of the ledger, J
    double kinetic_loss;     // J
  };
  Result run(double dt) const {
    RobotDescription robot;
    robot.name = "r";
    add_ball(robot, "a", m_1, 0.1, {.stiffness = k_1, .damping = d_1});
    add_ball(robot, "b", m_2, 0.1, {.stiffness = k_2, .damping = d_2});
    ModelBuilder builder;
    builder.add(robot);
    Simulation run =
        started(builder.build(), dt, {0, 0, 0, 1, 0, 0, 0, 0.2 + gap, 0, 0, 1, 0, 0, 0},
                {0, 0, 0, v, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0});
    const double start = run.energy().kinetic;
    double elastic = 0;
    while (run.time() < end) {
      run.step();
      elastic = std::max(elastic, run.energy().elastic);
    }
    const double rate = run.state().v[9] - run.state().v[3],
                 now = run.state().q()[7] - run.state().q()[0] - 0.2;
    EXPECT_GT(now, 0);
    EXPECT_NEAR(m_1 * run.state().v[3] + m_2 * run.state().v[9], m_1 * v, 1e-12);
    return {run.time() - now / rate - gap / v, rate / v,           elastic,
            run.snapshot()[Work::contact],     run.ledger_error(), start - run.energy().kinetic};
  }
};

// Without damping, the force is half a sine: it lasts pi sqrt(m / k), and the balls keep their
// energy.
TEST(CompliantContact, AnUndampedImpactIsHalfASine) {
  const BallImpact impact{.k_1 = 3000, .d_1 = 0, .k_2 = 9000, .d_2 = 0};
  const double duration = M_PI * std::sqrt(impact.m() / impact.k());
  const double energy = impact.m() * impact.v * impact.v / 2;
  const auto relative = [&](auto member, double exact) {
    expect_order_one(8e-4, [&](double dt) { return std::abs(impact.run(dt).*member / exact - 1); });
  };
  relative(&BallImpact::Result::duration, duration);
  relative(&BallImpact::Result::speed, 1);
  relative(&BallImpact::Result::elastic, energy);
  expect_order_one(8e-4, [&](double dt) { return std::abs(impact.run(dt).error) / energy; });
  // No force of a damper, no work of contacts: the ledger shows what the method itself removes.
  for (const double dt : {8e-4, 1e-4}) EXPECT_NEAR(impact.run(dt).work, 0, 1e-12);
}

// The force k x + d x' of the damping ratio zeta = d / (2 sqrt(m k)) becomes zero at the phase
// w t = pi - 2 alpha, sin alpha = zeta, w = sqrt(k / m) cos alpha. The speed then is
//   e = exp(-zeta (pi - 2 alpha) / cos alpha)
// The surfaces do not pull, so that the contact ends here, before x is zero.
TEST(CompliantContact, DampingDecidesTheRebound) {
  for (const double zeta : {0.05, 0.3, 0.8}) {
    SCOPED_TRACE(zeta);
    BallImpact impact{.k_1 = 3000, .d_1 = 0, .k_2 = 9000, .d_2 = 0};
    const double d = 2 * zeta * std::sqrt(impact.m() * impact.k());
    // Both surfaces have a part in the damping.
    impact.d_1 = 0.3 * d * std::pow(impact.k_1 / impact.k(), 2);
    impact.d_2 = 0.7 * d * std::pow(impact.k_2 / impact.k(), 2);
    EXPECT_NEAR(impact.d(), d, 1e-12);
    const double alpha = std::asin(zeta),
                 e = std::exp(-zeta * (M_PI - 2 * alpha) / std::cos(alpha)),
                 energy = impact.m() * impact.v * impact.v / 2;
    expect_order_one(8e-4, [&](double dt) { return std::abs(impact.run(dt).speed - e); });
    // The damper does the work that the balls lose, and the method none.
    const BallImpact::Result finest = impact.run(1e-5);
    EXPECT_NEAR(finest.work / energy, e * e - 1, 2e-4);
    EXPECT_NEAR(finest.work + finest.kinetic_loss, -finest.error, 1e-12);
    EXPECT_LT(std::abs(finest.error), 1e-5 * energy);
  }
}

// A ball falls on a spring, and flies up again. With w = sqrt(k / m), x = g (1 - cos w t) / w^2 +
// v sin(w t) / w is zero again at w t = 2 (pi - atan(v w / g)).
TEST(CompliantContact, ABallBouncesInGravity) {
  constexpr double k = 4000, height = 0.3, flight = 0.1;
  const double w = std::sqrt(k), v = std::sqrt(2 * g * height),
               end = v / g + 2 / w * (M_PI - std::atan(v * w / g)) + flight;
  expect_order_one(6e-4, [&](double dt) {
    RobotDescription robot;
    robot.name = "r";
    add_ball(robot, "ball", 1, 0.1, {});
    dt = end / std::round(end / dt);
    Simulation run = started(on_plane(robot, {.stiffness = k}), dt,
                             {0, 0, 0.1 + height, 1, 0, 0, 0}, std::vector<double>(6, 0.0));
    while (run.time() < end - dt / 2) run.step();
    return std::abs(run.state().q()[2] - 0.1 - v * flight + g * flight * flight / 2);
  });
}

// A ball on a surface that is stiff for the step does not rebound, whatever the phase of its impact
// in the step, and comes to rest where a rigid one does. An impact at v leaves the compression
// m v / (h k), which the next step removes with the speed m v / (h^2 k).
TEST(CompliantContact, StiffSurfacesAreRigid) {
  for (const double damping : {0.0, 1e3, 1e8})
    for (int phase = 0; phase < 10; ++phase) {
      RobotDescription robot;
      robot.name = "r";
      add_ball(robot, "ball", 1, 0.1, {});
      Simulation run =
          started(on_plane(robot, {.stiffness = 1e12, .damping = damping}), 1e-3,
                  {0, 0, 0.11 + 3e-4 * phase, 1, 0, 0, 0}, std::vector<double>(6, 0.0));
      double fastest = 0;
      for (int step = 0; step < 1000; ++step) {
        run.step();
        fastest = std::max(fastest, run.state().v[5]);
      }
      const double v = std::sqrt(2 * g * (0.01 + 3e-4 * phase));
      EXPECT_LT(fastest, 1.01 * (v + 1e-3 * g) / (1e-6 * 1e12));
      EXPECT_NEAR(run.state().q()[2], 0.1, 1e-9);
    }
}

// A block that slides under a changing load: its normal force and its way approach those of rigid
// contact like 1 / k, at the same step.
TEST(CompliantContact, ConvergesToRigidContactLikeOneOverK) {
  const auto way = [](double k, double damping) {
    Simulation run = box_on({.stiffness = k, .damping = damping}, 0);
    Load load;
    load.wrench_of_time = {{run.model().frame("box"), [](double t) {
                              return Wrench<double>{{0, 0, 0}, {0, 0, 8 * std::sin(9 * t)}};
                            }}};
    run.begin(load, std::vector<double>{0, 0, 0.1, 1, 0, 0, 0},
              std::vector<double>{0, 0, 0, 6, 0, 0});
    for (int step = 0; step < 700; ++step) run.step();
    return run.state().q()[0];
  };
  const double rigid = way(0, 0);
  for (const double time : {0.0, 0.01}) {  // d / k
    std::vector<double> errors;
    for (const double k : {1e5, 1e6, 1e7, 1e8})
      errors.push_back(std::abs(way(k, time * k) - rigid));
    EXPECT_LT(errors[0], 1e-2);
    for (size_t k = 1; k < errors.size(); ++k)
      EXPECT_NEAR(errors[k] / errors[k - 1], 0.1, 0.02) << errors[k - 1] << " " << errors[k];
  }
}

// Below the angle of friction, a block tilts on its springs, and does not creep. Without damping,
// errors of the constraint solver, 1e-12, keep it rocking by 1e-11 rad.
TEST(CompliantContact, ABlockOnAnInclineDoesNotCreep) {
  for (const auto& [damping, tolerance] : {std::pair{0.0, 3e-11}, {100.0, 1e-12}}) {
    Simulation run = block_in_steps(0.4, {.mu = 0.45, .stiffness = 1e4, .damping = damping});
    for (int step = 0; step < 10000; ++step) run.step();
    expect_no_creep(run, 5000, tolerance);
  }
}

// A prescribed motion presses two surfaces into each other: the force is that of the spring and the
// damper. Rigid surfaces have none.
TEST(CompliantContact, APrescribedMotionCompressesIt) {
  const auto press = [](const ContactMaterial& ground, double t) {
    LinkDescription link;
    link.name = "press";
    link.joint.name = "lift";
    link.joint.kind = JointKind::prismatic;
    link.joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
    link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    link.collisions = {{.shape = {ShapeKind::sphere, {0.1, 0, 0}}}};
    RobotDescription robot;
    robot.name = "r";
    robot.links = {link};
    const auto model = on_plane(robot, ground);
    Simulation run(model, solver_factory(), Integrator::time_stepping, 1e-3);
    Load load;
    load.prescriptions = {
        {model->joint("lift"), [](double, std::span<double> v, std::span<double> vdot) {
           v[0] = -0.2;
           vdot[0] = 0;
         }}};
    run.set_load(load);
    run.set_state(std::vector<double>{0.1005}, std::vector<double>{-0.2});
    while (run.time() < t - 1e-9) run.step();
    return force_of_world(run).z;
  };
  // The force is the mean over a step, of which the compression is that in the middle.
  EXPECT_NEAR(press({.stiffness = 2000, .damping = 50}, 0.02), 2000 * (0.2 * 0.0205 - 0.0005) + 10,
              1e-9);
  EXPECT_THAT(error_of([&] { press({}, 0.02); }),
              testing::HasSubstr("prescribed or held joints move"));
}

// Surfaces that are compliant bounce without restitution next to rigid ones with it. The work of
// springs does not reduce the restitution of other points.
TEST(CompliantContact, LeavesTheRestitutionOfOtherPoints) {
  RobotDescription robot;
  robot.name = "r";
  add_ball(robot, "soft", 1, 0.1, {.stiffness = 1e3});
  add_ball(robot, "hard", 1, 0.1, {.restitution = 0.9});
  robot.collision_pairs = {{.names = {"soft", "hard"}, .collide = false}};
  // While the first ball is thrown up by its spring, the second one strikes.
  Simulation run =
      started(on_plane(robot, {}), 1e-3, {0, 0, 0.1 - 0.05, 1, 0, 0, 0, 1, 0, 0.12, 1, 0, 0, 0},
              {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2});
  double rebound = 0;
  for (int step = 0; step < 20; ++step) {
    run.step();
    rebound = std::max(rebound, run.state().v[11]);
  }
  EXPECT_GT(run.state().v[5], 0.5);
  const double struck = std::sqrt(4 + 2 * g * 0.02);
  EXPECT_NEAR(rebound, 0.9 * struck, 0.03);
}

TEST(CompliantContact, OtherIntegratorsRejectIt) {
  RobotDescription robot;
  robot.name = "r";
  add_ball(robot, "ball", 1, 0.1, {.stiffness = 1e3});
  const auto model = on_plane(robot, {});
  EXPECT_EQ(error_of([&] { Simulation(model, solver_factory(), Integrator::rk4, 1e-3); }),
            "the contact of 'ball_1' and 'floor' has a stiffness, and only the integrator "
            "time_stepping has compliant contacts; choose it, or set the stiffness to 0");
}

}  // namespace
}  // namespace torsor::test
