// Tests of arm:sensor: what laws read, reactions to delayed and noisy sensors, and rejected
// arguments.

#include <cmath>

#include "scripting/scene_run.hpp"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns a scene with a finger of 1 kg on a vertical rail, 0.1 m above a table, with gravity. Line
// 9 of the scene is the first line of `said`.
std::string finger_scene(const std::string& said, const std::string& record = "finger.q",
                         double duration = 0.5) {
  return R"(local torsor = require "torsor"
local finger = torsor.robot{ name = "finger" }
finger:link{ name = "tip", joint = { "prismatic", name = "rail", axis = {0, 0, 1} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } },
  collisions = { { sphere = { radius = 0.05 } } } }
finger:frame{ name = "tool", link = "tip", origin = { xyz = {0, 0, 0.1} } }
finger:set{ q = {0.15} }
local world = torsor.world() world:add(finger)
)" + said +
         R"(
world:collision{ box = {1, 1, 0.1}, origin = { xyz = {0, 0, -0.05} }, name = "table" }
return world:experiment{ integrator = { "time_stepping", dt = 1e-3 }, duration = )" +
         std::to_string(duration) + ", record = { \"" + record + "\" } }";
}
std::unique_ptr<Run> run_of(const std::string& said) {
  return finished(load_with_plugins(finger_scene(said)));
}
std::string sensor_error(const std::string& said, const std::string& record = "finger.q") {
  try {
    (void)finished(load_with_plugins(finger_scene(said, record)));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

// The finger moves down at 0.3 m/s and pushes the table with 30 N, until its switch closes, whose
// force has noise and a delay. The law keeps in its memory the time at which it has read 1.
std::string guarded_move(double delay) {
  return R"(finger:sensor("touch", { link = "tip", threshold = 5, noise = 1, seed = 2, delay = )" +
         std::to_string(delay) + R"( })
finger:control(function(t, state, ref, memory)
  if memory[1] == 0 and state.sensors.touch == 1 then memory[1] = t end
  local v = memory[1] == 0 and -0.3 or 0
  return 9.81 + 100 * (v - state.v[1])
end, { rate = 1000, memory = {0}, sensors = { "touch" }, name = "stop" })
)";
}

TEST(SceneSensors, ALawStopsWhenItsSwitchCloses) {
  for (const double delay : {0.0, 0.02}) {
    Experiment made = load_with_plugins(finger_scene(
        guarded_move(delay), "finger.touch.tip\", \"finger.sensor.touch\", \"contact.tip.force"));
    set_plugins(made, std::make_shared<const Registry>(registry()));
    torsor::Run run(made);
    std::vector<std::vector<double>> rows;
    run.execute([&](std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); },
                [](const Simulation&) { return true; });
    const auto first = [&](size_t column) {
      size_t k = 0;
      while (k < rows.size() && rows[k][column] == 0) ++k;
      return k;
    };
    // The way of 0.1 m takes 0.33 s, and 0.01 s to reach the speed. The switch closes at the end of
    // the step in which the finger touches, and the law reads it the delay later.
    const size_t touched = first(1), measured = first(2);
    ASSERT_LT(measured, rows.size());
    EXPECT_NEAR(rows[touched][0], 0.1 / 0.3 + 0.01, 0.005);
    EXPECT_EQ(measured, touched + 1 + size_t(std::llround(delay / 1e-3)));
    // The impact takes two steps: the first one lets the finger reach the table.
    for (size_t k = touched + 2; k < rows.size(); ++k)
      EXPECT_NEAR(rows[k][5], k < measured ? 30 : 0, 1e-6) << k;
  }
}

