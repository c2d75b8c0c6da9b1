// Tests of controllers that are sampled at their own rate. Between samples their torques are
// constant. The reference is the recursion of a mass under constant forces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

Control sampled_every(double period,
                      const std::function<void(const Measured&, std::span<double> tau)>& law) {
  const auto function = [law](const Measured& at, double, std::span<const double>,
                              const ControlLaw::Answer& out) { law(at, out.tau); };
  return {.name = "law", .law = std::make_shared<FunctionLaw>(function), .period = period};
}

Control spring(double period) {
  return sampled_every(period, [](const Measured& at, std::span<double> tau) {
    tau[0] = -40 * at.q[0] - 6 * at.v[0];
  });
}

// Checks x+ = x + T v + T^2 u / 2 and v+ = v + T u with u = -40 x - 6 v, for periods longer and
// shorter than the step.
TEST(SampledControl, IsConstantBetweenSamples) {
  for (const double period : {0.01, 0.005, 0.02, 0.0137, 0.003}) {
    SCOPED_TRACE(period);
    double x = 0.5, v = 0, u = 0, t = 0;
    const double end = 0.9;
    for (int k = 0; t < end; ++k) {
      u = -40 * x - 6 * v;
      const double T = std::min(double(k + 1) * period, end) - t;
      x += T * v + T * T * u / 2, v += T * u;
      t += T;
    }
    for (const Integrator method : every_integrator()) {
      if (method == Integrator::euler || method == Integrator::semi_implicit_euler) continue;
      SCOPED_TRACE(name(method));
      Simulation s(build(slider()), solver_factory(), method, 0.01);
      Load load;
      load.controls = {spring(period)};
      s.set_load(load);
      s.set_state(List{0.5}, List{0});
      while (s.time() < end - 1e-9) s.step();
      // bdf is less accurate, because it restarts at order 1 at each change of the torque.
      const double tolerance = method == Integrator::bdf ? 1e-5 : 1e-10;
      EXPECT_NEAR(s.state().q()[0], x, tolerance);
      EXPECT_NEAR(s.state().v[0], v, tolerance);
      EXPECT_NEAR(s.ledger_error(), 0, 2 * tolerance);
    }
  }
}

TEST(SampledControl, IsEvaluatedOncePerPeriod) {
  List asked;
  Simulation s(build(slider()), solver_factory(), Integrator::rk4, 0.001);
  Load load;
  load.controls = {
      sampled_every(0.01, [&](const Measured& at, std::span<double>) { asked.push_back(at.t); })};
  s.set_load(load);
  asked.clear();
  s.set_state(List{0}, List{0});
  for (int k = 0; k < 1000; ++k) s.step();
  ASSERT_EQ(asked.size(), 101u);
  for (size_t k = 0; k < asked.size(); ++k) EXPECT_NEAR(asked[k], 0.01 * double(k), 1e-12);
}

TEST(SampledControl, ContinuesFromASnapshot) {
  const auto make = [] {
    Simulation s(build(slider()), solver_factory(), Integrator::dormand_prince, 0.01);
    Load load;
    load.controls = {spring(0.0137), spring(0.02)};
    load.controls[1].name = "other";
    s.set_load(load);
    s.set_state(List{0.5}, List{0});
    return s;
  };
  expect_forks_continue(make);
}

// Checks that a sampled torque overcomes static friction exactly at the time of its sample.
TEST(SampledControl, BreaksStictionAtItsTime) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives = {
      {.friction = {.law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 2}}};
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 0.01);
  Load load;
  load.controls = {
      sampled_every(0.1, [](const Measured& at, std::span<double> tau) { tau[0] = 10 * at.t; })};
  s.set_load(load);
  while (s.time() < 0.295) s.step();
  EXPECT_EQ(s.state().v[0], 0);
  while (s.time() < 0.5 - 1e-9) s.step();
  EXPECT_NEAR(s.state().v[0], 0.1 * (3 - 1) + 0.1 * (4 - 1), 1e-13);
  EXPECT_EQ(s.torque()[0], 5);
}

TEST(SampledControl, RejectsInvalidSettings) {
  const auto rejected = [](double period, double tau, bool passive) -> std::string {
    RobotDescription robot = slider();
    robot.links[0].joint.drives = {{.passive = passive}};
    try {
      Simulation s(build(robot), solver_factory(), Integrator::rk4, 0.01);
      Load load;
      load.controls = {
          sampled_every(period, [=](const Measured&, std::span<double> out) { out[0] = tau; })};
      s.set_load(load);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejected(0.01, 1, false), "");
  EXPECT_THAT(rejected(-1, 1, false), HasSubstr("both must be positive"));
  EXPECT_THAT(rejected(1e-6, 1, false), HasSubstr("a thousandth of the step"));
  EXPECT_THAT(rejected(std::nan(""), 1, false), HasSubstr("is nan s"));
  EXPECT_THAT(rejected(0.01, std::nan(""), false), HasSubstr("finite"));
  EXPECT_THAT(rejected(0.01, 1, true),
              HasSubstr("a torque for joint 'rail', but this joint is passive"));
}

}  // namespace
}  // namespace torsor::test
