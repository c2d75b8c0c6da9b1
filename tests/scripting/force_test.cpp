// Tests of world:force, arm:force and functions of time: valid and rejected arguments.

#include <cmath>
#include <thread>

#include "scripting/scene_run.hpp"

namespace torsor::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// Returns an experiment with a cart of 1 kg on a rail along x, without gravity. The given
// statements are from line 8 on.
Experiment loaded_cart(const std::string& said) {
  return load_with_plugins(R"(local torsor = require "torsor"
local cart = torsor.robot{ name = "cart" }
cart:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
           inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
cart:frame{ name = "tip", link = "body", origin = { xyz = {0, 0, 1} } }
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(cart)
)" + said + R"(
return world:experiment{ integrator = { "dormand_prince", dt = 0.01, rtol = 1e-11, atol = 1e-12 }, duration = 1, record = { "cart.q" } })");
}
double end_velocity(const Experiment& experiment) {
  return finished(experiment)->simulation().state().v[0];
}
std::string load_error(const std::string& said) {
  try {
    (void)loaded_cart(said);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
std::string run_error(const std::string& said) {
  const Experiment experiment = loaded_cart(said);
  try {
    (void)finished(experiment);
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(SceneForces, ReachTheSimulation) {
  // The drag gives v = v_0 e^(-t/2) with v_0 = 2.
  EXPECT_NEAR(end_velocity(loaded_cart("cart:set{ v = {2} } world:force('fluid_drag', { frames = "
                                       "'cart.tip', linear = {0.5} })")),
              2 * std::exp(-0.5), 1e-10);
  // A spring of k = 4 pulls the cart to x = 3. Both its ends are 1 m above the rail. The motion is
  // x = 3 + (x_0 - 3) cos 2t while x < 3.
  EXPECT_NEAR(
      end_velocity(loaded_cart("world:force('spring_damper', { from = { frame = 'world', origin = "
                               "{ xyz = {3, 0, 1} } }, to = 'cart.tip', stiffness = 4 })")),
      2 * 3 * std::sin(2.0), 1e-9);
}

TEST(SceneForces, AreRejectedWithTheirLine) {
  EXPECT_THAT(load_error("world:force('grond', {})"),
              HasSubstr("scene.lua:8: there is no force 'grond'; did you mean 'ground'?"));
  EXPECT_THAT(
      load_error("\nworld:force('ground', { plane = 'world', frames = 'cart.top' })"),
      HasSubstr(
          "scene.lua:9: parameter 'frames' of 'force.ground': there is no link or frame 'top'; "
          "did you mean 'tip'?"));
  EXPECT_THAT(
      load_error("world:force('ground', { plane = 'world', frames = 'cart.tip', stiffness = -1 })"),
      HasSubstr("must be a number of at least 0 N/m^exponent, not -1"));
  EXPECT_THAT(load_error("world:force('ground', { plane = world })"),
              HasSubstr("force 'ground': plane is a userdata; it must be a number, a string"));
  EXPECT_THAT(load_error("world:force('ground', { radius = {1, 'x'} })"),
              HasSubstr("force 'ground': radius[2] is not a number, unlike the entries before it"));
  EXPECT_THAT(load_error("world:force('ground', { plane = { frme = 'world' } })"),
              HasSubstr("force 'ground': unknown key 'frme' in plane; did you mean 'frame'?"));
  EXPECT_THAT(
      load_error("world:force('ground', { plan = 'world' })"),
      HasSubstr("scene.lua:8: 'force.ground' has no parameter 'plan'; did you mean 'plane'?"));
  EXPECT_THAT(load_error("world:force('ground', { 'world' })"),
              HasSubstr("has the key [1]; keys must be parameter names"));
  EXPECT_THAT(load_error("world:force('ground')"),
              HasSubstr("world:force takes the name of a force plugin"));
}

TEST(ForceFunctions, ActAtTheirFrames) {
  // The force gives the damped oscillation x'' = -4 x - v / 2 from x = 1, with w^2 = 4 - 1/16.
  const std::string spring =
      "cart:set{ q = {1} } cart:force(function(t, state) local tip = state.frames.tip return { "
      "wrenches = { tip = { force = { -4 * tip.pose.xyz[1], 7, 0 } } }, tau = -0.5 * "
      "tip.twist.linear[1] } end, { frames = { 'tip' } })";
  const double w = std::sqrt(4 - 1.0 / 16);
  EXPECT_NEAR(end_velocity(loaded_cart(spring)), -4 / w * std::exp(-0.25) * std::sin(w), 1e-9);
  EXPECT_NEAR(
      end_velocity(loaded_cart(
          "cart:force(function(t, state) return { tau = { 3 * t - 2 * state.v[1] } } end)")),
      1.5 * 1 - 0.75 + 0.75 * std::exp(-2.0), 1e-9);
  EXPECT_EQ(end_velocity(loaded_cart("cart:force(function() return {} end)")), 0);
}

TEST(ForceFunctions, HaveClearErrors) {
  const struct {
    const char *said, *message;
  } cases[] = {
      {"cart:force(function() end)",
       "scene.lua:8: force of robot 'cart' returns 0 values; it must return one"},
      {"cart:force(function() return nil end)",
       "scene.lua:8: force of robot 'cart': the result is missing; it must be a table"},
      {"cart:force(function() return { torque = {1} } end)",
       "force of robot 'cart': unknown key 'torque' in the result"},
      {"cart:force(function() return { tau = {1, 2} } end)",
       "the result.tau has 2 entries; it must be a list of 1"},
      {"cart:force(function() return { tau = 0 / 0 } end)",
       "the result.tau is NaN; it must be a finite number"},
      {"cart:force(function() return { wrenches = { tip = { force = {1, 0, 0} } } } end)",
       "the result.wrenches.tip names a frame that is not in the list 'frames'"},
      {"cart:force(function() return { wrenches = { tpi = { force = {1, 0, 0} } } } end, { frames "
       "= {'tip'} })",
       "names a frame that is not in the list 'frames'; did you mean 'tip'?"},
      {"cart:force(function() return { wrenches = { tip = {} } } end, { frames = {'tip'} })",
       "the result.wrenches.tip has neither moment nor force"},
      {"local n = 0 cart:force(function() n = n + 1 return {} end)",
       "scene.lua:8: force of robot 'cart' changes the variable 'n'"},
  };
  for (const auto& c : cases) EXPECT_THAT(run_error(c.said), HasSubstr(c.message)) << c.said;
  EXPECT_THAT(
      run_error("local function pull(x)\n  return x.y.z\nend\n"
                "cart:force(function(t, state)\n  local f = pull(state)\n  return f end)"),
      ContainsRegex(
          "scene.lua:9: attempt to index a nil value \\(field 'y'\\); called at .*scene.lua:12$"));
  EXPECT_THAT(load_error("cart:force('ground', {})"),
              HasSubstr("scene.lua:8: arm:force takes a function of t and state"));
  EXPECT_THAT(
      load_error("cart:force(function() end, { frames = {'tpi'} })"),
      HasSubstr("scene.lua:8: robot 'cart': there is no link or frame 'tpi'; did you mean 'tip'?"));
  EXPECT_THAT(load_error("cart:force(function() end, { frame = 'tip' })"),
              HasSubstr("force of robot 'cart': unknown key 'frame'; did you mean 'frames'?"));
}

TEST(TimeFunctions, AreEvaluatedByTheIntegrator) {
  // v is the integral of 3 cos 2t + 1 + t.
  const Experiment experiment = loaded_cart(R"(
    local A, ramp = 3, { slope = 1 }
    local function wave(t) return A * math.cos(2 * t) end
    cart:apply{ wrenches = { tip = function(t) return { force = {wave(t), 5, 0} } end },
                tau = { rail = function(t) return ramp.slope * t end } }
    cart:apply{ tau = { rail = 1 } })");
  const double exact = 1.5 * std::sin(2.0) + 1 + 0.5;
  EXPECT_NEAR(end_velocity(experiment), exact, 1e-10);
  // A second run, and runs in several threads at once, must have the same bits.
  const double first = end_velocity(experiment);
  std::vector<double> others(3);
  std::vector<std::thread> threads;
  for (double& other : others) threads.emplace_back([&] { other = end_velocity(experiment); });
  for (std::thread& thread : threads) thread.join();
  for (const double other : others) EXPECT_EQ(other, first);
}

TEST(TimeFunctions, OutliveTheScriptAndItsStop) {
  Experiment experiment;
  {
    const ScriptFolder folder;
    Script script({.plugins = &registry()});
    experiment = script.load_scene(folder.write("scene.lua", R"(local torsor = require "torsor"
local r = torsor.robot{ name = "r" }
r:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
        inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
r:apply{ tau = { rail = function(t) return 2 * t end } }
local world = torsor.world{ gravity = {0, 0, 0} }
world:add(r)
return world:experiment{ integrator = { "rk4", dt = 0.1 }, duration = 1, record = { "r.v" } })"));
    script.stop();
  }
  EXPECT_NEAR(end_velocity(experiment), 1, 1e-14);
}

TEST(TimeFunctions, DependOnTimeOnly) {
  const struct {
    const char *said, *message;
  } cases[] = {
      {"local n = 0 cart:apply{ tau = { rail = function(t) n = n + 1 return n end } }",
       "scene.lua:8: the function of time for 'rail' changes the variable 'n'; it is called many "
       "times"},
      {"local s = {} cart:apply{ tau = { rail = function(t) s.last = t return 1 end } }",
       "changes the entry 'last' of a table"},
      {"local s = { k = 1 } cart:apply{ tau = { rail = function(t) s.k = t + 2 return 1 end } }",
       "changes the entry 'k' of a table"},
      {"local n = 0 local function count() n = n + 1 return n end cart:apply{ tau = { rail = "
       "function(t) return count() end } }",
       "changes the variable 'n'"},
      {"cart:apply{ tau = { rail = function(t) return math.random() end } }",
       "math.random works only while the script is loaded"},
      {"cart:apply{ tau = { rail = function(t) print(t) return 1 end } }",
       "print works only while"},
      {"cart:apply{ tau = { rail = function(t) torsor.robot{ name = 'x' } return 1 end } }",
       "a function that builds a scene works only while"},
      {"cart:apply{ tau = { rail = function(t) require 'shapes' return 1 end } }",
       "require works only while"},
      {"cart:apply{ tau = { rail = function(t) return 'x' end } }",
       "scene.lua:8: the function of time for 'rail': the result is the string 'x'; it must be a "
       "number"},
      {"cart:apply{ tau = { rail = function(t) return 1, 2 end } }",
       "scene.lua:8: the function of time for 'rail' returns 2 values; it must return one"},
      {"cart:apply{ wrenches = { tip = function(t) end } }",
       "scene.lua:8: the function of time for 'tip' returns 0 values; it must return one"},
      {"cart:apply{ tau = { rail = function(t) return 0 / 0 end } }",
       "the result is NaN; it must be a finite number"},
      {"cart:apply{ wrenches = { tip = function(t) return { force = {1, 2} } end } }",
       "scene.lua:8: the function of time for 'tip': the result.force has 2 entries"},
      {"cart:apply{ wrenches = { tip = function(t) return {} end } }",
       "the result has neither moment nor force"},
      {"cart:apply{ tau = { rail = function(t) return t.x end } }",
       "scene.lua:8: attempt to index a number value (local 't')"},
  };
  for (const auto& c : cases) EXPECT_THAT(run_error(c.said), HasSubstr(c.message)) << c.said;
  EXPECT_THAT(
      load_error("local go = coroutine.wrap(function() while true do coroutine.yield(1) end end)\n"
                 "cart:apply{ tau = { rail = function(t) return go() end } }"),
      HasSubstr(
          "scene.lua:9: a function called during the run cannot use a coroutine from outside"));
  for (const char* iterator : {"string.gmatch('1 2', '%d')", "pairs({1, 2})"})
    EXPECT_THAT(
        load_error(
            std::string("local next_one = ") + iterator +
            "\ncart:apply{ tau = { rail = function(t) return tonumber((next_one())) or 0 end } }"),
        HasSubstr(
            "scene.lua:9: a function called during the run cannot use an iterator from outside"));
  EXPECT_THAT(load_error("cart:apply{ tau = { rial = function(t) return 1 end } }"),
              HasSubstr("there is no moving joint 'rial'; did you mean 'rail'?"));
  EXPECT_THAT(load_error("cart:apply{ tau = { function(t) return 1 end } }"),
              HasSubstr("a number"));
}

TEST(TimeFunctions, AreLimitedPerCall) {
  EXPECT_THAT(run_error("cart:apply{ tau = { rail = function(t) while true do end end } }"),
              HasSubstr("look for a loop that never ends"));
  // Each call takes 1e5 steps. Together the calls take many times the limit of a load.
  EXPECT_EQ(
      run_error(
          "cart:apply{ tau = { rail = function(t) local s = 0 for i = 1, 2e4 do s = s + i end "
          "return 1 end } }"),
      "");
}

}  // namespace
}  // namespace torsor::test
