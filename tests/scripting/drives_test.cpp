// Tests of amplifiers, stiffness matrices and transmissions that depend on q in scenes.

#include <cmath>

#include "scripting/scene_run.hpp"

namespace torsor::test::drives {
namespace {

using testing::HasSubstr;

// Two links about y, and the end of the scene. `joint` is the rest of both joints' tables.
std::string two_links(
    const std::string& joint, const std::string& body,
    const std::string& record = "'arm.q', 'energy'",
    const std::string& integrator = "'dormand_prince', dt = 0.01, rtol = 1e-10, atol = 1e-11") {
  return "local torsor = require 'torsor' local arm = torsor.robot{ name = 'arm' } for i, n in "
         "ipairs{ 'a', 'b' } do arm:link{ name = n, parent = ({ nil, 'a' })[i], joint = { "
         "'revolute', name = 'j' .. n, axis = {0, 1, 0}, " +
         joint +
         " }, origin = { xyz = {0, 0, 1} }, inertia = { mass = 1, com = {0, 0, 0.5}, about_com = { "
         "Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } } end\n" +
         body +
         "\nlocal w = torsor.world{ gravity = {0, 0, -9.81} } w:add(arm) return w:experiment{ "
         "integrator = { " +
         integrator + " }, duration = 0.5, record = { " + record + " } }";
}
std::string error_of_scene(const std::string& text) {
  const ScriptFolder folder;
  try {
    (void)finished(load_scene(folder.write("scene.lua", text), {}, &registry()));
  } catch (const Error& error) {
    const std::string message = error.what();
    const size_t at = message.find("scene.lua");
    return at == message.npos ? message : message.substr(at);
  }
  return "none";
}

std::string drives_error(const std::string& joint, const std::string& body) {
  return error_of_scene(two_links(joint, body));
}

const std::string amplifier =
    "motor = { rotor_inertia = 1e-4, gear_ratio = 40, torque_constant = 0.05, amplifier_gain = 2, "
    "resistance = 1, max_input = 5, max_current = 8, max_voltage = 24 }";

TEST(SceneDrives, ControlsReturnInputs) {
  const auto run = finished(load_with_plugins(
      two_links(amplifier,
                "arm:control(function(t, state) return { 1.5, state.upper[2] + 7 } end, { returns "
                "= 'inputs' })",
                "'arm.input', 'arm.current', 'arm.voltage', 'arm.tau'")));
  Simulation& s = const_cast<Simulation&>(run->simulation());
  EXPECT_NEAR(s.torque()[0], 40 * 0.05 * 2 * 1.5, 1e-12);
  EXPECT_TRUE(s.is_saturated(1));
  EXPECT_LE(std::abs(s.motor_current()[1]), 8 + 1e-12);
}

TEST(SceneDrives, PluginsInLuaKnowTheRange) {
  const auto run = finished(load_with_plugins(
      two_links(amplifier,
                "torsor.controller('edge', { summary = 'at the edge', evaluate = function(model, "
                "input) return { tau = input.tau_upper } end }) arm:control('edge', { rate = 1000 "
                "})")));
  Simulation& s = const_cast<Simulation&>(run->simulation());
  // At most 8 A. Above, the rest of the voltage at the resistance of 1 ohm limits the current.
  const double current = std::min(8.0, 24 - 0.05 * 40 * s.state().v[0]);
  EXPECT_LT(current, 8);
  EXPECT_NEAR(s.torque()[0], 40 * 0.05 * current, 0.2) << "sampled up to 1 ms ago";
}

TEST(SceneDrives, PluginsInLuaKnowTheStiffness) {
  const auto run = finished(load_with_plugins(two_links(
      "motor = { rotor_inertia = 1e-3, gear_ratio = 20 }",
      "arm:stiffness{ joints = { 'ja', 'jb' }, matrix = { {400, 120}, {120, 90} } } "
      "torsor.controller('k', { summary = 'k', evaluate = function(model, input) "
      "local k = model.dynamics:stiffness() return { tau = { k[1][2] / 100, k[2][2] / 100 } } end "
      "}) arm:control('k', { rate = 100 })")));
  Simulation& s = const_cast<Simulation&>(run->simulation());
  EXPECT_EQ(s.torque()[0], 1.2);
  EXPECT_EQ(s.torque()[1], 0.9);
}

TEST(SceneDrives, NamesWrongAmplifiers) {
  const auto motor = [](const std::string& keys) {
    return drives_error("motor = { rotor_inertia = 1e-4, " + keys + " }", "");
  };
  EXPECT_THAT(motor("torque_constant = 1, max_current = -2"),
              HasSubstr("max_current is -2 A; it must be positive"));
  EXPECT_THAT(motor("torque_constant = 1, max_voltage = 0"),
              HasSubstr("max_voltage is 0 V; it must be positive"));
  EXPECT_THAT(motor("max_current = 2"), HasSubstr("which needs a torque_constant"));
  EXPECT_THAT(motor("torque_constant = 1, max_curent = 2"), HasSubstr("max_curent"));
  EXPECT_THAT(drives_error("", "arm:control(function() return {0, 0} end, { returns = 'inputs' })"),
              HasSubstr("returns inputs, but the motor of joint 'ja' has no amplifier"));
  EXPECT_THAT(drives_error("", "arm:control(function() return {0, 0} end, { returns = 'input' })"),
              HasSubstr("returns is 'input'; it must be \"torques\", or \"inputs\""));
  EXPECT_THAT(drives_error(amplifier,
                           "arm:control(function() return {0, 0} end, { returns = "
                           "'inputs', max_torque = 3 })"),
              HasSubstr("max_torque has no meaning"));
}

// A base that floats, and a ball on it. The texts are further keys of their joint tables.
std::string base_and_ball(const std::string& base, const std::string& ball) {
  const auto link = [](const std::string& name, const std::string& joint) {
    return "arm:link{ name = '" + name + "', joint = { " + joint +
           " }, inertia = { mass = 1, com = {0, 0, 0.5}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = "
           "0.2 } }";
  };
  return "local torsor = require 'torsor' local arm = torsor.robot{ name = 'arm' } " +
         link("base", "'floating', name = 'free', " + base) + " } " +
         link("ball", "'spherical', name = 'ball', " + ball) +
         ", parent = 'base' }\nlocal w = torsor.world{} w:add(arm) return w:experiment{ integrator "
         "= "
         "{ 'dormand_prince', dt = 0.01, rtol = 1e-10, atol = 1e-11 }, duration = 0.1, record = { "
         "'energy' } }";
}

TEST(SceneDrives, SpringsOfJointsWithQuaternions) {
  const auto springs = [](const std::string& base, const std::string& ball) {
    const auto run = finished(load_with_plugins(base_and_ball(base, ball)));
    EXPECT_NEAR(const_cast<Simulation&>(run->simulation()).ledger_error(), 0, 1e-7);
    const std::vector<Joint>& joints = run->simulation().model().joints;
    return std::pair(joints[0].spring.value(), joints[1].spring.value());
  };
  const auto [base, ball] = springs(
      "spring = { stiffness = {30, 200}, rest = { xyz = {0, 0, 1}, rpy_deg = {90, 0, 0} } }",
      "motors = true, spring = { stiffness = 5, rest = {0.6, 0, 0, 0.8} }");
  EXPECT_EQ(base.angular, 30);
  EXPECT_EQ(base.linear, 200);
  ASSERT_EQ(base.rest.size(), 7u);
  EXPECT_EQ(base.rest[2], 1);
  EXPECT_NEAR(base.rest[4], std::sqrt(0.5), 1e-15);
  EXPECT_EQ(ball.angular, 5);
  EXPECT_EQ(ball.linear, 0);
  EXPECT_EQ(ball.rest, (std::vector<double>{0.6, 0, 0, 0.8}));
  const auto [one, other] = springs(
      "spring = { stiffness = 30, rest = {0, 0, 1, 1, 0, 0, 0} }",
      "spring = { stiffness = 5 }, drives = { {}, { friction = { 'coulomb', coulomb = 1 } }, "
      "{} }");
  EXPECT_EQ(one.angular, 30);
  EXPECT_EQ(one.linear, 30);
  EXPECT_TRUE(other.rest.empty());
}

TEST(SceneDrives, NamesWrongSpringsOfJointsWithQuaternions) {
  const auto error = [](const std::string& base, const std::string& ball) {
    return error_of_scene(base_and_ball(base, ball));
  };
  EXPECT_THAT(error("spring = { rest = {0, 0, 0, 1, 0, 0, 0} }", ""), HasSubstr("stiffness"));
  EXPECT_THAT(error("spring = { stiffness = {1, 2, 3} }", ""), HasSubstr("spring.stiffness"));
  EXPECT_THAT(error("", "spring = { stiffness = {1, 2} }"), HasSubstr("spring.stiffness"));
  EXPECT_THAT(error("", "spring = { stiffness = 1, rest = {1, 0, 0} }"), HasSubstr("spring.rest"));
  EXPECT_THAT(error("", "spring = { stiffness = 1, rest = {2, 0, 0, 0} }"),
              HasSubstr("the norm 2; it must be 1"));
  EXPECT_THAT(error("", "drives = { { spring = { stiffness = 1 } }, {}, {} }"),
              HasSubstr("give the spring to the joint instead of its drives"));
}

TEST(SceneDrives, StiffnessMatricesCoupleJoints) {
  const std::string motors = "motor = { rotor_inertia = 1e-3, gear_ratio = 20 }";
  const auto run = finished(load_with_plugins(two_links(
      motors,
      "arm:stiffness{ joints = { 'ja', 'jb' }, matrix = { {400, 120}, {120, 90} }, damping = "
      "{0.1, 0.1} } arm:set{ motor_q = { ja = 0.1 } }",
      "'arm.q', 'arm.motor_q', 'energy'")));
  const Model& model = run->simulation().model();
  EXPECT_EQ(model.drives[1].elasticity->stiffness, 90);
  ASSERT_EQ(model.stiffness_couplings.size(), 1u);
  EXPECT_EQ(model.stiffness_couplings[0].stiffness, 120);
  const auto equal = finished(load_with_plugins(
      two_links(motors,
                "arm:stiffness{ joints = { 'ja', 'jb' }, matrix = { {400, 120}, {120, 90} }, "
                "damping = 0.5 }")));
  for (const Drive& drive : equal->simulation().state().model().drives)
    EXPECT_EQ(drive.elasticity->damping, 0.5);
  EXPECT_NEAR(const_cast<Simulation&>(run->simulation()).ledger_error(), 0, 1e-7);
  EXPECT_THAT(drives_error(motors,
                           "arm:stiffness{ joints = { 'ja', 'jb' }, matrix = { {400, 120}, "
                           "{110, 90} } }"),
              HasSubstr("scene.lua:2: stiffness matrix: it is not symmetric: entry (1, 2) is 120, "
                        "and (2, 1) is 110"));
  EXPECT_THAT(
      drives_error(motors, "arm:stiffness{ joints = { 'ja', 'jb' }, matrix = { {400, 1} } }"),
      HasSubstr("it must have 2 rows of 2 numbers"));
  EXPECT_THAT(drives_error(motors, "arm:stiffness{ joints = { 'ja' }, matrix = { {-4} } }"),
              HasSubstr("it is not positive definite"));
}

std::string transmission(const std::string& jacobian) {
  return "arm:transmission{ joints = { 'ja', 'jb' }, jacobian = " + jacobian +
         ", motors = { { rotor_inertia = 0.02 }, { rotor_inertia = 0.01 } } } arm:apply{ motor_tau "
         "= { ja = 0.3, jb = -0.2 } } arm:set{ q = { 0.2, 0.4 }, v = { 1, -2 } }";
}
std::vector<double> end_of(const std::string& jacobian) {
  const auto run = finished(load_with_plugins(two_links("", transmission(jacobian))));
  const Simulation& s = run->simulation();
  EXPECT_NEAR(s.ledger_error(), 0, 1e-8);
  return {s.state().q()[0], s.state().q()[1], s.state().v[0], s.state().v[1]};
}

// Checks that a polynomial, a function with its rate and a function without are the same law.
TEST(SceneDrives, JacobiansArePolynomialsOrFunctions) {
  const std::vector<double> polynomial = end_of(
      "{ { { of = 'ja', coefficients = {0.2, 0, 0.1} }, 0.1 }, { 0, { of = 'jb', coefficients = "
      "{0.3, -0.02} } } }");
  const std::string J = "{ {0.2 + 0.1 * q[1] ^ 2, 0.1}, {0, 0.3 - 0.02 * q[2]} }";
  const std::vector<double> with_rate =
      end_of("function(q, v) return " + J + ", { {0.2 * q[1] * v[1], 0}, {0, -0.02 * v[2]} } end");
  const std::vector<double> without = end_of("function(q) return " + J + " end");
  const std::vector<double> constant = end_of("{ {0.2, 0.1}, {0, 0.3} }");
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(with_rate[k], polynomial[k], 1e-12);
    EXPECT_NEAR(without[k], polynomial[k], 1e-9);
  }
  EXPECT_GT(std::abs(constant[0] - polynomial[0]), 1e-3);
}

TEST(SceneDrives, TheFingerprintContainsTheFunctionOfAJacobian) {
  const auto of = [](const std::string& entry) {
    return fingerprint(finished(load_with_plugins(two_links(
                                    "", transmission("(function(c) return function(q) return { {" +
                                                     entry + ", 0}, {0, 1} } end end)(2)"))))
                           ->simulation()
                           .state()
                           .model());
  };
  EXPECT_EQ(of("1 + c"), of("1 + c"));
  EXPECT_NE(of("1 + c"), of("2 + c"));
}

// The friction needs steps below 7e-4 s (rk4). With larger ones, the joints pass a singularity.
TEST(SceneDrives, SaysThatARunHasDiverged) {
  const std::string body =
      "arm:transmission{ joints = { 'ja', 'jb' }, jacobian = { { { of = 'ja', coefficients = "
      "{0.02, 0.001} }, 0 }, {0, 0.1} }, motors = { { rotor_inertia = 1e-5, friction = { "
      "'coulomb', coulomb = 0, viscous = 2 } }, { rotor_inertia = 1e-5 } } } arm:set{ v = {1, 0} "
      "}";
  EXPECT_THAT(error_of_scene(two_links("", body, "'arm.q'", "'rk4', dt = 0.001")),
              HasSubstr("the motion has diverged"));
}

TEST(SceneDrives, NamesWrongJacobians) {
  const auto wrong = [](const std::string& jacobian) {
    return drives_error("", transmission(jacobian));
  };
  EXPECT_THAT(wrong("{ {1, { of = 'jc', coefficients = {1} }}, {0, 1} }"),
              HasSubstr("is a function of 'jc', which is not a joint of the transmission"));
  EXPECT_THAT(wrong("{ {1, { of = 'ja', coefficients = {1} }} }"),
              HasSubstr("must have 2 rows of 2 entries, one for each joint"));
  EXPECT_THAT(wrong("{ {1, { of = 'ja', coefficients = {} }}, {0, 1} }"),
              HasSubstr("has no coefficients"));
  EXPECT_THAT(wrong("{ {1, { of = 'ja', q = {0, 1}, values = {1, 2} }}, {0, 1} }"),
              HasSubstr("has a wrong table: it has 2 positions and 2 values"));
  EXPECT_THAT(wrong("{ {1, { of = 'ja', q = {0, 1, 2} }}, {0, 1} }"),
              HasSubstr("arm:transmission: jacobian[1][2].values is missing"));
  EXPECT_THAT(wrong("{ {1, { of = 'ja', q = {0, 1, 2} }}, {0, 1} }"),
              testing::Not(HasSubstr("has a wrong table")));
  EXPECT_THAT(wrong("{ {1, { of = 'ja', q = {0, 1, 2}, values = {1, 2, 3}, coefficients = {1} }}, "
                    "{0, 1} }"),
              HasSubstr("has coefficients and a table; give one of them"));
  EXPECT_THAT(wrong("{ {1, 2}, {2, 4} }"), HasSubstr("scene.lua:2: transmission: its jacobian is "
                                                     "singular"));
  EXPECT_THAT(
      wrong("function(q) return { {1, 0}, {0, q[2] - 0.4} } end"),
      HasSubstr("scene.lua:2: transmission: its jacobian is singular at, or shortly before, "
                "ja = 0.2, jb = 0.4"));
  EXPECT_THAT(
      wrong("function(q) return { {1, 0} } end"),
      HasSubstr("scene.lua:2: the jacobian of a transmission: the jacobian must be a list of "
                "2 rows, one for each joint (at ja = 0.2, jb = 0.4)"));
  EXPECT_THAT(wrong("function(q) return { {1, 0}, {0, 0/0} } end"),
              HasSubstr("the jacobian[2][2] is NaN; it must be a finite number"));
  EXPECT_THAT(wrong("function(q) end"), HasSubstr("returns 0 values; it must return J, or J and"));
  EXPECT_THAT(wrong("function(q) return { {q[3] + 1, 0}, {0, 1} } end"), HasSubstr("scene.lua:2"));
}

}  // namespace
}  // namespace torsor::test::drives
