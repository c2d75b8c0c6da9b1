// Tests of the reference of a control and the motion of its robot, in the panel of controllers and
// as signals.

#include "editor/probe/tracking.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "editor/probe/probe.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session_fixture.hpp"
#include "torsor/sdk/param_rows.hpp"

namespace torsor::editor::test {
namespace {

using testing::ElementsAre;

constexpr const char* scene_text = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0} },
          inertia = { mass = 1, com = {0, 0, -0.5}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.01 } } }
arm:link{ name = "ball", parent = "rod", origin = { xyz = {0, 0, -1} }, joint = { "spherical", name = "ball" },
          inertia = { mass = 0.5, com = {0, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } } }
local world = torsor.world{}
world:add(arm)
arm:set{ q = { hinge = 0.3 } }
arm:control(function(t, state, ref) return { 5 * (ref.q[1] - state.q[1]), 0, 0.01, 0 } end,
  { name = "law", rate = 100, max_torque = { 0.5, 1, 1, 1 },
    reference = function(t)
      return { q = { math.sin(t), math.cos(t / 2), 0, 0, math.sin(t / 2) }, v = { math.cos(t), 0, 0, 1 } }
    end })
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 0.5,
                         record = { "arm.law.q_ref", "arm.law.v_ref", "arm.law.error" }, record_interval = 0.1 }
)";

class TrackingTest : public SessionTest {};

TEST_F(TrackingTest, IsWhatTheLawFollowsBesideWhatTheRobotDoes) {
  Session session(shipped_plugins(), SessionOptions{write("arm.lua", scene_text), {}, {}});
  ASSERT_TRUE(settled(session)->scene) << problems(*session.now());
  session.post(command::Step{200});
  const auto now = settled(session);
  Probe probe;
  probe.look_at(now);
  const Control& control = now->scene->experiment.load.controls.at(0);
  const Tracking tracked = tracking(probe, control, 0);
  EXPECT_EQ(tracked.failure, "");
  ASSERT_EQ(tracked.entries.size(), 4u);
  const double t = now->time();
  const Tracked& hinge = tracked.entries[0];
  EXPECT_EQ(hinge.name, "hinge");
  EXPECT_DOUBLE_EQ(hinge.reference, std::sin(t));
  EXPECT_DOUBLE_EQ(hinge.reference_rate, std::cos(t));
  EXPECT_EQ(hinge.actual, now->state.q[0]);
  EXPECT_EQ(hinge.rate, now->state.v[0]);
  EXPECT_DOUBLE_EQ(hinge.error, hinge.reference - hinge.actual);
  EXPECT_EQ(hinge.limit, 0.5);
  const Tracked& turn = tracked.entries[3];
  EXPECT_EQ(turn.name, "ball.rz");
  EXPECT_DOUBLE_EQ(turn.reference, t) << "a turn about z by t";
  EXPECT_EQ(turn.reference_rate, 1);
  // By definition, e is the displacement from q to q_ref, for all joints.
  std::vector<double> e, q = now->state.q;
  for (const Tracked& entry : tracked.entries) e.push_back(entry.error);
  integrate(now->scene->model(), q.data(), e.data(), 1, q.data());
  const double wanted[] = {std::sin(t), std::cos(t / 2), 0, 0, std::sin(t / 2)};
  for (size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(q[k], wanted[k], 1e-12) << k;
  EXPECT_EQ(tracked.entries[2].requested, 0.01);
  EXPECT_FALSE(tracked.entries[2].saturated());
}

TEST_F(TrackingTest, ATorqueAtItsLimitIsMarked) {
  Session session(shipped_plugins(), SessionOptions{write("arm.lua", scene_text), {}, {}});
  ASSERT_TRUE(settled(session)->scene) << problems(*session.now());
  Probe probe;
  probe.look_at(session.now());
  const Control& control = session.now()->scene->experiment.load.controls.at(0);
  const Tracked hinge = tracking(probe, control, 0).entries.at(0);
  EXPECT_EQ(hinge.requested, -0.5) << "5 (0 - 0.3), cut";
  EXPECT_EQ(hinge.motor_torque, -0.5);
  EXPECT_TRUE(hinge.saturated());
}

TEST_F(TrackingTest, ItsSignalsAreRecordedAndSampled) {
  Session session(shipped_plugins(), SessionOptions{write("arm.lua", scene_text), {}, {}});
  ASSERT_TRUE(settled(session)->scene) << problems(*session.now());
  session.post(command::Step{150});
  const auto now = settled(session);
  Sampler sampler;
  sampler.request(now, {"arm.law.q_ref", "arm.law.error", "arm.law.v_ref"});
  ASSERT_TRUE(sampler.wait(std::chrono::seconds(60)));
  sampler.read("arm.law.q_ref", [&](const Samples& samples) {
    EXPECT_EQ(samples.failure, "");
    ASSERT_EQ(samples.columns.size(), 5u);
    EXPECT_EQ(samples.columns[1].name, "arm.law.q_ref.ball.qw");
    EXPECT_EQ(samples.columns[0].unit, "rad");
    for (size_t k = 0; k < samples.time.size(); ++k)
      EXPECT_DOUBLE_EQ(samples.values[0][k], std::sin(samples.time[k]));
  });
  Probe probe;
  probe.look_at(now);
  const Tracking tracked = tracking(probe, now->scene->experiment.load.controls.at(0), 0);
  sampler.read("arm.law.error", [&](const Samples& samples) {
    ASSERT_EQ(samples.columns.size(), 4u);
    for (size_t k = 0; k < 4; ++k)
      EXPECT_EQ(samples.values[k][samples.time.size() - 1], tracked.entries[k].error) << k;
  });
  sampler.read("arm.law.v_ref",
               [&](const Samples& samples) { EXPECT_EQ(samples.columns[0].unit, "rad/s"); });
}

// A scene with floating and planar joints. In v the angular velocity is first, in q the position.
// Each tracked entry must combine coordinates of the same direction.
constexpr const char* bases_scene = R"(
local torsor = require "torsor"
local inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } }
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "ship", joint = { "floating", name = "ship", motors = true },
          inertia = inertia }
