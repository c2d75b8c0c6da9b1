// Tests of amplifiers: inputs, and limits of current and voltage (KHALIL 9.4). The references are
// closed forms of a motor with a rigid load.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor::test::amplifiers {
namespace {

using List = std::vector<double>;

constexpr double N = 20, K_T = 0.05, R = 1.25, V_max = 24, J_m = 2e-3, load = 1;

Motor motor() {
  Motor out;
  out.rotor_inertia = J_m, out.gear_ratio = N;
  out.torque_constant = K_T, out.amplifier_gain = 2, out.resistance = R;
  return out;
}
// A load of 1 kg m^2 without gravity, driven by the motor.
Simulation driven(const Motor& motor, double tau, double damping = 0) {
  RobotDescription robot = pendulum(damping);
  robot.links[0].joint.drives = {{.motor = motor}};
  Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 1e-2, {1e-12, 1e-13});
  s.set_gravity({0, 0, 0});
  s.set_load({.tau = {tau}});
  return s;
}

// At full voltage, (I + N^2 J_m) v' = N K_T (V - K_T N v) / R - D v. The rate approaches
//   v = N K_T V / (R D + (N K_T)^2),  with the rate (N K_T)^2 / R + D over the inertia
TEST(Amplifier, VoltageLeadsToTheSpeedOfTheClosedForm) {
  Motor limited = motor();
  limited.max_voltage = V_max;
  const double k = N * K_T, inertia = load + N * N * J_m;
  for (const double D : {0.0, 0.3}) {
    Simulation s = driven(limited, 1e4, D);
    const double v_end = k * V_max / (R * D + k * k), rate = (k * k / R + D) / inertia;
    while (s.time() < 2) {
      s.step();
      EXPECT_NEAR(s.state().v[0], v_end * (1 - std::exp(-rate * s.time())), 1e-9);
      EXPECT_NEAR(s.motor_voltage()[0], V_max, 1e-12);
      EXPECT_TRUE(s.is_saturated(0));
    }
    while (s.time() < 60) s.step();
    EXPECT_NEAR(s.state().v[0], v_end, 1e-9);
    if (D == 0) {
      EXPECT_NEAR(s.state().v[0] * N, V_max / K_T, 1e-7);  // no-load speed
    }
    EXPECT_NEAR(s.ledger_error(), 0, 1e-7);
  }
}

TEST(Amplifier, CurrentClampsTheTorqueExactly) {
  Motor limited = motor();
  limited.max_current = 7;
  for (const double sign : {1.0, -1.0}) {
    limited.gear_ratio = sign * N;
    Simulation s = driven(limited, 100);
    EXPECT_EQ(s.torque()[0], N * (K_T * 7));
    EXPECT_EQ(s.motor_current()[0], sign * 7);
    EXPECT_EQ(s.motor_input()[0], sign * 3.5);
    for (int k = 0; k < 100; ++k) s.step();
    EXPECT_NEAR(s.state().v[0], N * K_T * 7 / (load + N * N * J_m), 1e-12);
    s.change_torque(List{-100});
    EXPECT_EQ(s.torque()[0], -N * (K_T * 7));
    s.change_torque(List{2});
    EXPECT_EQ(s.torque()[0], 2);
    EXPECT_FALSE(s.is_saturated(0));
    EXPECT_NEAR(s.motor_voltage()[0], sign * (R * 2 / (N * K_T) + K_T * N * s.state().v[0]), 1e-12);
  }
  // The smaller limit of input and current applies: |i| <= K_a u_max.
  limited.gear_ratio = N, limited.max_input = 1.5;
  EXPECT_EQ(driven(limited, 100).torque()[0], N * (K_T * 3));
}

// Beyond the no-load speed, the back-EMF drives a current even if no torque is requested. The limit
// of the current applies only where the voltage can enforce it.
TEST(Amplifier, BackEmfBrakesBeyondTheNoLoadSpeed) {
  Motor limited = motor();
  limited.max_voltage = V_max;
  limited.max_current = 1;
  const double no_load = V_max / (K_T * N);
  const auto torque = [&](double v, double tau) {
    Simulation s = driven(limited, tau);
    s.set_state(List{0}, List{v});
    return s.torque()[0];
  };
  EXPECT_EQ(torque(no_load - 2, 0), 0);
  EXPECT_EQ(torque(no_load - 2, 5), N * K_T);
  EXPECT_NEAR(torque(no_load - 1, 5), N * K_T * (K_T * N / R), 1e-13);
  EXPECT_NEAR(torque(no_load + 0.5, 0), -N * K_T * (0.5 * K_T * N / R), 1e-13);
  EXPECT_NEAR(torque(no_load + 4, -5), -N * K_T * (4 * K_T * N / R), 1e-13);
  EXPECT_NEAR(torque(-no_load - 4, 5), N * K_T * (4 * K_T * N / R), 1e-13);
}

