// Tests of torsor.ilqr: the plan of a scene, an experiment that follows it, and rejected arguments.
// Also tests of d:linearise.

#include <fmt/ranges.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "scripting/scene_run.hpp"
#include "support/eventually.hpp"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns a scene of a chain of two links in a world. The statements `before` end line 5, and
// `said` starts in line 6.
std::string scene(const std::string& before, const std::string& said,
                  const std::string& dt = "0.01") {
  return R"(local torsor = require "torsor"
local planning = require "planning"
local chain = require("robots.planar").build{ n = 2, lengths = {0.5, 0.4}, masses = {0.6, 0.3}, damping = 0.05 }
local world = torsor.world{ gravity = {0, -9.81, 0} }
chain:set{ q = { joint1 = -1.2, joint2 = 0.4 }, v = { joint1 = 0.3, joint2 = -0.2 } } )" +
         before + "\n" + said + R"(
return world:experiment{ solver = "planar_lagrange", integrator = { "euler", dt = )" +
         dt + R"( }, duration = 0.6, record = { "planar.q" } })";
}
std::string plan_of(const std::string& more = "", const std::string& dt = "0.01") {
  return "local plan = torsor.ilqr{ robot = chain, frame = 'tip2', target = {0.4, 0.3, 0}, "
         "duration = 0.6, dt = " +
         dt + ", " +
         (more.find("solver") == std::string::npos ? "solver = 'planar_lagrange', " : "") + more +
         " }";
}
constexpr const char* placed = "world:add(chain)";

struct Planned {
  std::optional<Experiment> experiment;
  std::vector<std::string> printed;
  std::string error;
};
Planned load(const std::string& text, const ScriptLimits& limits = {}) {
  Planned out;
  const ScriptFolder folder;
  Script script({.scripts = {},
                 .limits = limits,
                 .print = [&](std::string_view line) { out.printed.emplace_back(line); },
                 .plugins = &registry()});
  try {
    out.experiment = script.load_scene(folder.write("scene.lua", text));
  } catch (const Error& error) {
    out.error = error.what();
    const std::string prefix = folder.path().string() + "/";
    for (size_t at; (at = out.error.find(prefix)) != std::string::npos;)
      out.error.erase(at, prefix.size());
    EXPECT_EQ(out.error.find('\n'), std::string::npos) << out.error;
  }
  return out;
}

constexpr const char* print_end = R"(
local q, v = plan.q[#plan.q], plan.v[#plan.v]
print(string.format("%.17g %.17g %.17g %.17g", q[1], q[2], v[1], v[2])))";

TEST(Ilqr, TheSimulationEndsWhereThePlanDoes) {
  for (const char* dt : {"0.01", "0.003"}) {
    SCOPED_TRACE(dt);
    const Planned planned =
        load(scene(placed, plan_of("", dt) + " planning.follow(chain, plan)" + print_end, dt));
    ASSERT_EQ(planned.error, "");
    const std::vector<double> end = numbers(planned.printed.at(0));
    ASSERT_EQ(end.size(), 4u);
    const auto run = finished(*planned.experiment);
    const State& state = run->simulation().state();
    double apart = 0;
    for (size_t k = 0; k < 2; ++k)
      apart = std::max({apart, std::abs(state.q()[k] - end[k]), std::abs(state.v[k] - end[2 + k])});
    EXPECT_LT(apart, 1e-9);
    std::printf("dt = %s: simulated and planned last states are %.1e apart\n", dt, apart);
  }
}

