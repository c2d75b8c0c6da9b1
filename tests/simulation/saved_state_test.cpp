// Whole states as bytes: a simulation that loads them goes on to the same bits; those of another are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// Two links: one elastic with bristles, one with stiction and a stop; all that a state can hold.
std::shared_ptr<const Model> mechanism(double stiffness = 500) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  Drive& first = robot.links[0].joint.drives.emplace_back();
  first.elasticity = Elasticity{.stiffness = stiffness, .cubic = 10, .damping = 2};
  first.motor = {.rotor_inertia = 1e-3, .gear_ratio = 10, .friction = {}};
  first.motor.friction.law = Friction::Law::lugre;
  first.motor.friction.coulomb = first.motor.friction.breakaway = 0.5;
  first.motor.friction.bristle_stiffness = 50;
  first.motor.friction.bristle_damping = 1;
  Drive& second = robot.links[1].joint.drives.emplace_back();
  second.friction = {
      .law = Friction::Law::stribeck, .viscous = 0.1, .coulomb = 1, .breakaway = 2, .decay = 5};
  second.stop = Stop{0.3};
  robot.links[1].joint.lower = -0.2;
  robot.links[1].joint.upper = 0.4;
  return build(robot);
}

Simulation swing(Integrator integrator, double dt = 1e-2, double stiffness = 500) {
  Simulation s(mechanism(stiffness), solver_factory(), integrator, is_adaptive(integrator) ? dt : dt / 10);
  s.set_gravity({0, -g, 0});
  s.set_state(std::vector<double>{0.4, 0.1}, std::vector<double>{0, 3});
  return s;
}

TEST(SavedState, GoesOnToTheSameBits) {
  for (const Integrator integrator : every_integrator()) {
    Simulation whole = swing(integrator), fork = swing(integrator);
    int changes = 0;
    for (int k = 0; whole.time() < 0.6; ++k) {
      const std::vector<std::byte> bytes = whole.save();
      const std::vector<double> modes = whole.snapshot().modes;
      whole.step();
      fork.load(bytes);
      fork.step();
      ASSERT_EQ(bits(fork.snapshot()), bits(whole.snapshot())) << name(integrator) << " step " << k;
      changes += modes != whole.snapshot().modes;
    }
    EXPECT_GT(changes, 0) << "nothing stuck, struck or let go: " << name(integrator);
  }
}

std::string error_of(Simulation& simulation, const std::vector<std::byte>& bytes) {
  const auto before = bits(simulation.snapshot());
  try {
    simulation.load(bytes);
  } catch (const torsor::Error& error) {
    EXPECT_EQ(bits(simulation.snapshot()), before);
    return error.what();
  }
  return "";
}

TEST(SavedState, OfAnotherIsRefused) {
  Simulation s = swing(Integrator::rk4);
  s.step();
  std::vector<std::byte> bytes = s.save();
  Simulation other_model = swing(Integrator::rk4, 1e-2, 501), other_dt = swing(Integrator::rk4, 2e-2);
  EXPECT_THAT(error_of(other_model, bytes), HasSubstr("another model"));
  EXPECT_THAT(error_of(other_dt, bytes), HasSubstr("another dt"));
  for (size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_NE(error_of(s, {bytes.begin(), bytes.begin() + long(size)}), "");
  bytes.push_back(std::byte{});
  EXPECT_THAT(error_of(s, bytes), HasSubstr("cut short, or has grown"));
  EXPECT_THAT(error_of(s, std::vector<std::byte>(1000)), HasSubstr("not a saved state"));
}

}  // namespace
}  // namespace torsor::test