// The motor of an elastic joint, and a rotor that is a body, are limited at their own rates.
TEST(Amplifier, OfElasticJointsDependsOnTheRateOfTheMotor) {
  for (const bool body : {false, true}) {
    RobotDescription robot = pendulum();
    Motor limited = motor();
    limited.max_voltage = V_max, limited.body = body;
    robot.links[0].joint.drives = {
        {.elasticity = Elasticity{.stiffness = 300, .damping = 1}, .motor = limited}};
    Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 1e-2, {1e-11, 1e-12});
    s.set_gravity({0, 0, 0});
    s.set_load({.tau = body ? List{100, 0} : List{100}});
    for (int k = 0; k < 40; ++k) {
      s.step();
      const double shaft = body ? s.state().v[1] : N * s.motor_v()[0];
      EXPECT_NEAR(s.torque()[0], N * K_T * (V_max - K_T * shaft) / R, 1e-9);
    }
    EXPECT_NEAR(s.ledger_error(), 0, 1e-6);
  }
}

TransmissionDescription differential(const Motor& a, const Motor& b) {
  return {.joints = {"joint1", "joint2"},
          .jacobian = {{0.05, 0.05}, {0.05, -0.05}},
          .motors = {a, b},
          .source = ""};
}

// Each motor of a transmission is limited by itself. The torques of the others stay.
TEST(Amplifier, LimitsEachMotorOfATransmission) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  for (size_t i = 0; i < 2; ++i) robot.links[i].joint.name = "joint" + std::to_string(i + 1);
  Motor weak = motor(), strong = motor();
  weak.gear_ratio = strong.gear_ratio = 1;
  weak.max_current = 3, strong.max_voltage = V_max;
  robot.transmissions = {differential(weak, strong)};
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, 0, 0});
  s.set_load({.tau = {10, 4}});
  // tau_m = J^T tau: (0.7, 0.3) without limits
  EXPECT_NEAR(s.motor_torque()[0], K_T * 3, 1e-15);
  EXPECT_NEAR(s.motor_torque()[1], 0.3, 1e-15);
  EXPECT_NEAR(s.motor_current()[0], 3, 1e-13);
  EXPECT_TRUE(s.is_saturated(0));
  EXPECT_FALSE(s.is_saturated(1));
  // v_m = J^-1 v: the second motor turns at 10 (v1 - v2) = 400 rad/s.
  s.set_state(List{0, 0}, List{20, -20});
  EXPECT_NEAR(s.motor_torque()[1], K_T * (V_max - K_T * 400) / R, 1e-12);
  EXPECT_NEAR(s.motor_voltage()[1], V_max, 1e-12);
}

TEST(Amplifier, RejectsImpossibleConstants) {
  const auto error = [](auto change) {
    RobotDescription robot = pendulum();
    robot.links[0].joint.name = "hinge";
    robot.links[0].joint.drives.resize(1);
    change(robot.links[0].joint.drives[0].motor);
    try {
      (void)build(robot);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  using testing::HasSubstr;
  EXPECT_THAT(error([](Motor& m) { m.torque_constant = 1, m.max_current = -2; }),
              HasSubstr("the maximum current of the motor is -2; it must be a finite number, not "
                        "negative"));
  EXPECT_THAT(error([](Motor& m) { m.max_current = 2; }),
              HasSubstr("its motor has a max_current, which needs a torque_constant"));
  EXPECT_THAT(error([](Motor& m) { m.torque_constant = 1, m.max_voltage = 2; }),
              HasSubstr("has a max_voltage, which needs a torque_constant and a resistance"));
  EXPECT_THAT(error([](Motor& m) { m.torque_constant = 1, m.max_input = 2; }),
              HasSubstr("has a max_input, which needs a torque_constant and an amplifier_gain"));
  EXPECT_THAT(error([](Motor& m) { m.resistance = 1; }),
              HasSubstr("has a resistance, which needs a torque_constant"));
  EXPECT_THAT(error([](Motor& m) { m.amplifier_gain = 1; }),
              HasSubstr("has an amplifier_gain, which needs a torque_constant"));
  EXPECT_THAT(error([](Motor& m) { m.torque_constant = 1, m.resistance = NAN; }),
              HasSubstr("the resistance of the motor is nan"));
}

}  // namespace
}  // namespace torsor::test::amplifiers
