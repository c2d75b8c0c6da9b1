// Tests of arm:trajectory: valid and rejected arguments.

#include <cmath>
#include <fstream>

#include "scripting/scene_run.hpp"

namespace torsor::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The result of a scene: printed lines, error and experiment.
struct Said {
  std::vector<std::string> printed;
  std::string error;
  std::optional<Experiment> experiment;
};
Said trajectory_scene(const std::string& said, const Registry* plugins = &registry()) {
  const ScriptFolder folder;
  const std::filesystem::path file = folder.write("scene.lua", R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
local body = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }
arm:link{ name = "a", joint = { "prismatic", name = "rail", axis = {1, 0, 0} }, inertia = body }
arm:link{ name = "b", parent = "a", joint = { "revolute", name = "elbow", axis = {0, 0, 1} }, inertia = body }
arm:link{ name = "c", parent = "b", joint = { "spherical", name = "ball", point = {0, 0, 0} }, inertia = body }
local world = torsor.world{ gravity = {0, 0, 0} }
)" + said + R"(
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = 1, record = { "arm.q" } })");
  folder.write("rows.csv", "t,rail,elbow,w,x,y,z\n0,0,0,1,0,0,0\n1,2,4,1,0,0,0\n");
  Said out;
  Script script({.print = [&](std::string_view line) { out.printed.emplace_back(line); },
                 .plugins = plugins});
  try {
    out.experiment = script.load_scene(file);
  } catch (const Error& error) {
    out.error = error.what();
    if (const size_t at = out.error.find(folder.path().string() + "/"); at != std::string::npos)
      out.error.erase(at, folder.path().string().size() + 1);
    EXPECT_EQ(out.error.find('\n'), std::string::npos) << out.error;
  }
  return out;
}
std::vector<std::string> printed(const std::string& said) {
  const Said out = trajectory_scene(said);
  EXPECT_EQ(out.error, "");
  return out.printed;
}

constexpr const char* quintic =
    "local move = arm:trajectory('quintic', { from = { elbow = 1 }, to = { elbow = 2, rail = 4 }, "
    "duration = 2 })\n";

TEST(SceneTrajectories, HaveTheirProperties) {
  EXPECT_THAT(
      printed(std::string(quintic) +
              "print(move.duration, move.smoothness, move.order, #move.breaks, move.breaks[2])"),
      ElementsAre("2.0\t2.0\t4\t2\t2.0"));
  EXPECT_THAT(
      printed("print(arm:trajectory('sinusoid', { center = {0, 0, 1, 0, 0, 0}, amplitude = 1, "
              "frequency = 1 }).smoothness)"),
      ElementsAre("inf"));
}

// Checks positions given by name and in the order of the dof. Positions that are not given are
// neutral.
TEST(SceneTrajectories, GiveTheMotionAtATime) {
  EXPECT_THAT(printed(std::string(quintic) + R"(local at = move:at(1)
print(at.q[1], at.q[2], at.q[3], #at.q, at.v[1], #at.v, at.vdot[1], at.vddot[1], at.vdddot[2])
print(move:at(-1).q[2], move:at(9).q[2], move:at(9).v[2]))"),
              ElementsAre("2.0\t1.5\t1.0\t6\t3.75\t5\t0.0\t-15.0\t0.0", "1.0\t2.0\t0.0"));
  EXPECT_THAT(
      printed(
          "local move = arm:trajectory('linear', { from = {0, 0, 1, 0, 0, 0}, to = {1, 2, 1, 0, "
          "0, 0}, speed = {1, 1, 9, 9, 9} })\n"
          "print(move.duration, move:at(1).q[1])"),
      ElementsAre("2.0\t0.5"));
}

TEST(SceneTrajectories, OfAFrameGivePosesAndTwists) {
  EXPECT_THAT(
      printed(R"(local line = arm:trajectory("straight_line", { law = "linear", duration = 2,
  from = { xyz = {0, 0, 1} }, to = { xyz = {4, 0, 1}, rpy_deg = {0, 0, 90} } })
local at = line:at(1)
print(at.pose.xyz[1], at.pose.xyz[3], math.abs(at.pose.rotation[1][1] - math.sqrt(0.5)) < 1e-14, at.twist.linear[1],
  math.abs(at.twist.angular[3] - math.pi / 4) < 1e-14, at.twist_dot.linear[1], at.q)
print(arm:trajectory("straight_line", { from = line:at(0).pose, to = at.pose, speed = 1, angular_speed = 10 }).duration))"),
      ElementsAre("2.0\t1.0\ttrue\t2.0\ttrue\t0.0\tnil", "3.75"));
}