arm:link{ name = "puck", parent = "ship", joint = { "planar", name = "puck", axis = {0, 0, 1} }, inertia = inertia }
arm:link{ name = "ball", parent = "puck", joint = { "spherical", name = "ball" }, inertia = inertia }
local world = torsor.world{}
world:add(arm)
arm:control(function() return { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } end, { name = "law", rate = 1000,
    reference = function() return { q = { 0.1, 0.2, 0.3, 1, 0, 0, 0, 0.4, 0.5, 0, math.cos(0.3), math.sin(0.3), 0, 0 },
                                    v = { 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 } } end })
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 0.5,
                         record = { "arm.law.error", "arm.tau" } }
)";

TEST_F(TrackingTest, EachRowIsOfOneDirectionOfPlanarAndFloatingJoints) {
  Session session(shipped_plugins(), SessionOptions{write("bases.lua", bases_scene), {}, {}});
  const auto now = settled(session);
  ASSERT_TRUE(now->scene) << problems(*now);
  Probe probe;
  probe.look_at(now);
  const Control& control = now->scene->experiment.load.controls.at(0);
  const Tracking tracked = tracking(probe, control, 0);
  EXPECT_EQ(tracked.failure, "");
  std::vector<std::string> names;
  for (const Tracked& row : tracked.entries)
    names.push_back(fmt::format("{} {} {:g} {:g} {:g} {:g}", row.name, row.unit, row.reference,
                                row.error, row.reference_rate, row.motor_torque));
  EXPECT_THAT(
      names,
      ElementsAre("ship.rx rad 0 0 21 1", "ship.ry rad 0 0 22 2", "ship.rz rad 0 0 23 3",
                  "ship.x m 0.1 0.1 24 4", "ship.y m 0.2 0.2 25 5", "ship.z m 0.3 0.3 26 6",
                  "puck.angle rad 0 0 27 7", "puck.x m 0.4 0.4 28 8", "puck.y m 0.5 0.5 29 9",
                  "ball.rx rad 0.6 0.6 30 10", "ball.ry rad 0 0 31 11", "ball.rz rad 0 0 32 12"));
  EXPECT_EQ(tracked.entries[3].column, "ship.vx");
  Sampler sampler;  // the values as they are recorded
  sampler.request(now, {"arm.law.error", "arm.tau"});
  ASSERT_TRUE(sampler.wait(std::chrono::seconds(60)));
  for (size_t k = 0; k < 12; ++k) {
    sampler.read("arm.law.error", [&](const Samples& samples) {
      EXPECT_EQ(samples.values.at(k)[0], tracked.entries[k].error) << samples.columns[k].name;
    });
    sampler.read("arm.tau", [&](const Samples& samples) {
      EXPECT_EQ(samples.values.at(k)[0], tracked.entries[k].motor_torque)
          << samples.columns[k].name;
    });
  }
  const std::vector<double> drawn = reference_over(now->scene->model(), control, {0}).at(0);
  for (size_t k = 0; k < 12; ++k) EXPECT_EQ(drawn[k], tracked.entries[k].reference) << k;
}

TEST_F(TrackingTest, AReferenceIsThereAtAnyTime) {
  Session session(shipped_plugins(), SessionOptions{write("arm.lua", scene_text), {}, {}});
  const auto now = settled(session);
  ASSERT_TRUE(now->scene) << problems(*now);
  const auto values =
      reference_over(now->scene->model(), now->scene->experiment.load.controls.at(0), {0, 1.5});
  ASSERT_EQ(values.size(), 2u);
  EXPECT_THAT(values[0], ElementsAre(0, 0, 0, 0));
  EXPECT_DOUBLE_EQ(values[1][0], std::sin(1.5));
  EXPECT_DOUBLE_EQ(values[1][3], 1.5);
}

TEST(FollowedFrame, IsNamedFrameOrTheOnlyOne) {
  const auto setting = [](const char* name, std::vector<const char*> frames) {
    std::vector<FramePlace> places;
    for (const char* frame : frames) places.push_back({frame});
    return Setting{name, "", places};
  };
  const auto row = [](const char* name) { return sdk::frame(name, "", 0); };
  const std::vector<torsor_param> rows{row("base"), row("frame"), row("sensors")};
  const auto followed = [&](const std::vector<Setting>& settings) {
    return followed_frame(rows, settings);
  };
  const Setting base = setting("base", {"mount"}), frame = setting("frame", {"tip"}),
                sensors = setting("sensors", {"left", "right"});
  EXPECT_EQ(followed({base, frame, sensors}), "tip");
  EXPECT_EQ(followed({frame, base}), "tip");
  EXPECT_EQ(followed({base, sensors}), "mount") << "the only parameter that is one frame";
  EXPECT_EQ(followed({sensors}), "");
  EXPECT_EQ(followed({base, setting("sensors", {"left"})}), "") << "it is unknown which one";
  EXPECT_EQ(followed({}), "");
}

}  // namespace
}  // namespace torsor::editor::test