TEST(Ilqr, GivesTheScriptItsPlan) {
  const Planned planned = load(scene(placed, plan_of() + R"(
print(#plan.controls, #plan.q, #plan.v, #plan.controls[1], #plan.q[61], plan.dt, plan.ended)
print(plan.q[1][1], plan.q[1][2], plan.v[1][1], plan.v[1][2])
local before, falls, x, y = plan.first_cost, true
for _, it in ipairs(plan.iterations) do falls, before = falls and it.cost < before and it.reduction > 0, it.cost end
print(falls, before == plan.cost, #plan.iterations > 2, plan.error < 0.01, plan.iterations[#plan.iterations].error == plan.error)
local a, b = plan.q[61][1], plan.q[61][2]
x, y = 0.5 * math.cos(a) + 0.4 * math.cos(a + b) - 0.4, 0.5 * math.sin(a) + 0.4 * math.sin(a + b) - 0.3
print(math.abs(math.sqrt(x * x + y * y) - plan.error) < 1e-15))"));
  EXPECT_EQ(planned.error, "");
  EXPECT_THAT(planned.printed,
              ElementsAre("60\t61\t61\t2\t2\t0.01\tconverged", "-1.2\t0.4\t0.3\t-0.2",
                          "true\ttrue\ttrue\ttrue\ttrue", "true"));
}

TEST(Ilqr, ReportsItsConvergence) {
  const Planned planned = load(scene(placed, plan_of("iterations = 2") + " planning.report(plan)"));
  ASSERT_EQ(planned.error, "");
  ASSERT_EQ(planned.printed.size(), 5u);
  EXPECT_THAT(planned.printed[0], AllOf(HasSubstr("cost"), HasSubstr("error")));
  EXPECT_THAT(planned.printed[4], StartsWith("iterations, final error "));
}

// Checks that the same robot at another place, in a world rotated with it, needs the same torques.
TEST(Ilqr, UsesThePlaceOfTheRobot) {
  const auto first = [](const std::string& before, const std::string& target) {
    std::string plan =
        plan_of() +
        " print(string.format('%.12g %.12g', plan.controls[1][1], plan.controls[30][2]))";
    plan.replace(plan.find("{0.4, 0.3, 0}"), 13, target);
    const Planned planned = load(scene(before, plan));
    EXPECT_EQ(planned.error, "");
    return numbers(planned.printed.at(0));
  };
  const std::vector<double> here = first(placed, "{0.4, 0.3, 0}");
  // The x and y axes of the chain are y and z of the world. The base is at (1, 2, 3).
  const std::vector<double> there = first(
      "world = torsor.world{ gravity = {0, 0, -9.81} } world:add(chain, { at = { xyz = {1, 2, 3}, "
      "rotation = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}} } })",
      "{1, 2.4, 3.3}");
  for (const size_t k : {0u, 1u}) EXPECT_NEAR(here[k], there[k], 1e-9 * std::abs(here[k]));
}

TEST(Ilqr, KeepsTheTorquesWithinLimits) {
  const auto peak = [](const char* more) {
    const Planned planned = load(scene(placed, plan_of(more) + R"( local most = 0
for _, u in ipairs(plan.controls) do most = math.max(most, math.abs(u[1])) end print(most))"));
    EXPECT_EQ(planned.error, "");
    return numbers(planned.printed.at(0)).at(0);
  };
  const double free = peak("");
  EXPECT_GT(free, 4.5);
  EXPECT_LT(peak("limit = 4.5"), 4.6);
  EXPECT_LT(peak("limit = {4.5, 100}, limit_weight = 1000"), 4.51);
}

struct Rejection {
  std::string before, said, message;
};
class IlqrRejects : public testing::TestWithParam<Rejection> {};

TEST_P(IlqrRejects, InOneLine) {
  const Planned planned = load(scene(GetParam().before, GetParam().said));
  EXPECT_THAT(planned.error, AllOf(StartsWith("scene.lua:6: "), HasSubstr(GetParam().message)));
}

std::string without(const std::string& key) {
  std::string text = plan_of();
  const size_t at = text.find(key + " = "), end = text.find(", ", at) + 2;
  return text.erase(at, end - at);
}
std::string with(const std::string& key, const std::string& value) {
  std::string text = plan_of();
  const size_t at = text.find(key + " = ") + key.size() + 3, end = text.find(',', at);
  return text.replace(at, end - at, value);
}

// Returns statements that add a third link with friction, at the given distance along the second
// link.
std::string third_link(const std::string& out) {
  return "world:add(chain) chain:link{ name = 'more', parent = 'link2', origin = { xyz = {" + out +
         ", 0, 0} }, inertia = { mass = 1, com = {1, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = "
         "0 } }, joint = { 'revolute', name = 'j', axis = {0, 0, 1}, friction = { 'coulomb', "
         "coulomb = 1 } } }";
}

INSTANTIATE_TEST_SUITE_P(
    , IlqrRejects,
    testing::Values(
        Rejection{placed, "torsor.ilqr()", "torsor.ilqr takes a table in braces"},
        Rejection{placed, plan_of("targets = 1"), "unknown key 'targets'; did you mean 'target'?"},
        Rejection{placed, without("robot"), "torsor.ilqr: robot is missing"},
        Rejection{placed, with("robot", "'chain'"), "robot is a string; it must be a robot"},
        Rejection{
            "", plan_of(),
            "robot 'planar' is in no world, so its gravity is unknown; call world:add(arm) first"},
        Rejection{placed, without("frame"), "frame is missing"},
        Rejection{placed, with("frame", "'tip3'"),
                  "there is no link or frame 'tip3'; did you mean 'tip"},
        Rejection{placed, without("dt"), "dt is missing"},
        Rejection{placed, with("dt", "-0.01"), "dt is -0.01 s; it must be positive"},
        Rejection{placed, plan_of("integrator = 'rk5'"),
                  fmt::format("integrator is 'rk5'; use one of: {}; did you mean 'rk4'?",
                              fmt::join(integrator_names(), ", "))},
        Rejection{placed, with("duration", "0.605"), "the duration"},
        Rejection{placed, with("duration", "0"), "the duration"},
        Rejection{placed, with("duration", "-1"), "the duration"},
        Rejection{placed, with("duration", "1/0"), "duration is inf; it must be a finite number"},
        Rejection{placed, with("duration", "1e9"), "MB of memory are needed"},
        Rejection{placed, without("solver"), "solver is missing"},
        Rejection{placed, plan_of("solver = 'planar_lagrage'"), "did you mean 'planar_lagrange'"},
        Rejection{placed, plan_of("solver = 'articulated_body'"),
                  "solver 'solver.articulated_body' offers no partial derivatives"},
        Rejection{placed, plan_of("iterations = 0"),
                  "iterations is 0; it must be a whole number of at least 1"},
        Rejection{placed, plan_of("iterations = 2.5"),
                  "iterations is 2.5; it must be a whole number"},
        Rejection{placed, plan_of("tolerance = 0"), "tolerance is 0; it must be positive"},
        Rejection{placed, plan_of("form = 'dense'"),
                  "form is 'dense'; use \"recursion\" or \"batch\""},
        Rejection{placed, plan_of("cost = torsor.cost.effort{}"),
                  "has both cost and frame; add the frame to the cost"},
        Rejection{placed, plan_of("effort_weight = 0"), "effort_weight is 0; it must be positive"},
        Rejection{placed, plan_of("position_weight = -1"),
                  "position_weight is -1; it must be positive"},
        Rejection{placed, plan_of("velocity_weight = -1"),
                  "velocity_weight is -1; it must not be negative"},
        Rejection{placed, plan_of("motion_weight = 0/0"),
                  "motion_weight is NaN; it must be a finite number"},
        Rejection{placed, plan_of("limit = 0"), "limit has 0 N m; limits must be positive"},
        Rejection{placed, plan_of("limit = {1}"),
                  "limit has 1 entries; it must be a list of 2 numbers"},
        Rejection{
            "world:add(chain) chain:apply{ tau = {1, 0} }", plan_of(),
            "robot 'planar' has a torque or a state of motors (scene.lua:5), which a plan ignores"},
        Rejection{
            "world:add(chain) chain:apply{ wrenches = { tip2 = { force = {1, 0, 0} } } }",
            plan_of(),
            "has a wrench (scene.lua:5), which a plan ignores; make the plan before adding it"},
        Rejection{"world:add(chain) planning.follow(chain, { dt = 1, controls = {} })", plan_of(),
                  "has a control ("},
        Rejection{
            "world:add(chain) world:force('fluid_drag', { frames = 'planar.tip2', linear = {1} })",
            plan_of(), "has a force in its world (scene.lua:5)"},
        Rejection{third_link("0.3"), plan_of(),
                  "body 2 does not have its mass at the end of its link"},
        Rejection{third_link("0.4"), plan_of(),
                  "joint 'j' has friction, which plans do not support"}));

TEST(Ilqr, KeepsToTheLimitsOfTheScript) {
  const std::string text = scene(placed, plan_of("", "0.0001") + " print(#plan.iterations)");
  EXPECT_THAT(
      load(text, {.steps = 2'000'000}).error,
      AllOf(StartsWith("scene.lua:6: "), HasSubstr("the script took more than 2 million steps")));
  EXPECT_THAT(load(text, {.memory = size_t(4) << 20}).error,
              HasSubstr("a plan of 6000 steps: 10 MB of memory are needed"));
  // The memory of a plan is freed: ten plans fit one after another, although two would not fit at
  // the same time.
  const std::string ten =
      scene(placed, "for i = 1, 10 do " + plan_of("iterations = 1", "0.0005") + " end");
  EXPECT_EQ(load(ten, {.memory = size_t(6) << 20}).error, "");
}

TEST(Ilqr, IsStoppedByAnotherThread) {
  const ScriptFolder folder;
  const auto file = folder.write(
      "scene.lua",
      scene(placed, "print('begun') " + plan_of("iterations = 1e6, tolerance = 1e-300", "1e-5")));
  std::atomic<bool> begun = false;
  const pthread_t planner = pthread_self();
  Script script(
      {.scripts = {},
       .limits = {.steps = 1'000'000'000'000'000, .memory = size_t(1) << 30, .seconds = 1e6},
       .print = [&](std::string_view) { begun = true; },
       .plugins = &registry()});
  std::thread stopper([&] {
    EXPECT_TRUE(eventually([&] { return begun.load(); }));
    EXPECT_TRUE(eventually_computes(planner, 0.02));
    script.stop();
  });
  std::string error;
  try {
    script.load_scene(file);
  } catch (const Error& thrown) {
    error = thrown.what();
  }
  stopper.join();
  EXPECT_THAT(error, HasSubstr("the script was stopped"));
}

// Checks that loading only the robots of a scene needs no plugins and makes no plan.
TEST(Ilqr, IsNotRunIfOnlyDescriptionsAreLoaded) {
  const ScriptFolder folder;
  const auto file =
      folder.write("scene.lua", scene(placed, plan_of() + " planning.follow(chain, plan)"));
  EXPECT_EQ(load_robots(file).size(), 1u);
  EXPECT_THAT(scene_error(scene(placed, plan_of())),
              HasSubstr("plugins are not available where this scene is loaded"));
}

// The chain has no limits; the second robot is a rod of 1 kg at 1 m that needs 9.81 N m at rest.
TEST(TorqueCheck, ComparesATrajectoryWithTheLimits) {
  const Planned planned = load(scene(placed, R"(
local rod = torsor.robot{ name = "rod" }
rod:link{ name = "l", joint = { "revolute", name = "j", axis = {0, 0, 1}, limits = { effort = 12 } },
          inertia = { mass = 1, com = {1, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } } }
world:add(rod)
local move = rod:trajectory("bang_bang", { from = {0}, to = {1}, duration = 1 })
local check = rod:dynamics{}:torque_check(move, { samples = 1001 })
print(math.abs(check.scale^2 - 4 / (12 - 9.81)) < 1e-9, check.joint, check.joints[1].name,
      math.abs(check.joints[1].peak - 13.81) < 1e-9, check.joints[1].use > 1, check.joints[1].limit)
local free = chain:trajectory("bang_bang", { from = {0, 0}, to = {1, 0}, duration = 1 })
print(chain:dynamics{}:torque_check(free).scale, chain:dynamics{}:torque_check(free).joint)
for _, call in ipairs{ function() chain:dynamics{}:torque_check(move) end,
                       function() chain:dynamics{}:torque_check(3) end,
                       function() chain:dynamics{}:torque_check(free, { samples = 1 }) end,
                       function() chain:dynamics{}:torque_check() end,
                       function() chain:dynamics{}:torque_check(free, nil) end } do
  local ok, message = pcall(call)
  print(message)
end)"));
  EXPECT_EQ(planned.error, "");
  ASSERT_EQ(planned.printed.size(), 7u);
  EXPECT_THAT(planned.printed[5], HasSubstr("argument 1 is missing; give a trajectory"));
  EXPECT_EQ(planned.printed[6], "nil");
  EXPECT_EQ(planned.printed[0], "true\tj\tj\ttrue\ttrue\t12.0");
  EXPECT_EQ(planned.printed[1], "0.0\tnil");
  EXPECT_THAT(planned.printed[2], HasSubstr("the trajectory belongs to another robot"));
  EXPECT_THAT(planned.printed[3], HasSubstr("argument 1 is a number; give a trajectory"));
  EXPECT_THAT(planned.printed[4], HasSubstr("samples is 1; give a whole number from 2 to 1000000"));
}

// A rod of 1 kg at 1 m on a vertical axis: 4 N m give 4 rad/s^2.
// An arm of seven joints, and one whose second joint mimics the first.
TEST(ActuatorLimits, AreFoundSeveralTimesInAScript) {
  const Planned planned = load(scene(placed, R"(
local arm, pair = torsor.robot{ name = "arm" }, torsor.robot{ name = "pair" }
for i = 1, 7 do
  arm:link{ name = "l" .. i, parent = i > 1 and "l" .. i - 1 or nil, origin = { xyz = {0, 0, 0.2} },
            joint = { "revolute", name = "j" .. i, axis = i % 2 == 0 and {0, 1, 0} or {0, 0, 1},
                      limits = { effort = 100 } },
            inertia = { mass = 2, com = {0.02, 0.01, 0.1},
                        about_com = { Ixx = 0.02, Iyy = 0.02, Izz = 0.01 } } }
end
for i = 1, 3 do
  pair:link{ name = "p" .. i, parent = i > 1 and "p" .. i - 1 or nil,
             joint = { "revolute", name = "m" .. i, axis = {0, 0, 1}, limits = { effort = 10 },
                       mimic = i == 2 and { joint = "m1", ratio = 2 } or nil, passive = i == 3 },
             inertia = { mass = 1, com = {1, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } } }
end
world:add(arm)
world:add(pair)
local d = arm:dynamics{ solver = "newton_euler" }
for i = 1, 6 do d:actuator_limits{} end
for _, joint in ipairs{ "m2", "m3" } do
  print(select(2, pcall(pair:dynamics{}.actuator_limits, pair:dynamics{},
                        { motors = { [joint] = { torque = 1 } } })))
end
print(select(2, pcall(d.time_optimal, d, arm:trajectory("linear", { from = {0, 0, 0, 0, 0, 0, 0},
                      to = {1, 1, 1, 1, 1, 1, 1}, duration = 1 }), { points = 100000 }))))"));
  EXPECT_EQ(planned.error, "");
  ASSERT_EQ(planned.printed.size(), 3u);
  EXPECT_THAT(planned.printed[0], HasSubstr("'m2', which mimics joint 'm1'"));
  EXPECT_THAT(planned.printed[1], HasSubstr("'m3', which is passive"));
  EXPECT_THAT(planned.printed[2], HasSubstr("with 100000 points"));
}

TEST(TimeOptimal, ReturnsATrajectoryAndItsPhasePlane) {
  const Planned planned = load(scene(placed, R"(
local rod = torsor.robot{ name = "rod" }
rod:link{ name = "l", joint = { "revolute", name = "j", axis = {0, 1, 0}, limits = { effort = 4 },
                                motor = { gear_ratio = 50, rotor_inertia = 0 } },
          inertia = { mass = 1, com = {1, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } } }
world:add(rod)
local d = rod:dynamics{}
local path = rod:trajectory("linear", { from = {0}, to = {1}, duration = 1 })
local fastest = d:time_optimal(path)
print(math.abs(fastest.duration - 1) < 1e-9, fastest.move.duration == fastest.duration,
      math.abs(fastest.move:at(0.25).vdot[1] - 4) < 1e-9, #fastest.phase.s, fastest.phase.joint[1],
      fastest.phase.max_rate[5], math.abs(fastest.phase.rate[501] - 2) < 1e-9)
print(d:torque_check(fastest.move).joints[1].motor_peak)
print(d:time_optimal(path, { points = 50, start_rate = 1 }).move:at(0).v[1])
local limits = d:actuator_limits()
print(limits.speed[1], limits.acceleration[1], limits.inertia[1])
limits = d:actuator_limits{ motors = { j = { speed = 100, torque = 0.04 } } }
print(limits.speed[1], limits.acceleration[1])
for _, call in ipairs{ function() d:time_optimal(3) end,
                       function() d:time_optimal(path, { points = 5 }) end,
                       function() d:time_optimal(path, { start_rate = 9 }) end,
                       function() d:time_optimal(path, { speed = 9 }) end,
                       function() d:time_optimal(path, { end_rate = 9 }) end,
                       function() chain:dynamics{}:time_optimal(path) end,
                       function() d:time_optimal(rod:trajectory("cubic", { from = {1}, to = {1}, duration = 1 })) end,
                       function() d:actuator_limits{ motors = { k = {} } } end,
                       function() d:actuator_limits{ motors = { j = { speed = -1 } } } end } do
  local ok, message = pcall(call)
  print(message)
end)"));
  EXPECT_EQ(planned.error, "");
  ASSERT_EQ(planned.printed.size(), 14u);
  EXPECT_EQ(planned.printed[0], "true\ttrue\ttrue\t1001\tj\tinf\ttrue");
  EXPECT_NEAR(std::stod(planned.printed[1]), 0.08, 1e-9);
  EXPECT_EQ(planned.printed[2], "1.0");
  EXPECT_EQ(planned.printed[3], "inf\t4.0\t1.0");
  EXPECT_EQ(planned.printed[4], "2.0\t2.0");
  EXPECT_THAT(planned.printed[5],
              HasSubstr("time_optimal: argument 1 is a number; give a trajectory"));
  EXPECT_THAT(planned.printed[6], HasSubstr("points is 5; give a whole number from 10 to 100000"));
  EXPECT_THAT(planned.printed[7],
              HasSubstr("time_optimal: the motion starts at s = 0 with ds/dt = 9"));
  EXPECT_THAT(planned.printed[8], HasSubstr("unknown key 'speed'"));
  EXPECT_THAT(planned.printed[9], HasSubstr("end_rate"));
  EXPECT_THAT(planned.printed[10], HasSubstr("the trajectory belongs to another robot"));
  EXPECT_THAT(planned.printed[11], HasSubstr("the path has no length"));
  EXPECT_THAT(planned.printed[12], HasSubstr("no joint 'k'"));
  EXPECT_THAT(planned.printed[13], HasSubstr("speed is -1"));
}

// Returns statements that define at(q, v, tau), a linearised step of the chain's dynamics.
std::string linearise(const std::string& more, const std::string& solver = "planar_lagrange") {
  return "local d = chain:dynamics{ solver = '" + solver +
         "' } local q, v, tau = {0.3, -0.5}, {1, 2}, {1, -1} local function at(q, v, tau) return "
         "d:linearise{ q = q, v = v, tau = tau, " +
         more + " } end";
}

// Checks that the columns of A and B are the central differences of the steps, for several
// integrators.
TEST(Linearise, GivesAStepAndItsDerivative) {
  const Planned planned =
      load(scene(placed, linearise("dt = 0.05, integrator = name").insert(0, "local name ") +
                             R"(
for _, each in ipairs{"euler", "semi_implicit_euler", "rk4", "implicit_midpoint", "bdf"} do
  name = each
  local step, worst = at(q, v, tau), 0
  local x = { q[1], q[2], v[1], v[2], tau[1], tau[2] }
  for k = 1, 6 do
    local function moved(h)
      local y = table.move(x, 1, 6, 1, {})
      y[k] = y[k] + h
      local to = at({ y[1], y[2] }, { y[3], y[4] }, { y[5], y[6] })
      return { to.q[1], to.q[2], to.v[1], to.v[2] }
    end
    local up, down = moved(1e-4), moved(-1e-4)
    for i = 1, 4 do
      local exact = k <= 4 and step.A[i][k] or step.B[i][k - 4]
      worst = math.max(worst, math.abs((up[i] - down[i]) / 2e-4 - exact))
    end
  end
  print(each, #step.A, #step.B[1], worst < 1e-6)
end)"));
  EXPECT_EQ(planned.error, "");
  EXPECT_THAT(planned.printed,
              ElementsAre("euler\t4\t2\ttrue", "semi_implicit_euler\t4\t2\ttrue", "rk4\t4\t2\ttrue",
                          "implicit_midpoint\t4\t2\ttrue", "bdf\t4\t2\ttrue"));
}

// Checks that a control law may linearise during a run.
TEST(Linearise, IsAFunctionOfItsArguments) {
  const Planned planned =
      load(scene(placed, linearise("dt = 0.01") + R"( chain:control(function(t, state)
        local step = at(state.q, state.v, {0, 0})
        return { -step.A[3][1], 0 * state.motor_q[1] } end, { rate = 100 }))"));
  ASSERT_EQ(planned.error, "");
  EXPECT_NO_THROW(finished(*planned.experiment));
}

// Checks absolute angles by hand: with q = L x, the second absolute rate is the sum of both rates.
TEST(Linearise, ConvertsToAbsoluteAngles) {
  const Planned planned =
      load(scene(placed, linearise("dt = 0.01, angles = kind").insert(0, "local kind ") + R"(
kind = "relative"
local one = at(q, v, tau)
kind = "absolute"
local two, L, inverse, worst = at(q, v, tau), {{1, 0}, {1, 1}}, {{1, 0}, {-1, 1}}, 0
local function entry(M, i, j) return M[i][j] end
for i = 1, 4 do
  for j = 1, 4 do
    local sum = 0
    for k = 1, 4 do
      for l = 1, 4 do
        local same = (i > 2) == (k > 2) and (j > 2) == (l > 2)
        sum = sum + (same and L[(i - 1) % 2 + 1][(k - 1) % 2 + 1] * one.A[k][l] * inverse[(l - 1) % 2 + 1][(j - 1) % 2 + 1] or 0)
      end
    end
    worst = math.max(worst, math.abs(sum - two.A[i][j]))
  end
  -- B of the forces u = L^-T tau: tau = (u_1 + u_2, u_2)
  local r, first = (i - 1) % 2 + 1, i > 2 and 2 or 0
  local row = { 0, 0 }
  for k = 1, r do
    row[1] = row[1] + one.B[first + k][1]
    row[2] = row[2] + one.B[first + k][1] + one.B[first + k][2]
  end
  worst = math.max(worst, math.abs(row[1] - two.B[i][1]), math.abs(row[2] - two.B[i][2]))
end
print(worst < 1e-14, two.q[1] == one.q[1], math.abs(two.A[3][1] - one.A[3][1]) > 1e-3)
kind = "both"
print(select(2, pcall(at, q, v, tau))))"));
  EXPECT_EQ(planned.error, "");
  ASSERT_EQ(planned.printed.size(), 2u);
  EXPECT_EQ(planned.printed[0], "true\ttrue\ttrue");
  EXPECT_THAT(planned.printed[1], HasSubstr("angles is 'both'; use \"relative\" or \"absolute\""));
}

// Checks S_x and S_tau against differences of motions that d:linearise steps, and S_u against
// S_tau.
TEST(Batch, GivesTheResponseOfAMotion) {
  const Planned planned = load(scene(placed, R"(
local d = chain:dynamics{ solver = "planar_lagrange" }
local q, v, tau = {0.3, -0.5}, {1, 2}, {{1, -1}, {0.5, 0}, {2, 1}, {-1, 0.3}}
local function batch(q, v, tau, angles)
  return d:batch{ q = q, v = v, tau = tau, dt = 0.02, integrator = "rk4", angles = angles }
end
local one, n = batch(q, v, tau), 4
print(#one.S_tau, #one.S_tau[1], #one.S_x, #one.S_x[1], #one.q, one.S_u)
local function states(b)
  local out = {}
  for t = 1, n + 1 do
    for k = 1, 2 do out[4 * t - 4 + k], out[4 * t - 2 + k] = b.q[t][k], b.v[t][k] end
  end
  return out
end
local worst, h = 0, 1e-5
local function check(column, move)
  local up, down = states(move(h)), states(move(-h))
  for i = 1, 4 * (n + 1) do worst = math.max(worst, math.abs((up[i] - down[i]) / (2 * h) - column(i))) end
end
for t = 1, n do
  for k = 1, 2 do
    check(function(i) return one.S_tau[i][2 * t - 2 + k] end, function(by)
      local moved = {}
      for s = 1, n do moved[s] = { tau[s][1], tau[s][2] } end
      moved[t][k] = moved[t][k] + by
      return batch(q, v, moved)
    end)
  end
end
for k = 1, 4 do
  check(function(i) return one.S_x[i][k] end, function(by)
    local x = { q[1], q[2], v[1], v[2] }
    x[k] = x[k] + by
    return batch({ x[1], x[2] }, { x[3], x[4] }, tau)
  end)
end
local two, apart = batch(q, v, tau, "absolute"), 0
for i = 1, 20 do
  for j = 1, 8 do apart = math.max(apart, math.abs(two.S_tau[i][j] - one.S_tau[i][j])) end
end
print(worst < 1e-8, apart < 1e-14, #two.S_u, math.abs(two.S_u[20][1] - one.S_tau[20][1]) > 1e-3)
local held = d:batch{ q = q, v = v, tau = {1, -1}, duration = 0.06, dt = 0.02 }
print(#held.q, #held.S_tau[1]))"));
  EXPECT_EQ(planned.error, "");
  EXPECT_THAT(planned.printed, ElementsAre("20\t8\t20\t4\t5\tnil", "true\ttrue\t20\ttrue", "4\t6"));
}

TEST(Batch, RejectsInOneLine) {
  const auto message = [](const std::string& arguments, const std::string& robot = "") {
    return load(scene(placed, robot +
                                  " local d = chain:dynamics{ solver = 'newton_euler' } d:batch{ " +
                                  arguments + " }"))
        .error;
  };
  const std::string state = "q = {0, 0}, v = {0, 0}, dt = 0.01, ";
  EXPECT_THAT(message(state), HasSubstr("tau is missing"));
  EXPECT_THAT(message(state + "tau = {1, 2}"),
              HasSubstr("has one list of torques; give duration, or a list of torques per step"));
  EXPECT_THAT(message(state + "tau = {{1, 2}}, duration = 1"),
              HasSubstr("has torques per step and duration; the duration follows from tau"));
  EXPECT_THAT(message(state + "tau = {{1, 2}, {1}}"), HasSubstr("has 1 entries"));
  EXPECT_THAT(message(state + "tau = {{1, 2}, {1, 0/0}}"), HasSubstr("tau"));
  EXPECT_THAT(message(state + "tau = {1, 2}, duration = -1"), HasSubstr("the duration"));
  EXPECT_THAT(message(state + "tau = {1, 2}, duration = 100"), HasSubstr("are needed"));
  EXPECT_THAT(message("q = {0}, v = {0, 0}, dt = 0.01, tau = {{1, 2}}"), HasSubstr("q"));
  EXPECT_THAT(message(state + "tau = {{1, 2}}, angle = 'absolute'"),
              HasSubstr("unknown key 'angle'"));
  EXPECT_THAT(message("q = {0, 0}, v = {0, 0}, dt = 0, tau = {{1, 2}}"),
              HasSubstr("dt is 0 s; it must be positive"));
  EXPECT_THAT(
      load(scene(placed, R"(local arm = torsor.robot{ name = "arm" }
arm:link{ name = "l", joint = { "spherical", name = "ball" },
          inertia = { mass = 1, com = {1, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:dynamics{ solver = "newton_euler" }:batch{ q = {1, 0, 0, 0}, v = {0, 0, 0}, tau = {{0, 0, 0}}, dt = 0.1,
  angles = "absolute" })"))
          .error,
      HasSubstr("rotate about axes that are not parallel; absolute angles need parallel axes"));
}

TEST(Linearise, RejectsInOneLine) {
  const auto rejection_message = [](const std::string& more,
                                    const std::string& solver = "planar_lagrange",
                                    const std::string& call = "at(q, v, tau)") {
    return load(scene(placed, linearise(more, solver) + " " + call)).error;
  };
  EXPECT_THAT(rejection_message("dt = 0"),
              HasSubstr("linearise in dynamics of 'planar': dt is 0 s; it must be positive"));
  EXPECT_THAT(rejection_message("step = 0.1"), HasSubstr("unknown key 'step'"));
  EXPECT_THAT(rejection_message("dt = 0.1, integrator = 'rk45'"),
              HasSubstr("integrator is 'rk45'; use one of: euler"));
  EXPECT_THAT(rejection_message("dt = 0.1", "articulated_body"),
              HasSubstr("offers no partial derivatives"));
  EXPECT_THAT(rejection_message("dt = 0.1", "planar_lagrange", "at({1}, v, tau)"), HasSubstr("2"));
}

}  // namespace
}  // namespace torsor::test
