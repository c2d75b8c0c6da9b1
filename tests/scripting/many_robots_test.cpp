// Tests of loading and recording a world of many robots. The work must grow linearly with their
// number. Work is counted in allocated memory blocks, because every copy of a name, a list or a
// table allocates. The tests do not depend on the speed of the machine.

#include <gtest/gtest.h>

#include "scripting/scene_run.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::test {
namespace {

// Returns a scene of n double pendulums, each with a frame and a control. The scene records six
// signals of each.
std::string world_of(int n) {
  return R"(
local torsor = require "torsor"
local world = torsor.world{}
local record = { "energy" }
for k = 1, )" +
         std::to_string(n) + R"( do
  local arm = torsor.robot{ name = "arm" .. k }
  for i = 1, 2 do
    arm:link{ name = "rod" .. i, parent = i == 2 and "rod1" or nil,
      joint = { "revolute", name = "joint" .. i, axis = {0, 1, 0} }, origin = { xyz = {0, 0, i == 2 and -1 or 0} },
      inertia = { mass = 1, com = {0, 0, -1}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
  end
  arm:frame{ name = "tip", link = "rod2", origin = { xyz = {0, 0, -1} } }
  arm:set{ q = { joint1 = 0.1 } }
  arm:control(function(t, state) return { 0, 0 } end, { name = "idle", rate = 100 })
  world:add(arm, { at = { xyz = {k, 0, 0} } })
  for _, signal in ipairs{ ".q", ".v", ".vdot", ".power", ".pose.tip", ".idle.q_measured" } do
    record[#record + 1] = "arm" .. k .. signal
  end
end
return world:experiment{ solver = "articulated_body", integrator = { "euler", dt = 1e-3 }, duration = 0.01, record = record }
)";
}

struct Blocks {
  double load, start, row;
};
Blocks blocks_of(int n) {
  const long before = allocations();
  const Experiment experiment = load_with_plugins(world_of(n));
  const long loaded = allocations();
  Run run(experiment);
  const long started = allocations();
  run.begin([](std::span<const double>) {});
  return {double(loaded - before), double(started - loaded), double(allocations() - started)};
}

// Checks that twice as many robots take twice the work. Quadratic work would be four times as much.
TEST(ManyRobots, WorkGrowsWithTheirNumber) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  (void)blocks_of(2);
  const Blocks few = blocks_of(60), many = blocks_of(120);
  EXPECT_LT(many.load, 2.2 * few.load) << few.load;
  EXPECT_LT(many.start, 2.2 * few.start) << few.start;
  EXPECT_LT(many.row, 2.2 * few.row + 100) << few.row;
}

}  // namespace
}  // namespace torsor::test
