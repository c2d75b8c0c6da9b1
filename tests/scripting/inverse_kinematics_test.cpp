// Tests of arm:inverse_kinematics.

#include <cmath>

#include "scripting/dynamics_arm.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* planar = R"(
local arm = torsor.robot{ name = "arm" }
for k = 1, 3 do
  arm:link{ name = "link" .. k, parent = k > 1 and "link" .. k - 1 or nil,
            joint = { "revolute", name = "joint" .. k, axis = {0, 0, 1}, limits = { lower = -2, upper = 2 } },
            origin = { xyz = {k > 1 and 1 or 0, 0, 0} }, massless = true }
end
arm:frame{ name = "tip", link = "link3", origin = { xyz = {1, 0, 0} } }
local function show(q) for k = 1, #q do print(string.format("%.9f", q[k] + 1)) end end
)";

TEST(LuaInverseKinematics, FindsPositionsAndOrientations) {
  // The solution has links along x, then y, then -x. show() adds 1, so that a zero has no sign.
  const Outcome out = run(std::string(planar) + R"(
local q, how = arm:inverse_kinematics{ frame = "tip", pose = { xyz = {0, 1, 0}, rpy_deg = {0, 0, 180} }, start = {0.3, 1, 1.2} }
show(q)
print(how.stop, how.error < 1e-12, #how.residual, #how.limits, how.iterations > 1)
q = arm:inverse_kinematics{ frame = "tip", position = {2, 1, 0}, start = { joint2 = 0.5 }, hold = { joint1 = 0 } }
show(q)
q = arm:inverse_kinematics{ frame = "link1", orientation = { rpy = {0, 0, 0.75} } }
show(q)
q = arm:inverse_kinematics{ frame = "tip", pose = { xyz = {9, 2.2, 0}, rpy = {0, 0, 0.5} }, components = { "y", "rz" },
                            start = {0.4, 0.4, 0.4} }
print(string.format("%.9f %.9f", q[1] + q[2] + q[3], math.sin(q[1]) + math.sin(q[1] + q[2]) + math.sin(0.5))))");
  ASSERT_EQ(out.error, "");
  EXPECT_THAT(
      std::vector(out.printed.begin(), out.printed.begin() + 4),
      testing::ElementsAre("1.000000000", "2.570796327", "2.570796327", "found\ttrue\t6\t0\ttrue"));
  EXPECT_EQ(out.printed[4], "1.000000000");
  EXPECT_EQ(out.printed[7], "1.750000000");
  EXPECT_EQ(out.printed[10], "0.500000000 2.200000000");
}

TEST(LuaInverseKinematics, StatesWhyItFails) {
  const auto error = [](const std::string& said) {
    return run(std::string(planar) + "arm:inverse_kinematics{ frame = 'tip', " + said + " }").error;
  };
  const struct {
    const char *said, *message;
  } cases[] = {
      {"position = {4, 0, 0}, start = {0.1, 0.1, 0.1}",
       "scene.lua:10: inverse kinematics of 'arm': the target of frame 'tip' is out of reach: the "
       "frame stops 1 m from it"},
      {"position = {2.5, 0, 0}",
       "in a singular configuration: it cannot be moved along (rotation 0 0 0, translation -1 0 "
       "0)"},
      {"position = {-2.9, 0, 0}, start = {1, 0.1, 0.1}",
       "at joint limits: the upper limit of joint 'joint1'"},
      {"position = {1, 1, 0}, start = {0, 0, 3}",
       "the start is outside the limits of joint 'joint3': 3 is above the upper limit 2"},
      {"position = {1, 1, 0}, start = {0, 0}",
       "start has 2 entries; it must be a list of 3 numbers"},
      {"position = {1, 1, 0}, hold = { joint4 = 0 }",
       "hold.joint4 is unknown: there is no joint 'joint4'; did you mean 'joint1'?"},
      {"position = {1, 1, 0}, components = { 'rz' }",
       "the component 'rz' is requested, but the target does not contain it"},
      {"position = {1, 1, 0}, components = { 'w' }",
       "there is no component 'w'; the components are rx, ry, rz, x, y, z"},
      {"position = {1, 1, 0}, components = {}", "there are no components"},
      {"position = {1, 1}", "position has 2 entries"},
      {"position = {1, 1, 0 / 0}", "position[3] is NaN"},
      {"orientation = { xyz = {0, 0, 0}, rpy = {0, 0, 0} }",
       "orientation has xyz; use 'pose' for position and orientation"},
      {"pose = { rpy = {0, 0, 0} }",
       "pose has no xyz; use 'orientation' for an orientation without position"},
      {"pose = { xyz = {0, 0, 0} }",
       "pose has no rotation; use 'position' for a position without orientation"},
      {"pose = { xyz = {0, 0, 0} }, position = {0, 0, 0}", "has both pose and position"},
      {"tolerance = 0, position = {0, 0, 0}", "tolerance is 0; it must be positive"},
      {"max_iterations = 1e9, position = {0, 0, 0}", "it must be a whole number from 1 to 10000"},
      {"max_iterations = 1, start = {1, 1, 1}, position = {0.5, 0.5, 0}",
       "from its target after 1 iterations; another start or more iterations may reach it"},
      {"positon = {0, 0, 0}", "unknown key 'positon'; did you mean 'position'?"},
  };
  for (const auto& c : cases) EXPECT_THAT(error(c.said), HasSubstr(c.message)) << c.said;
  EXPECT_THAT(
      run(std::string(planar) + "arm:inverse_kinematics{ frame = 'tipp', position = {0, 0, 0} }")
          .error,
      HasSubstr("scene.lua:10: inverse kinematics of 'arm': there is no link or frame 'tipp'; did "
                "you mean 'tip'?"));
  EXPECT_EQ(run(std::string(planar) + "arm:inverse_kinematics{ position = {0, 0, 0} }").error,
            "scene.lua:10: inverse kinematics of 'arm': frame is missing");
  const Outcome tried = run(std::string(planar) + R"(
local q, how = arm:inverse_kinematics{ frame = "tip", position = {-2.9, 0, 0}, start = {1, 0.1, 0.1}, required = false }
print(how.stop, how.limits[1].joint, how.limits[1].side, q[1], how.error > 0.1))");
  ASSERT_EQ(tried.error, "");
  EXPECT_EQ(tried.printed[0], "at_limits\tjoint1\tupper\t2.0\ttrue");
}

}  // namespace
}  // namespace torsor::test
