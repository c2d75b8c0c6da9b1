// Tests of arm:control: plugins and functions as control laws, references, measurements, and
// rejected arguments.

#include <cmath>

#include "scripting/scene_run.hpp"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// Returns an experiment with a mass of 1 kg on a rail along x. Line 6 of the script is the first
// line of `said`.
Experiment controlled_cart(const std::string& said, const std::string& record = "cart.q") {
  return load_with_plugins(R"(local torsor = require "torsor"
local cart = torsor.robot{ name = "cart" }
cart:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
local world = torsor.world{ gravity = {0, 0, 0} } world:add(cart)
)" + said + R"(
return world:experiment{ integrator = { "fehlberg", dt = 0.01, rtol = 1e-12, atol = 1e-12 }, duration = 1, record = { ")" +
                           record + "\" } }");
}
std::unique_ptr<Run> end_of(const std::string& said) {
  return finished(controlled_cart(said));
}
std::string control_error(const std::string& said, const std::string& record = "cart.q") {
  try {
    (void)finished(controlled_cart(said, record));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

// Checks x'' = -w^2 (x - 1) - 2 w x' from rest at 0, with the solution 1 - x = (1 + w t) exp(-w t).
// Plugins and functions of the state must give the same result.
TEST(SceneControls, EvaluateContinuousTimeLaws) {
  const double w = 6, x = 1 - (1 + w) * std::exp(-w);
  const std::string law =
      "cart:control(function(t, state, ref) return 36 * (ref.q[1] - state.q[1]) + 12 * (0 - "
      "state.v[1]) end, { reference = ";
  for (const std::string& said : {
           std::string(
               "cart:control('computed_torque', { reference = { q = {1} }, frequency = 6 })"),
           std::string(
               "cart:control('pid', { reference = { q = { rail = 1 } }, kp = 36, kd = 12 })"),
           law + "{ q = {1} } })",
           law + "function(t) return { q = {1} } end })",
           law + "cart:trajectory('linear', { from = {1}, to = {1}, duration = 1 }) })",
       })
    EXPECT_NEAR(end_of(said)->simulation().state().q()[0], x, 1e-10) << said;
}

// Checks that the states of a continuous-time law are integrated with the motion, on a PID law with
// a triple pole.
TEST(SceneControls, IntegrateTheirStates) {
  const double w = 6, d = 2;
  const std::string push = "cart:apply{ tau = {2} } ";
  const std::string law =
      "cart:control(function(t, state, ref, m) return -108 * state.q[1] - 18 * state.v[1] - 216 * "
      "m[1], state.q[1] end, { memory = {0} })";
  for (const std::string& said :
       {push + law, push + "cart:control('pid', { reference = { q = {0} }, resonance = 12 })"})
    EXPECT_NEAR(end_of(said)->simulation().state().q()[0], d / 2 * std::exp(-w), 1e-10) << said;
}

// Checks that the memory of a sampled law passes from one sample to the next.
TEST(SceneControls, KeepTheirMemory) {
  const auto run = end_of(
      "cart:control(function(t, state, ref, m) m[1] = m[1] + 1 return m[1] end, { rate = 10, "
      "memory = {4} })");
  EXPECT_EQ(run->simulation().torque()[0], 15);  // sampled at 0, 0.1, .. 1
}

TEST(SceneControls, AreLimitedToTheirTorque) {
  const auto run =
      end_of("cart:control('pid', { reference = { q = {100} }, kp = 50, max_torque = 3 })");
  EXPECT_NEAR(run->simulation().state().v[0], 3, 1e-12);
}

// Checks that the nominal model of a controller may be another robot with the same joints.
TEST(SceneControls, MayHaveANominalModel) {
  const std::string wrong = R"(local twice = torsor.robot{ name = "twice" }
twice:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 2, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
)";
  const auto run = end_of(
      wrong +
      "cart:control('computed_torque', { reference = { q = {1} }, frequency = 6, model = twice })");
  // This is the closed form of x'' = 2 (36 (1 - x) - 12 x').
  const double a = 12, b = std::sqrt(144 - 72.0),
               x = 1 - std::exp(-a) * (std::cosh(b) + a / b * std::sinh(b));
  EXPECT_NEAR(run->simulation().state().q()[0], x, 1e-10);
  EXPECT_THAT(
      control_error("local other = torsor.robot{ name = 'other' } other:link{ name = 'body', joint "
                    "= { 'fixed' }, inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, "
                    "Iyy = 1, Izz = 1 } } }\n"
                    "cart:control('computed_torque', { reference = { q = {1} }, frequency = 6, "
                    "model = other })"),
      HasSubstr("the controller's model has other joints: this robot has joint 'rail' (prismatic), "
                "that one has none"));
}

TEST(SceneControls, FollowNoTrajectoryOfAnotherRobot) {
  const std::string other = R"(local other = torsor.robot{ name = "other" }
for k = 1, 60 do other:link{ name = "l" .. k, parent = k > 1 and "l" .. k - 1 or nil,
  joint = { "revolute", name = k == 1 and "rail" or "k" .. k, axis = {0, 0, 1} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } } end
local move = other:trajectory("quintic", { from = { rail = 0 }, to = { rail = 1 }, duration = 1 })
)";
  for (const char* law : {"'pid', { kp = 1,", "function() return 0 end, {"})
    EXPECT_THAT(
        control_error(other + "cart:control(" + law + " reference = move })"),
        HasSubstr("reference belongs to a robot that has other joints: this robot has joint 'rail' "
                  "(prismatic), that one has joint 'rail' (revolute)"));
  EXPECT_THAT(control_error(other + "cart:prescribe{ motion = { rail = move } }"),
              HasSubstr("trajectory 'trajectory.quintic' belongs to another robot, whose joint "
                        "'rail' is revolute, not prismatic"));
}

TEST(SceneControls, NameTheSingularDirectionOfAnArm) {
  const auto error = [](const std::string& how) {
    return control_error(R"(local arm = torsor.robot{ name = "arm" }
for k = 1, 2 do arm:link{ name = "l" .. k, parent = k > 1 and "l1" or nil,
  joint = { "revolute", name = "j" .. k, axis = {0, 0, 1}, point = {k - 1, 0, 0} },
  inertia = { mass = 1, com = {k - 0.5, 0, 0}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } } end
arm:frame{ name = "tcp", link = "l2", origin = { xyz = {2, 0, 0} } }
world:add(arm)
)" + how);
  };
  for (const char* law : {"resolved_acceleration", "operational_space"})
    for (const char* stretched : {"0", "1e-6"})
      EXPECT_THAT(
          error("arm:set{ q = { j2 = " + std::string(stretched) + " } }\narm:control('" + law +
                "', { frame = 'tcp', reference = { pose = { xyz = {1.5, 0, 0} } }, components = "
                "{'x', 'y'}, kp = 100, kd = 20 })"),
          ContainsRegex("scene.lua:[0-9]+: control '" + std::string(law) +
                        "' of robot 'arm': frame 'tcp' cannot be moved along \\(rotation 0 0 0, "
                        "translation -?1 0 0\\) here: the configuration is singular; these joint "
                        "rates do not move it: joint 'j1' -?0.4.*, joint 'j2' -?0.8"));
}

// Checks the error message for an arm whose torques are infinite near a singular configuration.
TEST(SceneControls, ExplainInfiniteTorquesOfAFrame) {
  EXPECT_THAT(
      control_error(R"(local arm = torsor.robot{ name = "arm" }
for k = 1, 2 do arm:link{ name = "l" .. k, parent = k > 1 and "l1" or nil,
  joint = { "revolute", name = "j" .. k, axis = {0, 0, 1}, point = {k - 1, 0, 0} },
  inertia = { mass = 1, com = {k - 0.5, 0, 0}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } } end
arm:frame{ name = "tcp", link = "l2", origin = { xyz = {2, 0, 0} } }
world:add(arm)
arm:set{ q = { j2 = 0.5 } }
arm:control('resolved_acceleration', { frame = 'tcp', reference = { pose = { xyz = {1e307, 0, 0} } },
  components = {'x', 'y'}, kp = 100, kd = 20, rate = 1000 }))"),
      HasSubstr("torque at joint 'j1' that is not a finite number: near a singular configuration"));
}

TEST(SceneControls, RecordTheirSignals) {
  EXPECT_EQ(
      control_error("cart:control('pid', { reference = { q = {1} }, kp = 1 })", "cart.pid.error"),
      "");
  EXPECT_EQ(control_error("cart:control('computed_torque', { name = 'ct', reference = { q = {1} }, "
                          "frequency = 1 })",
                          "cart.ct.w_residual"),
            "");
  EXPECT_THAT(
      control_error("cart:control('pid', { reference = { q = {1} }, kp = 1 })", "cart.pid.eror"),
      HasSubstr("did you mean 'cart.pid.error'?"));
}

TEST(SceneControls, RejectInvalidArguments) {
  const auto pid = [](const std::string& said) {
    return control_error("cart:control('pid', { " + said + " })");
  };
  EXPECT_THAT(
      control_error("cart:control('pidd', { reference = { q = {1} } })"),
      AllOf(HasSubstr("scene.lua:6: control 'pidd' of robot 'cart': there is no controller 'pidd'"),
            HasSubstr("did you mean 'pid'?")));
  EXPECT_THAT(pid("reference = { q = {1} }"),
              HasSubstr("no gains are set; set kp, kd and ki, or resonance"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, resonance = 3"),
              HasSubstr("set one or the other"));
  EXPECT_THAT(
      pid("reference = { q = {1} }, kp = {1, 2}"),
      HasSubstr("'kp' has 2 values for 1 degrees of freedom; give one value, or one for each"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = -1"),
              HasSubstr("parameter 'kp' of 'controller.pid' must be"));
  EXPECT_THAT(pid("reference = { q = {1} }, kq = 1"), HasSubstr("has no parameter 'kq'"));
  EXPECT_THAT(pid("reference = { q = {1, 2} }, kp = 1"),
              HasSubstr("reference.q has 2 entries; it must have 1, one for each coordinate"));
  EXPECT_THAT(pid("reference = { q = { rial = 1 } }, kp = 1"), HasSubstr("did you mean 'rail'?"));
  EXPECT_THAT(pid("reference = 1, kp = 1"),
              HasSubstr("reference is a number; it must be a trajectory, { q = .. }"));
  EXPECT_THAT(pid("kp = 1"),
              HasSubstr("needs a motion of the joints as its reference; none is given"));
  EXPECT_THAT(
      pid("reference = { pose = { xyz = {1, 0, 0} } }, kp = 1"),
      HasSubstr("needs a motion of the joints as its reference; a motion of a frame is given"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, max_torque = 0"),
              HasSubstr("limits must be positive"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, max_torque = {1, 2}"),
              HasSubstr("max_torque has 2 entries"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, sensor = { noise = 1 }"),
              HasSubstr("give it a sampling rate"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, rate = 100, sensor = { nose = 1 }"),
              HasSubstr("nose"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, rate = 100, sensor = { delay = 0.005 }"),
              HasSubstr("whole number of periods"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, rate = 100, sensor = { seed = -1 }"),
              HasSubstr("seed is -1"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, model = 3"), HasSubstr("it must be a robot"));
  EXPECT_THAT(pid("reference = { q = {1} }, kp = 1, solver = 'newton'"),
              HasSubstr("there is no solver 'newton'"));
  EXPECT_THAT(control_error(
                  "cart:control('pid', { reference = { q = {1} }, kp = 1 }) cart:control('pid', { "
                  "reference = { q = {1} }, kp = 1 })"),
              HasSubstr("robot 'cart' has two controls 'pid'"));
}

// Checks that an error of a law during a run names the line of the scene, the control and the time.
TEST(SceneControls, NameTheLineOfAFailingLaw) {
  const auto law = [](const std::string& body, const std::string& options = "") {
    return control_error("cart:control(function(t, state, ref, m)\n" + body + "\nend, {" + options +
                         "})");
  };
  EXPECT_THAT(law("return nil"), HasSubstr("scene.lua:6: control 'law' of 'cart': the result is "
                                           "missing; it must be a list of 1 numbers"));
  EXPECT_THAT(law(""), HasSubstr("returns 0 values; it must return one"));
  EXPECT_THAT(law("return {1, 2}"), HasSubstr("the result has 2 entries"));
  EXPECT_THAT(law("return {1, tau = 2}"), HasSubstr("the result has gaps or named keys"));
  EXPECT_THAT(law("return t > 0.5 and 0 / 0 or 0", "rate = 100"),
              AllOf(HasSubstr("the result is NaN"), HasSubstr("t = 0.5")));
  EXPECT_THAT(law("local x = nil\nreturn x.y"),
              HasSubstr("scene.lua:8: attempt to index a nil value"));
  EXPECT_THAT(law("error('no')"), HasSubstr("scene.lua:7: no"));
  EXPECT_THAT(law("return 1", "memory = {1}"), HasSubstr("returns 1 value; it must return two"));
  EXPECT_THAT(law("m[1] = 'x' return 1", "memory = {1}, rate = 10"),
              HasSubstr("the memory[1] is the string 'x'"));
  EXPECT_THAT(
      control_error(
          "cart:control('pid', { kp = 1, reference = function(t) return { q = {t, t} } end })"),
      HasSubstr("the reference of control 'pid' of 'cart': the result.q has 2 entries"));
  EXPECT_THAT(
      control_error("cart:control('pid', { kp = 1, reference = function(t) return t end })"),
      HasSubstr("the reference of control 'pid'"));
}

}  // namespace
}  // namespace torsor::test