TEST(SceneTrajectories, TakePathsFromListsAndFiles) {
  EXPECT_THAT(printed("print(arm:trajectory('playback', { path = 'rows.csv', interpolation = "
                      "'linear' }):at(0.25).q[2])"),
              ElementsAre("1.0"));
  EXPECT_THAT(
      printed(
          "print(arm:trajectory('cubic_spline', { path = { {0, {rail = 1}}, {2, {rail = 3}}, {3, "
          "{0, 0, 1, 0, 0, 0}} } }):at(2).q[1])"),
      ElementsAre("3.0"));
  EXPECT_THAT(
      printed(
          "print(arm:trajectory('fourier', { center = {1, 0, 1, 0, 0, 0}, frequency = 1, cosine "
          "= { {1, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0} } }):at(0).q[1])"),
      ElementsAre("4.0"));
}

// Checks that a function called by a run may evaluate a trajectory, and that a joint may follow a
// trajectory directly.
TEST(SceneTrajectories, AreFollowedInTheRun) {
  const std::string start = "arm:set{ q = move:at(0).q }\n";
  const auto end = [](const Said& said) {
    EXPECT_EQ(said.error, "");
    return finished(*said.experiment)->simulation().state();
  };
  const std::string by_function =
      "arm:prescribe{ motion = { rail = function(t) local at = move:at(t) return at.v[1], "
      "at.vdot[1] end } }";
  for (const std::string& how :
       {by_function, std::string("arm:prescribe{ motion = { rail = move } }")}) {
    const State state = end(trajectory_scene(quintic + start + how));
    EXPECT_NEAR(state.q()[0], 2, 1e-9);
    EXPECT_NEAR(state.v[0], 3.75, 1e-13);
    EXPECT_NEAR(state.q()[1], 1, 1e-13);
  }
}

// Checks a prescribed motion whose acceleration jumps within steps. The result is accurate to the
// order of the step.
TEST(SceneTrajectories, OfATrapezeAreFollowed) {
  const Said said = trajectory_scene(
      R"(local move = arm:trajectory("trapeze", { from = { rail = 0 }, to = { rail = 1, elbow = -1 }, speed = 2, acceleration = 7 })
arm:prescribe{ motion = { rail = move, elbow = move } })");
  ASSERT_EQ(said.error, "");
  const auto run = finished(*said.experiment);
  EXPECT_NEAR(run->simulation().state().q()[0], 1, 1e-3);
  EXPECT_NEAR(run->simulation().state().q()[1], -1, 1e-3);
  EXPECT_NEAR(run->simulation().state().v[1], 0, 1e-12);
}

