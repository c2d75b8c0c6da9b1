// Tests of torsor.cost: sums and weights of costs in plans, costs in Lua with derivatives by dual
// numbers, and rejected arguments.

#include <cmath>

#include "scripting/scene_run.hpp"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Loaded {
  std::vector<std::string> printed;
  std::string error;
};
// Loads a scene of a chain of two links and an arm with a spherical shoulder. `said` starts in line
// 14.
Loaded load_costs(const std::string& said) {
  Loaded out;
  const ScriptFolder folder;
  Script script({.scripts = {},
                 .print = [&](std::string_view line) { out.printed.emplace_back(line); },
                 .plugins = &registry()});
  const std::string text = R"(local torsor = require "torsor"
local cost = torsor.cost
local chain = require("robots.planar").build{ n = 2, lengths = {0.5, 0.4}, masses = {0.6, 0.3}, damping = 0.05 }
local world = torsor.world{ gravity = {0, -9.81, 0} }
chain:set{ q = { joint1 = -1.2, joint2 = 0.4 } }
world:add(chain)
local function plan(c, more)
  local arguments = { robot = chain, cost = c, duration = 0.4, dt = 0.02, solver = "planar_lagrange", integrator = "rk4" }
  for key, value in pairs(more or {}) do arguments[key] = value end
  return torsor.ilqr(arguments)
end
local reach = 1e3 * cost.terminal{ frame = "tip2", position = {0.4, 0.3, 0} } + 10 * cost.terminal{ v = 0 }
  + 1e-2 * cost.effort()
)" + said + R"(
return world:experiment{ solver = "planar_lagrange", integrator = { "euler", dt = 0.01 }, duration = 0.6, record = { "planar.q" } })";
  try {
    script.load_scene(folder.write("scene.lua", text));
  } catch (const Error& error) {
    out.error = error.what();
    const std::string prefix = folder.path().string() + "/";
    for (size_t at; (at = out.error.find(prefix)) != std::string::npos;)
      out.error.erase(at, prefix.size());
    EXPECT_EQ(out.error.find('\n'), std::string::npos) << out.error;
  }
  return out;
}
std::vector<std::string> printed(const std::string& said) {
  const Loaded out = load_costs(said);
  EXPECT_EQ(out.error, "");
  return out.printed;
}

