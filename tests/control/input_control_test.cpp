// Tests of controls that give inputs to amplifiers (KHALIL 9.4), and of controllers whose motors
// have limits of current and voltage.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "support/error_of.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/signals/metrics.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::test::inputs {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

const Registry& plugins() {
  static const Registry found({TORSOR_PLUGIN_DIR});
  return found;
}

Motor motor(double gear_ratio) {
  Motor out;
  out.rotor_inertia = 1e-4, out.gear_ratio = gear_ratio;
  out.torque_constant = 0.05, out.amplifier_gain = 2, out.resistance = 1;
  return out;
}
RobotDescription geared_arm(const Motor& first, const Motor& second) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.name = "arm";
  for (size_t i = 0; i < 2; ++i) robot.links[i].joint.name = "joint" + std::to_string(i + 1);
  robot.links[0].joint.drives = {{.motor = first}};
  robot.links[1].joint.drives = {{.motor = second}};
  return robot;
}
Control constant_inputs(const List& u, double period = 0) {
  Control out{
      .name = "law",
      .law = std::make_shared<FunctionLaw>(
          [u](const Measured&, double, std::span<const double>, const ControlLaw::Answer& answer) {
            std::copy(u.begin(), u.end(), answer.tau.begin());
          }),
      .gives_inputs = true};
  out.period = period;
  return out;
}
Simulation run_with(const RobotDescription& robot, const Control& control, const List& q) {
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, 0, 0});
  Load load;
  load.controls = {control};
  s.begin(load, q, List{0, 0});
  return s;
}

TEST(InputControl, TorqueIsThatOfTheConstants) {
  Motor limited = motor(-30);
  limited.max_input = 4;
  for (const double period : {0.0, 0.01}) {
    Simulation s =
        run_with(geared_arm(motor(50), limited), constant_inputs({1.5, -9}, period), {0, 0});
    s.step();
    EXPECT_NEAR(s.torque()[0], 50 * 2 * 0.05 * 1.5, 1e-14);
    EXPECT_NEAR(s.torque()[1], -30 * 2 * 0.05 * -4, 1e-14);
    EXPECT_NEAR(s.motor_input()[0], 1.5, 1e-14);
    EXPECT_NEAR(s.motor_input()[1], -4, 1e-14);
    EXPECT_NEAR(s.control_torque(0)[1], -30 * 2 * 0.05 * -9, 1e-13);
  }
}

// The inputs of a transmission act at the shafts: tau = J^-T K_T K_a u. A sampled input is
// constant, but the torque at the joint follows the Jacobian, which depends on q.
TEST(InputControl, DrivesTransmissions) {
  RobotDescription robot = geared_arm({}, {});
  for (LinkDescription& link : robot.links) link.joint.drives.clear();
  robot.transmissions = {{.joints = {"joint1", "joint2"},
                          .jacobian = {{0.05, 0.05}, {0.05, -0.05}},
                          .motors = {motor(1), motor(1)},
                          .source = ""}};
  Simulation constant = run_with(robot, constant_inputs({1, 3}), {0, 0});
  EXPECT_NEAR(constant.torque()[0], 10 * 0.1 * (1 + 3), 1e-13);
  EXPECT_NEAR(constant.torque()[1], 10 * 0.1 * (1 - 3), 1e-13);
  EXPECT_NEAR(constant.motor_current()[1], 6, 1e-13);

  using Entry = JacobianEntry;
  robot.transmissions[0].jacobian.clear();
  robot.transmissions[0].law =
      make_law({{Entry::polynomial(0, {0.05, 0.02}), Entry::polynomial(0, {0})},
                {Entry::polynomial(0, {0}), Entry::polynomial(1, {0.05})}});
  Simulation varying = run_with(robot, constant_inputs({1, 3}, 0.5), {0.5, 0});
  for (int k = 0; k < 400; ++k) {
    varying.step();
    const double J = 0.05 + 0.02 * varying.state().q()[0];
    ASSERT_NEAR(varying.torque()[0], 0.1 / J, 1e-12);
    ASSERT_NEAR(varying.motor_current()[0], 2, 1e-12);
  }
  EXPECT_GT(std::abs(varying.state().q()[0] - 0.5), 0.01);
}