TEST(SceneTrajectories, AreRejectedWithTheirLine) {
  const auto expect = [](const std::string& said, const std::string& message) {
    EXPECT_THAT(trajectory_scene(said).error, HasSubstr("scene.lua:8: " + message)) << said;
  };
  expect("arm:trajectory('quintc', {})",
         "there is no trajectory 'quintc'; did you mean 'quintic'?");
  expect("arm:trajectory('quintic')",
         "arm:trajectory takes the name of a trajectory plugin and a table of its parameters");
  expect("arm:trajectory('quintic', {})", "'trajectory.quintic' needs its parameter 'from'");
  expect("arm:trajectory('quintic', { frm = {0} })",
         "'trajectory.quintic' has no parameter 'frm'; did you mean 'from'?");
  expect("arm:trajectory('quintic', { from = 1 })",
         "trajectory 'quintic': from is a number; it must be a position of the joints");
  expect("arm:trajectory('quintic', { from = { elbw = 1 } })",
         "trajectory 'quintic': from has the key 'elbw', which is not a moving joint; did you mean "
         "'elbow'?");
  expect("arm:trajectory('quintic', { from = { ball = 1 } })",
         "trajectory 'quintic': from.ball is one number; this joint has 4 coordinates");
  expect("arm:trajectory('quintic', { from = { elbow = 0/0 } })",
         "trajectory 'quintic': from.elbow is NaN");
  expect("arm:trajectory('quintic', { from = { ball = {2, 0, 0, 0} } })",
         "parameter 'from' of 'trajectory.quintic' has an impossible position: joint 'ball': the "
         "quaternion");
  expect("arm:trajectory('cubic_spline', { path = { {0, {rail = 0}}, {1, 2} } })",
         "trajectory 'cubic_spline': path[2] is a number; it must be a position");
  expect("arm:trajectory('cubic_spline', { path = { {0} } })",
         "trajectory 'cubic_spline': path[1] is not a row { time, position }");
  expect("arm:trajectory('cubic_spline', { path = { {1, {rail = 0}}, {0, {rail = 0}} } })",
         "parameter 'path' of 'trajectory.cubic_spline' row 2 has the time 0 s");
  expect("arm:trajectory('playback', { path = 'rws.csv' })",
         "trajectory 'playback': path cannot be read: ");
  expect("arm:trajectory('straight_line', { from = { xyz = {0, 0} } })",
         "trajectory 'straight_line': from.xyz has 2 entries");
  expect("arm:trajectory('fourier', { center = { rail = 0 }, sine = {1} })",
         "trajectory 'fourier': sine[1] is 1; it must be a list of numbers");
  expect(
      std::string("local move = arm:trajectory('linear', { from = { rail = 0 }, to = { rail = 1 }, "
                  "duration = 1 }) ") +
          "arm:link{ name = 'd' }",
      "arm:link{...}: the dynamics, kinematics or a trajectory of robot 'arm' are already in use; "
      "change the robot before them");
  EXPECT_THAT(trajectory_scene(std::string(quintic) + "move.durations = 1").error,
              HasSubstr("scene.lua:9:"));
  EXPECT_THAT(trajectory_scene(std::string(quintic) + "print(move.durations)").error,
              HasSubstr("trajectory has no 'durations'"));
  EXPECT_THAT(trajectory_scene(std::string(quintic) + "move:at()").error,
              HasSubstr("move:at: t is missing; it must be a number"));
  EXPECT_THAT(
      trajectory_scene(std::string(quintic) + "arm:prescribe{ motion = { wrist = move } }").error,
      HasSubstr("scene.lua:9: robot 'arm': there is no moving joint 'wrist'"));
  EXPECT_THAT(
      trajectory_scene(
          "local line = arm:trajectory('straight_line', { from = {}, to = { xyz = {1, 0, 0} }, "
          "duration = 1 })\n"
          "arm:prescribe{ motion = { rail = line } }")
          .error,
      HasSubstr("scene.lua:9: robot 'arm': trajectory 'trajectory.straight_line' does not move "
                "joint 'rail'"));
  EXPECT_THAT(
      trajectory_scene(quintic, nullptr).error,
      HasSubstr("trajectory 'quintic': plugins are not available where this scene is loaded"));
}

// Checks that q and -q of a quaternion are the same pose, and that a list of poses may have every
// form of rotation.
TEST(SceneTrajectories, PassPoses) {
  EXPECT_THAT(printed(R"(local function path(sign)
  return arm:trajectory("pose_spline", { speed = 0.5, acceleration = 2, poses = {
    { xyz = {0, 0, 1} }, { xyz = {1, 0, 1}, quaternion = {sign * 0.6, 0, 0, sign * 0.8} },
    { xyz = {1, 1, 1}, rpy_deg = {0, 60, 100} } } })
end
local a, b = path(1), path(-1)
local same = a.duration == b.duration
for k = 0, 20 do
  local x, y = a:at(k / 20 * a.duration), b:at(k / 20 * a.duration)
  for i = 1, 3 do
    same = same and x.pose.xyz[i] == y.pose.xyz[i] and x.twist.angular[i] == y.twist.angular[i]
  end
end
print(same, a.smoothness, a:at(a.duration).pose.xyz[2]))"),
              ElementsAre("true\t2.0\t1.0"));
}

