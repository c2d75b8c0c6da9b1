// Tests of arm:prescribe, arm:payload and arm:control: valid and rejected arguments.

#include <cmath>

#include "scripting/scene_run.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// Returns an experiment without gravity: a cart of 1 kg on a rail along x, with a wheel on an
// elastic joint. The given statements are from line 9 on.
Experiment moving_cart(const std::string& said, int duration = 1) {
  return load_with_plugins(R"(local torsor = require "torsor"
local cart = torsor.robot{ name = "cart" }
local body = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }
cart:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} }, inertia = body }
cart:link{ name = "wheel", parent = "body", inertia = body,
  joint = { "revolute", name = "axle", axis = {1, 0, 0}, elastic = { stiffness = 100 }, motor = { rotor_inertia = 0.5 } } }
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(cart)
)" + said + R"(
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = )" +
                           std::to_string(duration) + R"(, record = { "cart.q" } })");
}
Simulation end_of(const Experiment& experiment) {
  return std::move(finished(experiment)->simulation());
}
std::string motion_error(const std::string& said) {
  try {
    (void)end_of(moving_cart(said));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(SceneMotions, ArePrescribed) {
  const Simulation s = end_of(moving_cart(
      "local A = 2 cart:prescribe{ motion = { rail = function(t) return A * math.cos(t), -A * "
      "math.sin(t) end } }"));
  EXPECT_EQ(s.state().v[0], 2 * std::cos(1.0));
  EXPECT_NEAR(s.state().q()[0], 2 * std::sin(1.0), 1e-10);
}

TEST(SceneMotions, AreRejectedWithTheirLine) {
  const auto prescribed = [](const std::string& entry) {
    return motion_error("\ncart:prescribe{ motion = { " + entry + " } }");
  };
  EXPECT_THAT(
      prescribed("rial = function(t) return 1, 0 end"),
      HasSubstr(
          "scene.lua:10: robot 'cart': there is no moving joint 'rial'; did you mean 'rail'?"));
  EXPECT_THAT(prescribed("rail = 1"),
              HasSubstr("motion.rail is a number; it must be a function of t"));
  EXPECT_THAT(
      prescribed("rail = function(t) return 1 end"),
      HasSubstr(
          "scene.lua:10: the prescribed motion of 'rail' returns 1 value; it must return two"));
  EXPECT_THAT(prescribed("rail = function(t) return {1, 2}, 0 end"),
              HasSubstr("the velocity has 2 entries"));
  EXPECT_THAT(prescribed("rail = function(t) return t, 2 end"), HasSubstr("is inconsistent"));
  EXPECT_THAT(prescribed("axle = function(t) return 1, 0 end"),
              HasSubstr("'axle' is prescribed, but it is elastic"));
  EXPECT_THAT(motion_error("cart:prescribe{ motion = { rail = function(t) return 1, 0 end } } "
                           "cart:set{ v = { rail = 2 } }"),
              HasSubstr("scene.lua:9: the motion of joint 'rail' is prescribed: its rate is 1 at t "
                        "= 0 s and cannot be set to 2"));
  EXPECT_THAT(
      motion_error("cart:prescribe{ motion = { rail = function(t) return 1, 0 end } } cart:apply{ "
                   "tau = { rail = 2 } }"),
      HasSubstr("the motion of joint 'rail' is prescribed: no torque can be applied to it"));
  EXPECT_THAT(motion_error("cart:prescribe{ motion = { rail = function(t) return 1, 0 end } }\n"
                           "cart:apply{ tau = { rail = function(t) return t end } }"),
              HasSubstr("the motion of joint 'rail' is prescribed, so it takes no torque"));
}

TEST(ScenePayloads, AreAttached) {
  const Simulation s =
      end_of(moving_cart("cart:set{ v = { rail = 3 } } cart:payload{ frame = 'wheel', attach = "
                         "0.25, release = 0.5, inertia = { mass = 1, com = {0, 0, 0}, about_com = "
                         "{ Ixx = 0, Iyy = 0, Izz = 0 } }, twist = { linear = {-3, 0, 0} } }"));
  EXPECT_NEAR(s.state().v[0], 1, 1e-14);
  EXPECT_NEAR(s.state().q()[0], 0.75 + 0.75, 1e-13);
}

TEST(ScenePayloads, AreAttachedUpToTheEndOfTheExperiment) {
  const Simulation s = end_of(moving_cart(
      "cart:set{ v = { rail = 3 } } cart:payload{ frame = 'wheel', attach = 1.5, inertia = { mass "
      "= 1, com = {0, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } }, twist = { linear = {-3, "
      "0, 0} } }",
      2));
  EXPECT_NEAR(s.state().v[0], 1, 1e-13);
  EXPECT_NEAR(s.state().q()[0], 4.5 + 0.5, 1e-12);
}

TEST(ScenePayloads, AreRejectedWithTheirLine) {
  const auto payload = [](const std::string& said) {
    return motion_error(
        "\ncart:payload{ inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, "
        "Izz = 1 } }, " +
        said + "}");
  };
  EXPECT_EQ(payload("frame = 'wheel'"), "");
  EXPECT_THAT(payload("frame = 'weel'"),
              HasSubstr("there is no link or frame 'weel'; did you mean 'wheel'?"));
  EXPECT_THAT(
      payload("frame = 'wheel', attach = 0.5, release = 0.2"),
      HasSubstr(
          "scene.lua:10: payload of 'wheel': it is released at 0.2 s, which is not after 0.5 s"));
  EXPECT_THAT(payload("frame = 'wheel', mass = 1"), HasSubstr("unknown key 'mass'"));
  EXPECT_THAT(
      payload("frame = 'wheel', attach = 1"),
      HasSubstr("scene.lua:10: robot 'cart': a payload is attached at 1 s, after the end of the "
                "experiment at 1 s"));
  EXPECT_THAT(
      motion_error(
          "cart:payload{ frame = 'wheel', inertia = { mass = 1, com = {0, 0, 0}, about_com = { "
          "Ixx = 1, Iyy = 1, Izz = 3 } } }"),
      HasSubstr("scene.lua:9: payload of 'wheel': inertia breaks"));
  EXPECT_THAT(
      motion_error(
          "cart:payload{ frame = 'wheel', inertia = { mass = -1, com = {0, 0, 0}, about_com = { "
          "Ixx = 1, Iyy = 1, Izz = 1 } } }"),
      HasSubstr("mass"));
}

// Checks laws that measure the angle of the wheel or the angle of its motor. They differ by the
// deflection of the spring.
TEST(SceneControls, MeasureJointsOrMotors) {
  for (const char* side : {"joints", "motors"}) {
    const Experiment experiment = moving_cart(
        std::string("cart:set{ q = { axle = 0.2 }, motor_q = { axle = 0.1 } } "
                    "cart:control(function(t, state) return { state.q[2], 0 } end, { rate = 50, "
                    "measures = '") +
        side + "' })");
    Simulation s = end_of(experiment);
    const bool motors = std::string(side) == "motors";
    // The torque of the rail is the measured angle at the last sample. At 50 Hz, the last sample is
    // at the end.
    EXPECT_NEAR(s.torque()[0], motors ? s.motor_q()[0] : s.state().q()[1], 1e-15);
    EXPECT_GT(std::abs(s.motor_q()[0] - s.state().q()[1]), 1e-3);
  }
}

// Checks a rotor that is a body. It starts at the angle of its joint if the scene sets no other
// angle. The motor torque drives it.
TEST(SceneRotors, DriveElasticJoints) {
  const std::string rotor =
      "cart:link{ name = 'flap', parent = 'body', inertia = body, joint = { 'revolute', name = "
      "'hinge', axis = {0, 1, 0}, elastic = { stiffness = 50 }, motor = { rotor_inertia = 0.1, "
      "gear_ratio = 4, body = true } } }\n";
  const Experiment still = moving_cart(rotor + "cart:set{ q = { hinge = 0.5 } }");
  EXPECT_EQ(still.q, (std::vector<double>{0, 0, 0.5, 2}));
  EXPECT_NEAR(end_of(still).energy().elastic, 0, 1e-20);
  const Simulation driven = end_of(moving_cart(rotor + "cart:apply{ tau = { hinge = 2 } }"));
  // J v + N J_m w is the impulse of the torque during 1 s.
  EXPECT_NEAR(driven.state().v[2] * 1 + driven.state().v[3] * 0.1 * 4, 2, 1e-9);
  EXPECT_THAT(
      motion_error(rotor + "cart:set{ motor_q = { hinge = 1 } }"),
      HasSubstr(
          "the motor of joint 'hinge' is the joint 'hinge_rotor'; set q and v of that joint"));
}

TEST(SceneControls, AreRejectedWithTheirLine) {
  const auto control = [](const std::string& said) {
    return motion_error("\ncart:control(" + said + ")");
  };
  const std::string zero = "function() return { 0, 0 } end, ";
  EXPECT_EQ(control(zero + "{ rate = 10 }"), "");
  EXPECT_EQ(control("function() return { 0, 0 } end"), "");
  EXPECT_THAT(control("function() return { 0 } end, { rate = 10 }"),
              HasSubstr("scene.lua:10: control 'law' of 'cart': the result has 1 entries"));
  EXPECT_THAT(control("function() return { 0, 0 / 0 } end, { rate = 10 }"),
              HasSubstr("the result, joint 'axle', is NaN"));
  EXPECT_THAT(control("function() return { 0, 0 / 0 } end"),
              HasSubstr("the result, joint 'axle', is NaN"));
  EXPECT_THAT(control(zero + "{ rate = 0 }"), HasSubstr("rate is 0 Hz; it must be positive"));
  EXPECT_THAT(control(zero + "{ rate = 1e9 }"), HasSubstr("a thousandth of the step"));
  EXPECT_THAT(control("{ rate = 10 }"),
              HasSubstr("arm:control takes the name of a controller plugin, or a function"));
  EXPECT_THAT(control(zero + "{ rate = 10, measures = 'motor' }"),
              HasSubstr("measures is 'motor'; it must be \"joints\", or \"motors\""));
  EXPECT_THAT(
      motion_error(
          "local n = 0 cart:control(function() n = n + 1 return { n, 0 } end, { rate = 10 })"),
      HasSubstr("scene.lua:9: control 'law' of 'cart' changes the variable 'n'"));
  // Large tables are compared at intervals, which also finds this change.
  EXPECT_THAT(motion_error(
                  "local big = {} for k = 1, 20000 do big[k] = k end\n"
                  "cart:control(function(t) big[7] = t return { big[3], 0 } end, { rate = 1000 })"),
              HasSubstr("changes the entry '7' of a table"));
}

}  // namespace
}  // namespace torsor::test