TEST(InputControl, RejectsMotorsWithoutAmplifiers) {
  const auto error = [](const RobotDescription& robot, const Control& control) {
    try {
      run_with(robot, control, {0, 0}).step();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  Motor bare = motor(10);
  bare.amplifier_gain = 0;
  EXPECT_EQ(error(geared_arm(motor(1), bare), constant_inputs({0, 0})),
            "the control 'law' returns inputs, but the motor of joint 'joint2' has no amplifier; "
            "set torque_constant and amplifier_gain in its motor, or passive = true in its joint");
  RobotDescription passive = geared_arm(motor(1), motor(1));
  passive.links[1].joint.drives = {{.passive = true}};
  EXPECT_EQ(error(passive, constant_inputs({1, 0})), "none");
  EXPECT_THAT(error(passive, constant_inputs({1, 1})),
              HasSubstr("returns an input for joint 'joint2', but this joint is passive"));
  EXPECT_THAT(error(geared_arm(motor(1), motor(1)), constant_inputs({NAN, 0})),
              HasSubstr("returns an input for joint 'joint1' that is not a finite number"));
  Control limited = constant_inputs({0, 0});
  limited.max_torque = {1, 1};
  EXPECT_THAT(error(geared_arm(motor(1), motor(1)), limited),
              HasSubstr("returns inputs, so max_torque has no meaning; give its motors max_input"));
}

ReferenceLaw rest_at(const List& q) {
  return {.of_frame = false,
          .make =
              [q] {
                Reference out;
                out.q = q;
                return out;
              },
          .evaluate = [](double, Reference&) {}};
}
Control pid(const RobotDescription& robot, double ki, const List& goal) {
  const auto law = plugins().controller("pid", build(robot), "newton_euler", {0, 0, 0},
                                        {{"kp", 60.0}, {"kd", 20.0}, {"ki", ki}});
  return {.name = "pid", .law = std::make_shared<ControllerLaw>(law, rest_at(goal))};
}
// Returns the largest |integral| of a joint of a PID, and how far the joint overshoots its goal.
struct Windup {
  double integral = 0, overshoot = 0;
};
Windup windup(const RobotDescription& robot, const Control& control, const List& goal, int joint) {
  Simulation s = run_with(robot, control, {0, 0});
  Windup out;
  while (s.time() < 6) {
    s.step();
    out.integral = std::max(out.integral, std::abs(s.control_signals(0)[size_t(joint)]));
    out.overshoot = std::max(out.overshoot, s.state().q()[size_t(joint)] - goal[size_t(joint)]);
  }
  return out;
}

// A plugin computes torques. The inputs of the amplifiers exert them through gears, transmissions
// and mimic joints. Equations: KHALIL 9.4.
TEST(InputControl, TorquesOfPluginsAreConvertedToInputs) {
  RobotDescription coupled = geared_arm({}, {});
  for (LinkDescription& link : coupled.links) link.joint.drives.clear();
  coupled.transmissions = {{.joints = {"joint1", "joint2"},
                            .jacobian = {{0.05, 0.05}, {0.05, -0.05}},
                            .motors = {motor(1), motor(1)},
                            .source = ""}};
  Motor bare = motor(20);
  bare.amplifier_gain = 0;
  RobotDescription mimic = geared_arm(motor(50), bare), both = geared_arm(motor(50), motor(20));
  for (RobotDescription* robot : {&mimic, &both})
    robot->links[1].joint.mimic = Mimic{"joint1", -0.5};
  const List goal{1, -0.5};
  const RobotDescription robots[] = {geared_arm(motor(50), motor(-20)), coupled, mimic, both};
  for (const RobotDescription& robot : robots)
    for (const double period : {0.0, 0.01}) {
      Control torques = pid(robot, 30, goal), inputs = torques;
      torques.period = inputs.period = period;
      inputs.gives_inputs = true;
      Simulation a = run_with(robot, torques, {0, 0}), b = run_with(robot, inputs, {0, 0});
      for (int k = 0; k < 1000; ++k) {
        a.step(), b.step();
        ASSERT_NEAR(a.state().q()[0], b.state().q()[0], 1e-11) << k;
        // Without an amplifier of its own, the follower loads the motor of its leader.
        if (&robot != &robots[2]) {
          ASSERT_NEAR(a.motor_input()[0], b.motor_input()[0], 1e-9);
        }
      }
      EXPECT_GT(a.state().q()[0], 0.3);
    }
}

TEST(InputControl, DrivesMimicJointsThatHaveAmplifiers) {
  Motor bare = motor(20);
  bare.amplifier_gain = 0;
  RobotDescription without = geared_arm(motor(50), bare), with = geared_arm(motor(50), motor(20));
  for (RobotDescription* robot : {&without, &with})
    robot->links[1].joint.mimic = Mimic{"joint1", 1};
  Simulation s = run_with(with, constant_inputs({0, 3}), {0, 0});
  EXPECT_NEAR(s.control_torque(0)[1], 20 * 2 * 0.05 * 3, 1e-14);
  EXPECT_GT(s.acceleration()[0], 0.1);
  EXPECT_NO_THROW(run_with(without, constant_inputs({1, 0}), {0, 0}).step());
  EXPECT_THAT(error_of([&] {
                run_with(without, constant_inputs({0, 3}), {0, 0}).step();
              }),
              HasSubstr("drives joint 'joint2', which follows another one and whose motor has no "
                        "amplifier"));
}

// A limit of current is known to the PID as is max_torque: the motions are the same.
TEST(InputControl, CurrentLimitsStopIntegralsAsMaxTorqueDoes) {
  Motor a = motor(50), b = motor(20);
  const RobotDescription free = geared_arm(a, b);
  a.max_current = 2, b.max_current = 1.5;
  const RobotDescription limited = geared_arm(a, b);
  const List goal{1, 0.5};
  Control cut = pid(free, 30, goal);
  cut.max_torque = {50 * 0.05 * 2, 20 * 0.05 * 1.5};
  Simulation of_control = run_with(free, cut, {0, 0}),
             of_motor = run_with(limited, pid(limited, 30, goal), {0, 0});
  for (int k = 0; k < 3000; ++k) {
    of_control.step(), of_motor.step();
    ASSERT_NEAR(of_motor.state().q()[0], of_control.state().q()[0], 1e-12) << k;
  }
}

// Checks that the integral of a PID does not wind up where a motor of a coupled transmission is
// saturated. The law cannot know this limit from the torque of its joint alone.
TEST(InputControl, CoupledMotorsStopIntegrals) {
  RobotDescription robot = geared_arm({}, {});
  for (LinkDescription& link : robot.links) link.joint.drives.clear();
  Motor weak = motor(1);
  weak.max_current = 1.5;
  robot.transmissions = {{.joints = {"joint1", "joint2"},
                          .jacobian = {{0.02, 0.02}, {0.02, -0.02}},
                          .motors = {weak, weak},
                          .source = ""}};
  const List goal{1, 0.5};
  const Windup held = windup(robot, pid(robot, 40, goal), goal, 0);
  // The same law, sampled so fast that it is nearly continuous, with its range hidden: it winds up.
  struct Blind final : ControlLaw {
    std::unique_ptr<ControlLaw> law;
    explicit Blind(const ControlLaw& of) : law(of.clone()) {}
    std::unique_ptr<ControlLaw> clone() const override { return std::make_unique<Blind>(*law); }
    size_t n_x() const override { return law->n_x(); }
    std::vector<double> initial_memory() const override { return law->initial_memory(); }
    const std::vector<LawSignal>& signals() const override { return law->signals(); }
    size_t n_signal() const override { return law->n_signal(); }
    const ReferenceLaw* reference() const override { return law->reference(); }
    void evaluate(const Measured& at, double period, std::span<const double> limits,
                  std::span<const double> x, const Answer& out) override {
      const List lower(limits.size(), -1e300), upper(limits.size(), 1e300);
      Measured blind = at;
      blind.lower = lower, blind.upper = upper;
      law->evaluate(blind, period, limits, x, out);
    }
    uint64_t fingerprint() const override { return 0; }
  };
  Control blind = pid(robot, 40, goal);
  blind.law = std::make_shared<Blind>(*blind.law);
  const Windup wound = windup(robot, blind, goal, 0);
  std::printf("coupled motors: integral %.2f N m, overshoot %.3f; blind %.2f N m, %.3f\n",
              held.integral, held.overshoot, wound.integral, wound.overshoot);
  EXPECT_LT(held.overshoot, 0.5 * wound.overshoot);
  EXPECT_LT(held.integral, 0.5 * wound.integral);
}

// The range of the inputs reaches the law in the unit of the inputs.
TEST(InputControl, LawsKnowTheRangeOfTheirInputs) {
  Motor limited = motor(-20);
  limited.max_current = 3, limited.max_voltage = 12;
  List lower, upper;
  Control probe = constant_inputs({0, 0});
  probe.law = std::make_shared<FunctionLaw>(
      [&](const Measured& at, double, std::span<const double>, const ControlLaw::Answer&) {
        lower.assign(at.lower.begin(), at.lower.end());
        upper.assign(at.upper.begin(), at.upper.end());
      });
  Simulation s = run_with(geared_arm(motor(50), limited), probe, {0, 0});
  // The shaft turns at -20 v: the back-EMF is -0.05 * 20 * 10 = -10 V, so i <= (12 + 10) / R, and
  // i >= (-12 + 10) / R. u = i / 2.
  s.set_state(List{0, 0}, List{0, 10});
  (void)s.torque();
  EXPECT_EQ(upper[0], std::numeric_limits<double>::infinity());
  EXPECT_NEAR(upper[1], 1.5, 1e-14);
  EXPECT_NEAR(lower[1], -1, 1e-14);
  probe.gives_inputs = false;
  Simulation torques = run_with(geared_arm(motor(50), limited), probe, {0, 0});
  torques.set_state(List{0, 0}, List{0, 10});
  (void)torques.torque();
  EXPECT_NEAR(upper[1], 20 * 0.05 * 2, 1e-13);
  EXPECT_NEAR(lower[1], -20 * 0.05 * 3, 1e-13);
}

TEST(InputControl, SignalsAndMetricsAreThoseOfTheMotors) {
  Motor limited = motor(20);
  limited.max_current = 1;
  RobotDescription robot = geared_arm(motor(50), limited);
  robot.links[0].joint.drives[0].motor.torque_constant = 0;
  robot.links[0].joint.drives[0].motor.amplifier_gain = 0;
  robot.links[0].joint.drives[0].motor.resistance = 0;
  const auto model = build(robot);
  Recorder recorder(*model, {"arm.current", "arm.input", "arm.voltage"});
  std::vector<std::string> names;
  for (const Column& column : recorder.columns()) names.push_back(column.name);
  EXPECT_THAT(names, testing::ElementsAre("time", "arm.current.joint2", "arm.input.joint2",
                                          "arm.voltage.joint2"));
  Simulation s(model, solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, 0, 0});
  s.set_load({.tau = {0, 5}});
  s.set_state(List{0, 0}, List{0, 2});
  EXPECT_THAT(recorder.sample(s), testing::ElementsAre(0, 1, 0.5, 1 + 0.05 * 20 * 2));
  EXPECT_THROW(Recorder(*build(planar_n_link(Vector::Ones(1), Vector::Ones(1))), {"arm.current"}),
               Error);

  const RobotDescription both = geared_arm(limited, limited);
  Load load;
  load.controls = {pid(both, 0, {3, 0})};
  Metrics metrics(*build(both), load, {});
  Simulation controlled = run_with(both, load.controls[0], {0, 0});
  metrics.look(controlled);
  for (int k = 0; k < 100; ++k) controlled.step(), metrics.look(controlled);
  EXPECT_NEAR(metrics.result()[0].rows[0].saturated, 1, 0.02);
}

}  // namespace
}  // namespace torsor::test::inputs