// The tables of state.sensors have the shape of twists and wrenches, in the units of the signals.
TEST(SceneSensors, LawsReadTheirParts) {
  EXPECT_EQ(sensor_error(R"(
finger:sensor("imu", { frame = "tool", bias = { angular = {0.1, 0.2, 0.3}, linear = 1 } })
finger:sensor("joint_wrench", { joint = "rail", frame = "tool", name = "ft",
  resolution = { force = 0.5 }, rate = 500, delay = 0.004 })
finger:sensor("contact_force", { link = "tip" })
finger:control(function(t, state)
  local s = state.sensors
  assert(#s.imu.angular == 3 and #s.imu.linear == 3 and s.imu.angular[2] == 0.2)
  assert(s.imu.linear[1] == 1 and math.abs(s.imu.linear[3] - 1 - (t > 0 and 9.81 or 0)) < 1e-9)
  assert(#s.ft.moment == 3 and s.ft.force[3] % 0.5 == 0)
  assert(t < 0.01 or s.ft.force[3] == 10, s.ft.force[3])   -- 9.81 N, rounded
  assert(#s.contact_force == 3 and s.contact_force[3] == 0)
  assert(s.touch == nil)
  return 9.81
end, { rate = 1000, sensors = { "imu", "ft", "contact_force" } }))"),
            "");
}

// A plugin reads the values of its sensors as one list.
TEST(SceneSensors, PluginsReadTheirValues) {
  EXPECT_EQ(sensor_error(R"(
torsor.controller("reader", { summary = "reader", follows = "nothing", evaluate = function(model, input)
  assert(#input.sensors == 4 and input.sensors[1] == 1, "values")
  return { tau = { 9.81 + input.sensors[4] } }
end })
finger:sensor("touch", { link = "tip", bias = 2 })
finger:sensor("contact_force", { link = "tip" })
finger:control("reader", { rate = 1000, sensors = { "touch", "contact_force" } }))"),
            "");
}

TEST(SceneSensors, AreTheSameInEveryRun) {
  const std::string said = R"(
finger:sensor("imu", { frame = "tip", noise = { linear = 0.5 }, delay = 0.002, seed = 9 })
finger:control(function(t, state) return 9.81 - 0.1 * state.sensors.imu.linear[3] end,
  { rate = 500, sensors = { "imu" } }))";
  const auto a = run_of(said), b = run_of(said);
  EXPECT_EQ(a->simulation().state_hash(), b->simulation().state_hash());
  const auto c = run_of(said + "finger:sensor('touch', { link = 'tip' })");
  EXPECT_EQ(a->simulation().state().q()[0], c->simulation().state().q()[0]);
}

// One robot may read the sensors of another.
TEST(SceneSensors, OfOtherRobotsHaveTheirNames) {
  EXPECT_EQ(sensor_error(R"(
local other = torsor.robot{ name = "other" }
other:link{ name = "b", joint = { "prismatic", name = "r", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
other:sensor("imu", { frame = "b" })
world:add(other, { at = { xyz = {0, 5, 0} } })
finger:control(function(t, state) return state.sensors["other.imu"].linear[3] end,
  { rate = 100, sensors = { "other.imu" } }))"),
            "");
}

TEST(SceneSensors, RejectWrongArguments) {
  const auto error = [](const std::string& said) { return sensor_error(said); };
  EXPECT_THAT(error("finger:sensor('imv', { frame = 'tip' })"),
              AllOf(HasSubstr("scene.lua:9: "), HasSubstr("there is no sensor 'imv'"),
                    HasSubstr("did you mean 'imu'?")));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tol' })"),
              AllOf(HasSubstr("scene.lua:9: "), HasSubstr("did you mean 'tool'?")));
  EXPECT_THAT(error("finger:sensor('joint_wrench', { joint = 'rial' })"),
              AllOf(HasSubstr("scene.lua:9: "), HasSubstr("did you mean 'rail'?")));
  EXPECT_THAT(error("finger:sensor('touch', { link = 'tap' })"),
              AllOf(HasSubstr("scene.lua:9: "), HasSubstr("did you mean 'tip'?")));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip', nois = 1 })"),
              AllOf(HasSubstr("scene.lua:9: "), HasSubstr("did you mean 'noise'?")));
  EXPECT_THAT(
      error("finger:sensor('imu', { frame = 'tip', noise = { linear = -1 } })"),
      AllOf(HasSubstr("scene.lua:9: "), HasSubstr("noise.linear is -1; it must not be negative")));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip', noise = 0.1 })"),
              HasSubstr("noise is a number; it must be a table of angular and linear"));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip', noise = { force = 1 } })"),
              HasSubstr("force"));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip', delay = -0.1 })"),
              AllOf(HasSubstr("scene.lua:9: "), HasSubstr("delay is -0.1 s; it must not be")));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip', delay = 0.0015 })"),
              AllOf(HasSubstr("scene.lua:9: "),
                    HasSubstr("it must be a whole number of periods of 0.001 s")));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip', rate = 0 })"),
              HasSubstr("rate is 0 Hz; it must be positive"));
  EXPECT_THAT(error("finger:sensor('touch', { link = 'tip', threshold = -1 })"),
              HasSubstr("threshold is -1 N"));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip', name = 'a.b' })"),
              HasSubstr("must not be empty or contain dots"));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip' }) finger:sensor('imu', { frame = "
                    "'tool' })"),
              HasSubstr("another sensor of the robot has the same name"));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip' })\nfinger:control(function() return 0 "
                    "end, { rate = 100, sensors = { 'inu' } })"),
              AllOf(HasSubstr("scene.lua:10: "), HasSubstr("there is no sensor 'inu'"),
                    HasSubstr("did you mean 'imu'?")));
  EXPECT_THAT(error("finger:sensor('imu', { frame = 'tip' })\nfinger:control(function() return 0 "
                    "end, { sensors = { 'imu' } })"),
              HasSubstr("give it a sampling rate"));
  EXPECT_THAT(sensor_error("finger:sensor('imu', { frame = 'tip' })", "finger.sensor.imo"),
              HasSubstr("did you mean 'finger.sensor.imu'?"));
}

}  // namespace
}  // namespace torsor::test
