// Tests of arm:dynamics and arm:inverse_kinematics in control laws, which a run calls.

#include <thread>

#include "scripting/scene_run.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// Returns a planar arm of two joints with a control by the given law.
Experiment controlled(const std::string& law) {
  return load_with_plugins(R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
for k = 1, 2 do
  arm:link{ name = "link" .. k, parent = k > 1 and "link1" or nil, joint = { "revolute", name = "joint" .. k, axis = {0, 1, 0} },
            origin = { xyz = {k - 1, 0, 0} }, inertia = { mass = 1, com = {0.5, 0, 0}, about_com = { Ixx = 0, Iyy = 0.1, Izz = 0.1 } } }
end
arm:frame{ name = "tip", link = "link2", origin = { xyz = {1, 0, 0} } }
arm:set{ q = {0.3, 0.5}, v = {1, -2} }
local other = torsor.robot{ name = "other" }
local world = torsor.world()
world:add(arm)
local d = arm:dynamics{ solver = "newton_euler" }
arm:control(function(t, state) local q, v = state.q, state.v )" +
                           law + R"( end, { rate = 1000 })
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 0.5, record = { "arm.q" } })");
}

// Checks a law that sets the accelerations 1 and -1 by inverse dynamics: each joint moves by v t +
// vdot t^2 / 2. Runs in other threads must have the same bits.
TEST(LuaDynamicsInLaws, ServeLaws) {
  const Experiment experiment = controlled("return d:inverse(q, v, {1, -1})");
  const auto end = [&] {
    const auto run = finished(experiment);
    const std::span<const double> q = run->simulation().state().q();
    return std::vector<double>(q.begin(), q.end());
  };
  const std::vector<double> q = end();
  // The tolerance is that of torques held for a millisecond.
  EXPECT_NEAR(q[0], 0.3 + 0.5 + 0.125, 1e-2);
  EXPECT_NEAR(q[1], 0.5 - 1 - 0.125, 1e-2);
  std::vector<std::vector<double>> others(2);
  std::vector<std::thread> threads;
  for (auto& other : others) threads.emplace_back([&] { other = end(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : others) EXPECT_EQ(other, q);
}

TEST(LuaDynamicsInLaws, ServeLawsWithInverseKinematics) {
  const Experiment experiment = controlled(
      "local goal = arm:inverse_kinematics{ frame = 'tip', position = {1, 0, -1}, start = {0.2, 1} "
      "} local w = {} for k = 1, 2 do w[k] = 400 * (goal[k] - q[k]) - 40 * v[k] end return "
      "d:inverse(q, v, w)");
  const auto run = finished(experiment);
  const Model& model = *experiment.model;
  const Vec3<double> p =
      frame_pose(run->simulation().state(), model.frames[size_t(model.frame("tip"))]).p;
  EXPECT_LT(norm(p - Vec3<double>{1, 0, -1}), 1e-2);
}

TEST(LuaDynamicsInLaws, AreMadeWhileTheSceneIsLoaded) {
  const auto error = [](const std::string& law) -> std::string {
    const Experiment experiment = controlled(law);
    try {
      (void)finished(experiment);
    } catch (const Error& caught) {
      return caught.what();
    }
    return "";
  };
  EXPECT_THAT(error("return arm:dynamics():gravity(q)"),
              HasSubstr("scene.lua:13: a function that builds a scene works only while"));
  EXPECT_THAT(error("return other:inverse_kinematics{ frame = 'x', position = {0, 0, 0} }"),
              HasSubstr("a function that builds a scene works only while"));
  EXPECT_THAT(error("return d:gravity({0})"),
              HasSubstr("scene.lua:13: dynamics of 'arm': q has 1 entries"));
}

}  // namespace
}  // namespace torsor::test
