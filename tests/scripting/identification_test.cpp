// Tests of arm:identify, arm:exciting_motion and arm:set_parameters in scripts.

#include <gmock/gmock.h>

#include "scripting/scene_run.hpp"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Loads a scene of an iiwa that executes the statements. Returns what they print, or the error.
std::string said(const std::string& statements, const std::string& recording = "") {
  std::string out;
  const ScriptFolder folder;
  if (!recording.empty()) folder.write("run.csv", recording);
  Script script({.scripts = {},
                 .limits = {},
                 .print = [&](std::string_view line) { out += std::string(line) + "\n"; },
                 .plugins = &registry()});
  try {
    script.load_scene(folder.write("scene.lua", R"(local torsor = require "torsor"
local arm = require("robots.planar").build{ n = 2, lengths = {0.5, 0.4}, masses = {0.6, 0.3} }
)" + statements + R"(
local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 0.01 }, duration = 1, record = { "planar.q" } })"));
  } catch (const Error& error) {
    return error.what();
  }
  return out;
}

// The torques of two point masses follow from d:inverse. The recording has no rates. The equations
// are exact, because both sides are filtered. A prediction compares the torques as measured with
// those of the filtered positions: at the automatic cut-off, the filter takes 0.2 % of them.
TEST(LuaIdentification, FindsParametersFromARecording) {
  const std::string rows = said(R"(
local waves = arm:trajectory("fourier", { frequency = 0.2, center = {0.3, -0.2},
  sine = {{0.5, 0.2, 0.1}, {0.3, -0.4, 0.2}}, cosine = {{0.2, 0.1, -0.1}, {-0.1, 0.2, 0.1}} })
local d = arm:dynamics{ solver = "newton_euler", gravity = {0, -9.81, 0} }
print("time [s],planar.q.joint1 [rad],planar.q.joint2 [rad],planar.tau.joint1 [N m],planar.tau.joint2 [N m]")
for k = 0, 1000 do
  local at = waves:at(k / 100)
  local tau = d:inverse(at.q, at.v, at.vdot)
  print(string.format("%.17g,%.17g,%.17g,%.17g,%.17g", k / 100, at.q[1], at.q[2], tau[1], tau[2]))
end)");
  ASSERT_THAT(rows, HasSubstr("time [s]"));
  const std::string found = said(R"(
local found = arm:identify{ recording = "run.csv", validate = {"run.csv"}, gravity = {0, -9.81, 0} }
for k, name in ipairs(found.names) do
  assert(math.abs(found.estimate[k] - found.model[k]) < 1e-6, name)
  assert(math.abs(found.physical[k] - found.model[k]) < 1e-4, name)
end
print(#found.names, found.validation[1].relative_error < 4e-3, found.validation[1].joints[2].name))",
                                 rows);
  EXPECT_THAT(found, AllOf(HasSubstr("true"), HasSubstr("joint2")));
  EXPECT_THAT(said("arm:identify{ recording = 'run.csv', cutoff = 80 }", rows),
              HasSubstr("the cut-off of 80 Hz must be above 0 and below 50 Hz"));
  EXPECT_THAT(said("arm:identify{ recording = 'run.csv', cutoff = -1 }", rows),
              HasSubstr("scene.lua:3: identify of 'planar': cutoff is -1"));
  EXPECT_THAT(said("arm:identify{ recording = 'run.csv', weights = 'best' }", rows),
              HasSubstr("weights is 'best'; use residuals or equal"));
  EXPECT_THAT(said("arm:identify{ recording = 'other.csv' }", rows), HasSubstr("other.csv"));
  EXPECT_THAT(said("arm:identify{ recordin = 'run.csv' }", rows), HasSubstr("did you mean"));
}

TEST(LuaIdentification, FindsExcitingMotions) {
  EXPECT_THAT(said(R"(
local found = arm:exciting_motion{ velocity = 2, evaluations = 60, harmonics = 3, gravity = {0, -9.81, 0} }
local waves = arm:trajectory("fourier", found.parameters)
assert(found.condition <= found.random_condition)
print("rest", math.abs(waves:at(0).v[1]) < 1e-12, #found.parameters.sine[1]))"),
              HasSubstr("rest\ttrue\t3"));
  EXPECT_THAT(said("arm:exciting_motion{ harmonics = 1 }"),
              HasSubstr("harmonics is 1; give a whole number from 2 to 50"));
  EXPECT_THAT(said("arm:exciting_motion{ frequency = 0 }"), HasSubstr("frequency"));
  EXPECT_THAT(said("arm:exciting_motion{ evaluations = 1.5 }"), HasSubstr("evaluations is 1.5"));
}

TEST(LuaIdentification, SetsParameters) {
  EXPECT_THAT(said(R"(
arm:set_parameters{
  links = { link2 = { mass = 2, first_moment = {0.2, 0, 0},
    about_origin = { Ixx = 0.01, Iyy = 0.05, Izz = 0.05, Ixy = 0, Ixz = 0, Iyz = 0 } } },
  joints = { { joint = "joint1", armature = 0.5, viscous = 0.1, coulomb = 0.2 } } }
local d = arm:dynamics{ solver = "newton_euler", gravity = {0, 0, 0} }
print(string.format("%.3f", d:inverse({0, 0}, {0, 0}, {0, 1})[2])))"),
              HasSubstr("0.050"));
  EXPECT_THAT(said("arm:set_parameters{ links = { hand = { mass = 1, first_moment = {0, 0, 0}, "
                   "about_origin = { Ixx = 1, Iyy = 1, Izz = 1, Ixy = 0, Ixz = 0, Iyz = 0 } } } }"),
              HasSubstr("robot 'planar' has no link 'hand'"));
  EXPECT_THAT(said("arm:set_parameters{ joints = { { joint = 'elbow', viscous = 1 } } }"),
              HasSubstr("has no moving joint 'elbow'"));
  EXPECT_THAT(said("arm:set_parameters{ joints = { { joint = 'joint1', viscous = -1 } } }"),
              HasSubstr("viscous is -1; it must not be negative"));
  EXPECT_THAT(
      said("arm:set_parameters{ joints = { { joint = 'joint1', dof = 4, armature = 1 } } }"),
      HasSubstr("scene.lua:3: set_parameters of robot 'planar': joint 'joint1' has no dof 4; it is "
                "revolute and has 1 dof"));
  EXPECT_THAT(said("arm:set_parameters{}"), HasSubstr("nothing to set; give links or joints"));
  EXPECT_THAT(said("arm:set_parameters{ links = { link1 = { mass = -1, first_moment = {0, 0, 0}, "
                   "about_origin = { Ixx = 1, Iyy = 1, Izz = 1, Ixy = 0, Ixz = 0, Iyz = 0 } } } }"),
              HasSubstr("scene.lua:3: link 'link1': mass -1 kg is negative"));
}

}  // namespace
}  // namespace torsor::test
