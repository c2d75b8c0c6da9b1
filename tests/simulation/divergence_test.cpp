// Tests of the message about a motion that diverges: the numbers of the joint, and the explanation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string failure_of(Simulation& simulation) {
  try {
    for (int k = 0; k < 100000; ++k) simulation.step();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Checks the bound against the energy of the bodies. Velocities up to 1e140 are small enough for
// robots of this size. The bound must reject every larger velocity whose energy may exceed 1e300 J,
// also at the largest positions, where joints that slide make the robot longer.
class KineticBoundAt : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Positions, KineticBoundAt, testing::Values(3, 9e5));

TEST_P(KineticBoundAt, IsAboveTheEnergy) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto model = build(random_robot(12, TreeShape::tree, seed, RandomKinds::every));
    const KineticBound bound({model}, Mechanism(*model));
    Random random(seed);
    State state(model);
    const std::vector<double> q = random_position(random, *model, GetParam()),
                              direction = random_values(random, model->n_v, 1);
    state.set_q(q);
    double accepted = 0;
    for (double scale = 1; scale < 1e160; scale *= 2) {
      for (size_t k = 0; k < direction.size(); ++k) state.v[k] = scale * direction[k];
      if (!bound.is_small(q, state.v, {})) break;
      accepted = scale;
      EXPECT_LT(kinetic_energy(state), 1e300) << "seed " << seed;
    }
    EXPECT_GT(accepted, 1e100) << "seed " << seed;
    for (const double bad : {double(INFINITY), -double(INFINITY), double(NAN), 1e7}) {
      std::vector<double> far = q;
      far.back() = bad;
      std::ranges::fill(state.v, 0.1);
      EXPECT_TRUE(bound.is_small(q, state.v, {}));
      EXPECT_FALSE(bound.is_small(far, state.v, {}));
      state.v.back() = bad;
      EXPECT_EQ(bound.is_small(q, state.v, {}), bad == 1e7);
      EXPECT_EQ(bound.is_small(q, std::vector{0.0}, std::vector{bad}), bad == 1e7);
    }
  }
}

// Checks a damper of 1e5 N s/m on 1 kg. Its rate is 1e5 1/s, so explicit Euler is stable for steps
// up to 2e-5 s.
TEST(Divergence, ReportsAStepThatIsTooLongForADamper) {
  Simulation simulation(build(slider(1e5)), solver_factory(), Integrator::euler, 1e-3);
  simulation.set_state(std::vector<double>{0}, std::vector<double>{1});
  EXPECT_THAT(
      failure_of(simulation),
      AllOf(ContainsRegex("joint 'rail' accelerates most, at -?[0-9]"),
            HasSubstr("its inertia is 1 kg"), HasSubstr("its stiffness 0 N/m"),
            HasSubstr("its damping 1e+05 N s/m"),
            HasSubstr(
                "dt = 0.001 s is 50 times too long for the fastest rate of the motion, 1e+05 1/s"),
            HasSubstr("try a smaller dt, below 2e-05 s"), Not(HasSubstr("more damping"))));
}

// Checks a spring of 1e8 N/m on 1 kg. Its eigenvalues are imaginary with the rate 1e4 1/s, so rk4
// is stable for steps up to about 2.8e-4 s.
TEST(Divergence, ReportsAStepThatIsTooLongForASpring) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].spring = {.stiffness = 1e8};
  Simulation simulation(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  simulation.set_state(std::vector<double>{1}, std::vector<double>{0});
  EXPECT_THAT(failure_of(simulation), AllOf(HasSubstr("its stiffness 1e+08 N/m"),
                                            HasSubstr("the fastest rate of the motion, 1e+04 1/s"),
                                            HasSubstr("below 0.00028 s")));
}

// Checks the message about a control that pushes in the direction of motion. The step is short
// enough, and the message must show the negative damping.
TEST(Divergence, ReportsAControlThatAddsEnergy) {
  const auto model = build(slider());
  for (const double period : {0.0, 0.01}) {
    Simulation simulation(model, solver_factory(), Integrator::rk4, 1e-2);
    Load load;
    const auto law = [](const Measured& at, double, std::span<const double>,
                        const ControlLaw::Answer& out) { out.tau[0] = 30 * at.v[0]; };
    load.controls = {
        {.name = "push", .robot = 0, .law = std::make_shared<FunctionLaw>(law), .period = period}};
    simulation.begin(load, std::vector<double>{0}, std::vector<double>{1});
    const std::string failure = failure_of(simulation);
    EXPECT_THAT(failure,
                AllOf(HasSubstr("joint 'rail' accelerates most"), HasSubstr("try a smaller dt")));
    if (period > 0)
      EXPECT_THAT(failure, HasSubstr("raise the rate of the sampled control 'slider.push'"));
    else
      EXPECT_THAT(failure, AllOf(HasSubstr("is short enough"), HasSubstr("its damping -30 N s/m")));
  }
}

// Checks that fastest_rate() does not change the simulation: the next steps have the same bits.
TEST(Divergence, TheFastestRateDoesNotChangeTheSimulation) {
  RobotDescription robot = slider(3);
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0] = {
      .friction = {.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 3},
      .spring = {.stiffness = 100}};
  const auto model = build(robot);
  const auto advanced = [&](bool asked) {
    Simulation simulation(model, solver_factory(), Integrator::rk4, 1e-3);
    simulation.set_state(std::vector<double>{1}, std::vector<double>{0});
    for (int k = 0; k < 300; ++k) {
      if (asked && k % 50 == 0) simulation.fastest_rate();
      simulation.step();
    }
    return simulation.save();
  };
  EXPECT_EQ(advanced(true), advanced(false));
}

// Checks the message about explicit Euler, which amplifies an undamped oscillation at any dt: by (1
// + omega^2 dt^2)^(1/2) per step.
TEST(Divergence, ReportsThatEulerAddsEnergyToOscillations) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].spring = {.stiffness = 100};
  Simulation simulation(build(robot), solver_factory(), Integrator::euler, 0.1);
  simulation.set_state(std::vector<double>{1}, std::vector<double>{0});
  EXPECT_NEAR(simulation.fastest_rate().value(), 10, 1e-4);
  EXPECT_THAT(failure_of(simulation),
              AllOf(HasSubstr("'euler' adds energy to every oscillation"),
                    HasSubstr("try the integrator 'rk4'"), Not(HasSubstr("look for a force"))));
}

// Checks the message about a control that pushes away from 0, f = 900 q. The motion grows as exp(30
// t).
TEST(Divergence, ExplainsANegativeStiffness) {
  Simulation simulation(build(slider()), solver_factory(), Integrator::rk4, 1e-2);
  Load load;
  const auto law = [](const Measured& at, double, std::span<const double>,
                      const ControlLaw::Answer& out) { out.tau[0] = 900 * at.q[0]; };
  load.controls = {
      {.name = "push", .robot = 0, .law = std::make_shared<FunctionLaw>(law), .period = 0}};
  simulation.begin(load, std::vector<double>{0.1}, std::vector<double>{0});
  EXPECT_THAT(
      failure_of(simulation),
      HasSubstr("its stiffness -900 N/m (negative: gravity or another force drives the joint away "
                "from its position)"));
}

}  // namespace
}  // namespace torsor::test