// Checks that the sum of terms is the cost that torsor.ilqr makes of a target.
TEST(Costs, AddUpToTheCostOfAReach) {
  EXPECT_THAT(printed(R"(
local one = plan(reach + 1e-2 * cost.motion{})
local two = torsor.ilqr{ robot = chain, frame = "tip2", target = {0.4, 0.3, 0}, duration = 0.4, dt = 0.02,
  solver = "planar_lagrange", integrator = "rk4" }
print(one.cost == two.cost, one.error == two.error, one.error < 0.01, #one.iterations == #two.iterations)
print(one.controls[7][2] == two.controls[7][2]))"),
              ElementsAre("true\ttrue\ttrue\ttrue", "true"));
}

TEST(Costs, HaveTheSameOptimumInBatchForm) {
  EXPECT_THAT(printed(R"(
local near = plan(reach, { tolerance = 1e-4 }).controls
local one = plan(reach, { tolerance = 1e-14, controls = near })
local two = plan(reach, { tolerance = 1e-14, controls = near, form = "batch" })
local apart = 0
for t, u in ipairs(one.controls) do
  for k = 1, 2 do apart = math.max(apart, math.abs(u[k] - two.controls[t][k])) end
end
print(math.abs(one.cost / two.cost - 1) < 1e-10, apart < 1e-4))"),
              ElementsAre("true\ttrue"));
}

// Checks every built-in term against the same term as a Lua function. Both are sums over the same
// steps, so the costs of the first motion are equal. The optimum is the same, although the models
// of a function have other second derivatives.
TEST(Costs, InLuaEqualThoseOfTheEngine) {
  EXPECT_THAT(printed(R"(
local move = chain:trajectory("quintic", { from = {-1.2, 0.4}, to = {0, 0.2}, duration = 0.4 })
local d = chain:dynamics{ solver = "planar_lagrange" }
local function norm2(a, b)
  local sum = 0
  for k = 1, #a do sum = sum + (a[k] - (b and b[k] or 0))^2 end
  return sum / 2
end
local function beyond(x, lower, upper)
  local e = math.max(x - upper, 0) + math.max(lower - x, 0)
  return e^2 / 2
end
local pairs_of_terms = {
  effort = { cost.effort{ weights = {1, 2} }, cost.custom(function(t, s) return s.tau[1]^2 / 2 + s.tau[2]^2 end) },
  motion = { cost.motion{}, cost.custom(function(t, s) return norm2(s.v) end) },
  via = { cost.via{ time = 0.2, q = {-1, 1}, v = {0, 1} },
          cost.custom(function(t, s) return norm2(s.q, {-1, 1}) + norm2(s.v, {0, 1}) end, { at = 0.2 }) },
  via_end = { cost.via{ time = 0.4, q = {-1, 1} }, cost.terminal{ q = {-1, 1} } },
  position = { cost.via{ time = 0.2, frame = "tip2", position = {0.1, -0.4, 0} },
               cost.custom(function(t, s) return norm2(s.frames.tip2, {0.1, -0.4, 0}) end, { at = 0.2, frames = { "tip2" } }) },
  terminal = { cost.terminal{ v = {1, 0} }, cost.custom(function(t, s) return norm2(s.v, {1, 0}) end, { at = "end" }) },
  limits = { 100 * cost.limits{ of = "q", lower = {-1.1, -3}, upper = 0.3 },
             100 * cost.custom(function(t, s) return beyond(s.q[1], -1.1, 0.3) + beyond(s.q[2], -3, 0.3) end) },
  barrier = { cost.limits{ of = "v", lower = -30, upper = 30, barrier = true },
              cost.custom(function(t, s) return -math.log(1 - (s.v[1] / 30)^2) - math.log(1 - (s.v[2] / 30)^2) end) },
}
for name, two in pairs(pairs_of_terms) do
  local first = math.abs(plan(reach + two[1], { iterations = 1 }).first_cost / plan(reach + two[2], { iterations = 1 }).first_cost - 1) < 1e-12
  local near = plan(reach + two[1], { iterations = 100, tolerance = 1e-4 }).controls
  local a = plan(reach + two[1], { tolerance = 1e-14, iterations = 300, controls = near })
  local b = plan(reach + two[2], { tolerance = 1e-14, iterations = 300, controls = near })
  print(name, first, math.abs(a.cost / b.cost - 1) < 1e-7, math.abs(a.cost / plan(reach).cost - 1) > 1e-4)
end
-- Tracking counts at the end of every step.
local a = plan(reach + 50 * cost.tracking{ reference = move } + cost.tracking{ reference = move, of = "velocity" }, { iterations = 1 })
local sum = 0
local u = d:gravity({-1.2, 0.4})
for step = 1, 20 do
  local at = move:at(step * 0.02)
  sum = sum + 0.02 * (50 * norm2({-1.2, 0.4}, at.q) + norm2({0, 0}, at.v))
end
print("tracking", math.abs(a.first_cost - plan(reach, { iterations = 1 }).first_cost - sum) < 1e-12 * sum))"),
              ElementsAre("barrier\ttrue\ttrue\ttrue", "effort\ttrue\ttrue\ttrue",
                          "limits\ttrue\ttrue\ttrue", "motion\ttrue\ttrue\ttrue",
                          "position\ttrue\ttrue\ttrue", "terminal\ttrue\ttrue\ttrue",
                          "via\ttrue\ttrue\ttrue", "via_end\ttrue\ttrue\ttrue", "tracking\ttrue"));
}

TEST(Costs, KeepTheirArgumentsIfTheScriptChangesThem) {
  EXPECT_THAT(printed(R"(
local goal = { q = {1, 1} }
local sum = cost.terminal(goal) + cost.effort()
local before = plan(sum, { iterations = 1 }).first_cost
goal.q[1] = 0
goal.v = "x"
print(plan(sum, { iterations = 1 }).first_cost == before)
local nested = {}
nested.q = { nested }
print(pcall(cost.terminal, nested)))"),
              ElementsAre("true", HasSubstr("its tables are nested 10 levels deep")));
}

// Checks a via point, a tracked motion and limits by what the plan does.
TEST(Costs, ChangeTheMotion) {
  EXPECT_THAT(printed(R"(
local d = chain:dynamics{ solver = "planar_lagrange" }
local free = plan(reach)
local function tip(p, step) return d:pose("tip2", p.q[step]).xyz end
local there = {0.3, -0.5, 0}
local function distance(p) local at = tip(p, 11) return math.sqrt((at[1] - there[1])^2 + (at[2] - there[2])^2) end
local via = plan(reach + 1e4 * cost.via{ time = 0.2, frame = "tip2", position = there })
print(distance(free) > 0.1, distance(via) < 0.01, via.error < 0.02)
local function extreme(p, k, key) local most = 0 for _, x in ipairs(p[key]) do most = math.max(most, math.abs(x[k])) end return most end
local limited = plan(reach + 1e3 * cost.limits{ of = "v", lower = -8, upper = 8 })
print(extreme(free, 1, "v") > 8.5 or extreme(free, 2, "v") > 8.5, extreme(limited, 1, "v") < 8.3, extreme(limited, 2, "v") < 8.3)
local inside = plan(reach + 0.1 * cost.limits{ of = "v", lower = -8, upper = 8, barrier = true }, { iterations = 300 })
print(extreme(inside, 1, "v") < 8, extreme(inside, 2, "v") < 8, inside.ended)
local quiet = plan(cost.effort{}, { iterations = 5 })
print(quiet.error ~= quiet.error, quiet.ended, #quiet.iterations > 0))"),
              ElementsAre("true\ttrue\ttrue", "true\ttrue\ttrue", "true\ttrue\tconverged",
                          "true\tconverged\ttrue"));
}

// Each function is part of a cost of one torque. Newton's method finds its minimum in a few
// iterations only if the first and second derivatives are exact. There, the central difference of
// the cost vanishes.
TEST(DualNumbers, HaveTheDerivativesOfTheirFunctions) {
  EXPECT_THAT(
      printed(R"(
local cases = {
  { "sum", function(x) return 3 + x * 2 - x / 4 - (1 - x) end, 0.7 },
  { "power", function(x) return x^3 + 2^x + x^x end, 0.7 },
  { "quotient", function(x) return (1 + x) / (2 + x^2) end, 0.7 },
  { "waves", function(x) return math.sin(x) * math.cos(2 * x) + math.tan(x / 2) end, 0.7 },
  { "arcs", function(x) return math.asin(x) + math.acos(x / 2) + math.atan(x) + math.atan(x, 2) + math.atan(1, x) end, 0.7 },
  { "logs", function(x) return math.exp(-x) + math.log(x) + math.log(x, 10) + math.log(5, x) + math.sqrt(x) end, 0.7 },
  { "choice", function(x) return math.max(x^2, 0.1) + math.min(3, x) + math.abs(-x) + (x > 0.5 and x or 0) end, 0.7 },
}
for _, case in ipairs(cases) do
  local name, f, x = table.unpack(case)
  local c = cost.custom(function(t, s)
    local z = s.tau[1]
    return f(x + 0.1 * math.sin(z)) + 50 * (z - 1)^2
  end) + cost.effort{ weights = {0, 1} }
  local made = plan(c, { tolerance = 1e-15, iterations = 60 })
  -- At the minimum, the central difference of the cost vanishes.
  local function value(u) return f(x + 0.1 * math.sin(u)) + 50 * (u - 1)^2 end
  local u, h = made.controls[5][1], 1e-5
  local slope, off = (value(u + h) - value(u - h)) / (2 * h), (value(1 + h) - value(1 - h)) / (2 * h)
  print(name, math.abs(slope) < 1e-6, math.abs(off) > 1e-3, #made.iterations < 6)
end)"),
      ElementsAre("sum\ttrue\ttrue\ttrue", "power\ttrue\ttrue\ttrue", "quotient\ttrue\ttrue\ttrue",
                  "waves\ttrue\ttrue\ttrue", "arcs\ttrue\ttrue\ttrue", "logs\ttrue\ttrue\ttrue",
                  "choice\ttrue\ttrue\ttrue"));
}

// Checks the derivatives with respect to a quaternion and to the position of a frame. At the
// optimum, the cost does not change if one torque changes. The motion of the changed torques is
// computed by steps of d:linearise, and its cost by the same function with numbers.
TEST(DualNumbers, AreExactOnAManifold) {
  EXPECT_THAT(printed(R"(
local arm = torsor.robot{ name = "arm" }
local body = { mass = 1, com = {0, 0, -0.2}, about_com = { Ixx = 0.02, Iyy = 0.02, Izz = 0.01 } }
arm:link{ name = "upper", joint = { "spherical", name = "ball", motors = true }, inertia = body }
arm:link{ name = "hand", parent = "upper", inertia = body, origin = { xyz = {0, 0, -0.4} },
          joint = { "revolute", name = "elbow", axis = {0, 1, 0} } }
arm:frame{ name = "tip", link = "hand", origin = { xyz = {0.1, 0, -0.4} } }
world:add(arm)
arm:set{ q = { ball = {0.8, 0, 0.6, 0}, elbow = 0.3 }, v = {0.5, -0.2, 0.3, 1} }
local function f(t, s)
  local q, p = s.q, s.frames.tip
  local out = 3 * (q[1] * q[2] - 0.2)^2 + math.sin(q[4]) + q[3]^2 + (p[1] - 0.3)^2 + math.exp(p[2]) + p[3] * s.v[4] / 20
  for k = 1, 4 do out = out + (s.tau and s.tau[k]^2 / 50 or 10 * s.v[k]^2) end
  return out
end
local frames = { frames = { "tip" } }
local both = cost.custom(f, frames) + cost.custom(f, { at = "end", frames = { "tip" } })
local dt = 0.05
local made = torsor.ilqr{ robot = arm, cost = both, duration = 0.4, dt = dt, solver = "newton_euler",
  integrator = "rk4", tolerance = 1e-15, iterations = 400 }
local d = arm:dynamics{ solver = "newton_euler" }
local function value(controls)
  local q, v, sum = made.q[1], made.v[1], 0
  for step = 1, 9 do
    local tau = controls[step]
    sum = sum + (tau and dt or 1) * f(0, { q = q, v = v, tau = tau, frames = { tip = d:pose("tip", q).xyz } })
    if tau then
      local next = d:linearise{ q = q, v = v, tau = tau, dt = dt, integrator = "rk4" }
      q, v = next.q, next.v
    end
  end
  return sum
end
print(math.abs(value(made.controls) / made.cost - 1) < 1e-12)
local worst, start = 0, 0
for step = 1, 8 do
  for k = 1, 4 do
    local function slope(from, h)
      local function moved(by)
        local out = {}
        for t = 1, 8 do out[t] = table.move(from[t], 1, 4, 1, {}) end
        out[step][k] = out[step][k] + by
        return value(out)
      end
      return (moved(h) - moved(-h)) / (2 * h)
    end
    worst = math.max(worst, math.abs(slope(made.controls, 1e-4)))
    local rest = {}
    for t = 1, 8 do rest[t] = {0, 0, 0, 0} end
    start = math.max(start, math.abs(slope(rest, 1e-4)))
  end
end
print(worst < 1e-7 * start, start > 1))"),
              ElementsAre("true", "true\ttrue"));
}

struct Refused {
  std::string said, message;
};
class CostRejects : public testing::TestWithParam<Refused> {};
TEST_P(CostRejects, InOneLine) {
  EXPECT_THAT(load_costs(GetParam().said).error,
              AllOf(StartsWith("scene.lua:"), HasSubstr(GetParam().message)));
}
INSTANTIATE_TEST_SUITE_P(
    , CostRejects,
    testing::Values(
        Refused{"plan(3)", "cost is a number; it must be a cost, such as torsor.cost.effort{}"},
        Refused{"plan(reach + 3)",
                "a cost cannot be added to a number; costs are added to costs, "
                "and multiplied by numbers"},
        Refused{"plan(reach * reach)", "a cost cannot be multiplied by a userdata"},
        Refused{"plan('a' * reach)", "a cost cannot be multiplied by a string"},
        Refused{"plan(-2 * reach)",
                "the weight of a cost is -2; it must be a finite number that "
                "is not negative"},
        Refused{"plan(reach * (0/0))", "the weight of a cost is NaN"},
        Refused{"plan((1/0) * reach)", "the weight of a cost is inf"},
        Refused{"cost.efort{}", "'torsor.cost.efort' does not exist; did you mean 'effort'?"},
        Refused{"cost.effort{ weight = 1 }", "unknown key 'weight'; did you mean 'weights'?"},
        Refused{"cost.effort(1)", "torsor.cost.effort takes a table in braces"},
        Refused{"plan(cost.effort{ weights = {1, 2, 3} })",
                "scene.lua:14: torsor.cost.effort: weights has 3 entries; it must be a list of 2 "
                "numbers"},
        Refused{"plan(cost.effort{ weights = {1, -2} })",
                "weights has -2; weights must not be "
                "negative"},
        Refused{"plan(cost.effort{ weights = 0/0 })", "weights is NaN; it must be a finite number"},
        Refused{"plan(reach + cost.terminal{})",
                "torsor.cost.terminal: has no goal; give q, v, or a frame"},
        Refused{"plan(reach + cost.terminal{ q = {1} })", "q has 1 entries"},
        Refused{"plan(reach + cost.terminal{ frame = 'tip2' })", "position"},
        Refused{"plan(reach + cost.terminal{ frame = 'tip3', position = {0, 0, 0} })",
                "there is no link or frame 'tip3'"},
        Refused{"plan(reach + cost.via{ q = {0, 0} })", "torsor.cost.via: time is missing"},
        Refused{"plan(reach + cost.via{ time = 0.5, q = {0, 0} })",
                "time is 0.5 s; it must be between 0 and the duration of the plan, 0.4 s"},
        Refused{"plan(reach + cost.via{ time = -0.1, q = {0, 0} })", "time is -0.1 s"},
        Refused{"plan(reach + cost.via{ time = 0.211, q = {0, 0} })",
                "time is 0.211 s, which is not a multiple of the step dt = 0.02 s"},
        Refused{"plan(reach + cost.tracking{})",
                "reference is a nil; it must be a trajectory of the robot"},
        Refused{"plan(reach + cost.tracking{ reference = chain:trajectory('quintic', { from = {0, "
                "0}, to = {1, 1}, duration = 1 }), of = 'speed' })",
                "of is 'speed'; use \"position\" or \"velocity\""},
        Refused{"plan(reach + cost.limits{})",
                "has no effect: no joint has a limit of q; give lower or upper"},
        Refused{"plan(reach + cost.limits{ of = 'x' })", "of is 'x'; use \"q\", \"v\" or \"tau\""},
        Refused{"plan(reach + cost.limits{ lower = 1, upper = 1 })",
                "has the limits 1 and 1 of joint 'joint1'; lower must be below upper"},
        Refused{"plan(reach + cost.limits{ lower = 0, upper = 1, barrier = true })",
                "the cost of the initial motion is not finite: the motion is beyond a limit, or a "
                "cost overflows"},
        Refused{"cost.custom(3)", "argument 1 is a number; give a function of t and state"},
        Refused{"cost.custom(function() end, { at = true })", "at must be \"end\" or a time in s"},
        Refused{"plan(reach + cost.custom(function() return 0/0 end))",
                "scene.lua:14: torsor.cost.custom returns NaN at t = 0 s"},
        Refused{"plan(reach + cost.custom(function() end))",
                "torsor.cost.custom returns a nil instead of a number at t = 0 s"},
        Refused{"plan(reach + cost.custom(function(t, s) return math.sqrt(s.v[1]^2) end))",
                "torsor.cost.custom has a derivative that is not finite at t = 0 s"},
        Refused{"plan(reach + cost.custom(function(t, s) return s.tau[1] end, { at = 'end' }))",
                "attempt to index a nil value (field 'tau')"},
        Refused{"plan(reach + cost.custom(function(t, s) return s.q[1] .. 'a' end))",
                "returns a string instead of a number"},
        Refused{"plan(reach + cost.custom(function(t, s) return s.q[1] + {} end))", "table"},
        Refused{
            "local kept plan(reach + cost.custom(function(t, s) kept = s.v[1] return kept end) + "
            "cost.custom(function(t, s) return kept end, { at = 'end' }))",
            "the result is a dual number of another call; do not keep dual numbers between "
            "calls"},
        Refused{
            "local kept plan(reach + cost.custom(function(t, s) kept = s.v[1] return kept end) + "
            "cost.custom(function(t, s) return kept + s.v[1] end, { at = 'end' }))",
            "two dual numbers of different functions cannot be combined"},
        Refused{"plan(reach + cost.custom(function() return 0 end, { frames = { 'hand' } }))",
                "there is no link or frame 'hand'"},
        Refused{"plan(reach + cost.custom(function() return 0 end, { at = 7 }))", "at is 7 s"}));

}  // namespace
}  // namespace torsor::test