TEST(SceneTrajectories, FormSequences) {
  EXPECT_THAT(printed(std::string(quintic) + R"(
local back = arm:trajectory("quintic", { from = move:at(9).q, to = { elbow = 1 }, duration = 1 })
local both = torsor.sequence{ move, 0.5, back, smoothness = 2 }
print(both.duration, both.smoothness, #both.breaks, both:at(2.2).q[2], both:at(3.5).q[2])
arm:prescribe{ motion = { elbow = both } }
arm:set{ q = both:at(0).q })"),
              ElementsAre("3.5\t2.0\t4\t2.0\t1.0"));
}

TEST(SceneTrajectories, RefusedSequencesNameTheirLine) {
  const auto expect = [](const std::string& said, const std::string& message) {
    EXPECT_THAT(trajectory_scene(std::string(quintic) + said).error,
                HasSubstr("scene.lua:9: " + message))
        << said;
  };
  expect(
      "torsor.sequence{ move, move }",
      "the sequence jumps in position by -4 m (rail) between entries 1 and 2, at 2 s; start each "
      "motion where the one before ends");
  expect("torsor.sequence{}", "the sequence has no motion; give at least one trajectory");
  expect("torsor.sequence()", "torsor.sequence");
  expect("torsor.sequence{ move, -1 }", "the sequence has a pause of -1 s as entry 2");
  expect("torsor.sequence{ move, 'x' }",
         "torsor.sequence: has a string as entry 2; give trajectories and pauses in s");
  expect("torsor.sequence{ move, smoothness = 0 }",
         "torsor.sequence: smoothness is 0; give a whole number from 1 to 4");
  expect("torsor.sequence{ move, smooth = 2 }", "torsor.sequence");
  expect("arm:trajectory('pose_spline', { speed = 1, poses = {} })",
         "trajectory 'trajectory.pose_spline': it has 0 poses; a path needs two or more");
  expect("arm:trajectory('pose_spline', { speed = 1, poses = { {}, { xyz = {1, 0} } } })",
         "trajectory 'pose_spline': poses[2].xyz has 2 entries");
  expect("arm:trajectory('pose_lines', { poses = { {}, { quaternion = {1, 1, 0, 0} } } })",
         "trajectory 'pose_lines': poses[2].quaternion");
  expect(
      "arm:trajectory('pose_lines', { poses = { {}, { rotation = "
      "{ {1, 0, 0}, {0, 1, 0}, {0, 0, -1} } } } })",
      "trajectory 'pose_lines': poses[2].rotation");
  expect("arm:trajectory('pose_lines', { poses = { xyz = {0, 0, 0} } })",
         "trajectory 'pose_lines': poses");
}

// Checks that a joint that mimics another moves with it if no motion is given for it.
TEST(SceneTrajectories, MimicJointsFollowByDefault) {
  EXPECT_THAT(printed(R"(local two = torsor.robot{ name = "two" }
two:link{ name = "a", joint = { "revolute", name = "one", axis = {0, 0, 1} }, inertia = body }
two:link{ name = "b", parent = "a", joint = { "revolute", name = "other", axis = {0, 0, 1}, mimic = { joint = "one", ratio = 2, offset = 1 } }, inertia = body }
local move = two:trajectory("cubic", { from = { one = 0 }, to = { one = 1 }, duration = 1 })
print(move:at(0).q[2], move:at(0.5).q[2], move:at(1).q[2], move:at(0.5).v[2]))"),
              ElementsAre("1.0\t2.0\t3.0\t3.0"));
}

}  // namespace
}  // namespace torsor::test
