// Tests of plugins that a scene defines. Forces, controllers, trajectories and solvers in Lua work
// like shipped plugins, wherever a scene accepts a plugin. They are freed with their last user.

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "scripting/scene_run.hpp"
#include "support/reference.hpp"
#include "torsor/analysis/comparison.hpp"
#include "torsor/model/random_robot.hpp"
#include "torsor/plugin/plugin_kind.hpp"
#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// Definitions for several tests: a spring to the world's origin with rest length zero, and a
// complete solver.
const std::string spring = R"(
torsor.force("pull", {
  params = { stiffness = { default = 1, min = 0, unit = "N/m" }, at = { type = "frame", help = "what is pulled" } },
  evaluate = function(model, state)
    local k, F = model.params.stiffness, model.params.at
    local X, V, d = state.X_WB[F.body], state.V_WB[F.body], F.pose.xyz
    local R, p, f, p_B, rate, square = X.rotation, {}, {}, {}, 0, 0
    for i = 1, 3 do
      p[i] = X.xyz[i] + R[i][1] * d[1] + R[i][2] * d[2] + R[i][3] * d[3]
      square = square + p[i] ^ 2
    end
    for i = 1, 3 do p_B[i] = R[1][i] * p[1] + R[2][i] * p[2] + R[3][i] * p[3] f[i] = -k * p_B[i] end
    local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
    local m, turn = cross(d, f), cross({ V[1], V[2], V[3] }, d)
    for i = 1, 3 do rate = rate - f[i] * (V[3 + i] + turn[i]) end
    return { F_B = { [F.body] = { m[1], m[2], m[3], f[1], f[2], f[3] } }, energy = k * square / 2, energy_rate = rate }
  end })
)";
const std::string solver_file =
    std::string(TORSOR_SOURCE_DIR) + "/scripts/plugins/newton_euler_lua.lua";

std::string scene_text(const std::string& definitions, const std::string& body,
                       const std::string& solver = "newton_euler") {
  return "local torsor = require 'torsor'\n" + definitions +
         "\nlocal arm = require('robots.planar').build{ n = 2, lengths = {0.6, 0.4}, masses = "
         "{1.5, 0.8} } arm:set{ q = {0.4, -1.1}, v = {0.3, 0.2} } local world = torsor.world{ "
         "gravity = {0, -9.81, 0} } world:add(arm)\n" +
         body + "\nreturn world:experiment{ solver = '" + solver +
         "', integrator = { 'rk4', dt = 1e-3 }, duration = 0.05, record = { 'planar.q', 'energy' } "
         "}";
}

std::vector<double> end_state_of(const Experiment& experiment) {
  const auto run = finished(experiment);
  const auto q = run->simulation().state().q();
  return {q.begin(), q.end()};
}
std::string error_of_scene(const std::string& text) {
  const ScriptFolder folder;
  std::string what;
  try {
    (void)end_state_of(load_scene(folder.write("scene.lua", text), {}, &registry()));
  } catch (const Error& error) {
    what = error.what();
  }
  for (size_t at; (at = what.find(folder.path().string() + "/")) != what.npos;)
    what.erase(at, folder.path().string().size() + 1);
  return what;
}
void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << k;
}

// Checks that a script can define every kind of plugin that the host knows.
TEST(LuaPlugins, EveryKindCanBeDefined) {
  std::vector<std::string> of_scripts;
  for (const lua::LuaKind& kind : lua::lua_kinds()) of_scripts.emplace_back(kind.name);
  EXPECT_THAT(of_scripts, ::testing::UnorderedElementsAreArray(plugin_kind_names()));
}

TEST(LuaPlugins, AForceEqualsTheShippedSpring) {
  const Experiment mine = load_with_plugins(
      scene_text(spring, "world:force('pull', { stiffness = 30, at = 'planar.tip2' })"));
  const Experiment shipped =
      load_with_plugins(scene_text("",
                                   "world:force('spring_damper', { from = 'world', to = "
                                   "'planar.tip2', stiffness = 30, rest_length = 0 })"));
  expect_near(end_state_of(mine), end_state_of(shipped), 1e-13);
  EXPECT_NE(end_state_of(mine), end_state_of(load_with_plugins(scene_text("", ""))));
  // The ledger closes only if the reported energy agrees with the work of the force.
  EXPECT_NEAR(finished(mine)->simulation().ledger_error(), 0, 1e-9);
}

TEST(LuaPlugins, AControllerEqualsComputedTorque) {
  const std::string law = R"(torsor.controller("law", {
  follows = "joints", params = { kp = { default = 100, min = 0 } }, signals = { wanted = { acceleration = true, unit = "rad/s^2" } },
  evaluate = function(model, input)
    local a, kp = {}, model.params.kp
    for k = 1, model.n_v do a[k] = input.a_r[k] + kp * input.e[k] + 2 * math.sqrt(kp) * (input.v_r[k] - input.v[k]) end
    return { tau = model.dynamics:inverse(input.q, input.v, a), signals = { wanted = a } }
  end }))";
  const std::string reference = "kp = 400, rate = 1000, reference = { q = {1, 0.5} } })";
  const Experiment mine = load_with_plugins(scene_text(law, "arm:control('law', { " + reference));
  const Experiment shipped =
      load_with_plugins(scene_text("", "arm:control('computed_torque', { " + reference));
  expect_near(end_state_of(mine), end_state_of(shipped), 1e-13);
  EXPECT_EQ(mine.load.controls[0].law->signals()[0].name, "wanted");
}

TEST(LuaPlugins, AControllerHasStatesMemoryAndDynamics) {
  // The law has one integral of the error as a state and another one in its memory. They are equal
  // if the law is sampled.
  EXPECT_EQ(
      error_of_scene(scene_text(
          R"(torsor.controller("law", { follows = "joints", states = function(model) return model.n_v end,
  memory = 2, evaluate = function(model, input)
    for k = 1, 2 do
      if math.abs(input.x[k] - input.memory[k]) > 1e-14 then error("they differ at " .. input.t) end
      input.memory[k] = input.memory[k] + input.period * input.e[k]
    end
    local d, q, v = model.dynamics, input.q, input.v
    local M, b, g = d:mass_matrix(q), d:bias(q, v), d:gravity(q)
    local vdot = d:forward(q, v, b)
    for k = 1, 2 do
      if math.abs(vdot[k]) > 1e-12 or M[1][2] ~= M[2][1] then error("M vdot + b = tau") end
    end
    return { tau = g, xdot = input.e, memory = input.memory }
  end }))",
          "arm:control('law', { reference = { q = {1, 0.5} }, rate = 1000 })")),
      "");
}

// Checks Y pi = tau with the inertias of the model. Compares the rates of tau with differences
// along a motion whose third derivative of v is constant.
TEST(LuaPlugins, AControllerHasTheRegressorRatesAndConfigurations) {
  const std::string law = R"(torsor.controller("law", { evaluate = function(model, input)
    local d, n = model.dynamics, model.n_v
    local q, v, vdot, vddot, vdddot = d:configuration(7), {0.3, -1.2}, {2, 0.5}, {-3, 1}, {4, 5}
    local again, other = d:configuration(7), d:configuration(8)
    for k = 1, n do
      if q[k] ~= again[k] or q[k] == other[k] or math.abs(q[k]) > math.pi then error("configuration") end
    end
    local function at(t)
      local y, r, a, j = {}, {}, {}, {}
      for k = 1, n do
        y[k] = q[k] + v[k] * t + vdot[k] * t^2 / 2 + vddot[k] * t^3 / 6 + vdddot[k] * t^4 / 24
        r[k] = v[k] + vdot[k] * t + vddot[k] * t^2 / 2 + vdddot[k] * t^3 / 6
        a[k] = vdot[k] + vddot[k] * t + vdddot[k] * t^2 / 2
      end
      return d:inverse(y, r, a)
    end
    local h, tau, tau_dot, tau_ddot = 1e-3, d:inverse_rates(q, v, vdot, vddot, vdddot)
    local before, now, after = at(-h), at(0), at(h)
    local Y, pi = d:regressor(q, v, v, vdot), {}
    for i = 1, model.n_body do
      local body = model.inertia[i]
      local c, I = body.first_moment, body.about_origin
      for _, x in ipairs{ body.mass, c[1], c[2], c[3], I[1][1], I[2][2], I[3][3], I[1][2], I[1][3], I[2][3] } do
        pi[#pi + 1] = x
      end
    end
    local function near(a, b, tolerance, what)
      if not (math.abs(a - b) <= tolerance * (1 + math.abs(b))) then error(what .. ": " .. a .. ", " .. b) end
    end
    for k = 1, n do
      local sum = 0
      if #Y[k] ~= #pi or #Y ~= n then error("the size of Y is " .. #Y[k]) end
      for j = 1, #pi do sum = sum + Y[k][j] * pi[j] end
      near(sum, now[k], 1e-12, "Y pi")
      near(tau[k], now[k], 1e-12, "tau")
      near(tau_dot[k], (after[k] - before[k]) / (2 * h), 1e-4, "tau_dot")
      near(tau_ddot[k], (after[k] - 2 * now[k] + before[k]) / h^2, 1e-4, "tau_ddot")
    end
    return { tau = tau }
  end }))";
  EXPECT_EQ(error_of_scene(scene_text(law, "arm:control('law', { rate = 1000 })")), "");
  EXPECT_THAT(
      error_of_scene(
          scene_text(law, "arm:control('law', { solver = 'articulated_body', rate = 1000 })")),
      HasSubstr("the solver of the controller's model offers no time derivatives of torques"));
}

TEST(LuaPlugins, ATrajectoryEqualsTheShippedQuintic) {
  const std::string motion = R"(torsor.trajectory("smooth", {
  params = { from = { type = "position" }, to = { type = "position" }, duration = { default = 1, min = 0.01, unit = "s" } },
  describe = function(model) return { duration = model.params.duration, order = 2, smoothness = 2, breaks = {} } end,
  evaluate = function(model, t, order)
    local p, out = model.params, {}
    local T, u = p.duration, t / p.duration
    local r = { 10 * u^3 - 15 * u^4 + 6 * u^5, (30 * u^2 - 60 * u^3 + 30 * u^4) / T, (60 * u - 180 * u^2 + 120 * u^3) / T^2 }
    for d = 0, order do
      out[d + 1] = {}
      for k = 1, model.n_v do out[d + 1][k] = (d == 0 and p.from[k] or 0) + r[d + 1] * (p.to[k] - p.from[k]) end
    end
    return out
  end }))";
  const std::string check =
      R"(local parameters = { from = {0.4, -1.1}, to = { joint1 = 1 }, duration = 2 }
local mine, shipped = arm:trajectory("smooth", parameters), arm:trajectory("quintic", parameters)
if mine.duration ~= shipped.duration or mine.order ~= 2 then error("it lasts " .. mine.duration) end
for _, t in ipairs{ -1, 0, 0.3, 1.7, 2, 3 } do
  for _, key in ipairs{ "q", "v", "vdot" } do
    for k = 1, 2 do
      if math.abs(mine:at(t)[key][k] - shipped:at(t)[key][k]) > 1e-14 then error(key .. " at " .. t) end
    end
  end
end
arm:control("computed_torque", { reference = mine, kp = 100 }))";
  EXPECT_EQ(error_of_scene(scene_text(motion, check)), "");
}

TEST(LuaPlugins, ATrajectoryMayMoveAFrame) {
  EXPECT_EQ(
      error_of_scene(scene_text(
          R"(torsor.trajectory("line", { moves = "frame", params = { start = { type = "pose" } },
  describe = function(model) return { duration = math.huge, order = 1 } end,
  evaluate = function(model, t)
    local x = model.params.start.xyz
    return { pose = { xyz = { x[1] + t, x[2], x[3] }, rotation = model.params.start.rotation }, twist = { linear = {1, 0, 0} } }
  end }))",
          R"(local line = arm:trajectory("line", { start = { xyz = {0.1, 0.2, 0}, rpy = {0, 0, 1} } })
local at = line:at(2)
if math.abs(at.pose.xyz[1] - 2.1) > 1e-15 or at.twist.linear[1] ~= 1 then error("it is at " .. at.pose.xyz[1]) end)")),
      "");
}

// Returns a script with a constraint solver whose function solve has this body.
std::string constraint_solver_text(const std::string& body) {
  return "local torsor = require 'torsor'\ntorsor.constraint_solver('mine', { solve = "
         "function(model, problem)\n" +
         body + "\nend })";
}
// Solves two rows with a constraint solver of a script.
std::pair<std::vector<double>, std::string> solve_in_lua(const std::string& text) {
  const ScriptFolder folder;
  const Registry plugins({folder.write("mine.lua", text)}, load_plugin_script);
  const auto solver =
      plugins.make<ConstraintSolver>("mine", build(random_robot(2, TreeShape::chain, 1)));
  const double G[] = {2, 1, 1, 4}, c[] = {-3, 6}, lower[] = {-HUGE_VAL, 0}, upper[] = {1, HUGE_VAL};
  std::vector<double> lambda(2);
  const Status status = solver->solve({G, c, c, lower, upper}, lambda);
  std::string error = status ? "" : solver->explain(status);
  if (const size_t at = error.find(folder.path().string() + "/"); at != error.npos)
    error.erase(at, folder.path().string().size() + 1);
  return {lambda, error};
}

TEST(LuaPlugins, AConstraintSolverSolvesRows) {
  const auto [lambda, error] = solve_in_lua(constraint_solver_text(R"(  local lambda, sweeps = {}, 0
  for i = 1, problem.n do lambda[i] = 0 end
  for sweep = 1, 60 do
    sweeps = sweep
    for i = 1, problem.n do
      local w = problem.c[i]
      for j = 1, problem.n do w = w + problem.G[i][j] * lambda[j] end
      lambda[i] = math.min(math.max(lambda[i] - w / problem.G[i][i], problem.lower[i]), problem.upper[i])
    end
  end
  return { lambda = lambda, iterations = sweeps })"));
  EXPECT_EQ(error, "");
  EXPECT_EQ(lambda, (std::vector<double>{1, 0}));
}

// A Lua solver receives friction groups if it declares that it handles them.
TEST(LuaPlugins, AConstraintSolverMayHandleFriction) {
  const ScriptFolder folder;
  for (const bool handles : {false, true}) {
    const std::string file = folder.write(
        handles ? "handles.lua" : "mine.lua",
        std::string("local torsor = require 'torsor'\ntorsor.constraint_solver('mine', { ") +
            (handles ? "handles_friction = true, " : "") + R"(solve = function(model, problem)
  local f, s = problem.frictions[1], problem.start
  assert(#problem.frictions == 1 and f.normal == 1 and f.first == 2 and f.count == 1 and f.mu == 0.5)
  assert(s[1] == 4 and s[2] == 1 and problem.G[2][1] == 0 and problem.G[2][2] == 1)
  return { lambda = { 4, 1 }, iterations = 0 } end }))");
    const Registry plugins({file}, load_plugin_script);
    const auto solver =
        plugins.make<ConstraintSolver>("mine", build(random_robot(2, TreeShape::chain, 1)));
    EXPECT_EQ(solver->handles_friction(), handles);
    if (!handles) continue;
    const double c[] = {-4, -1}, lower[] = {0, 0}, upper[] = {HUGE_VAL, 0}, value[] = {1, 0, 0, 1};
    const int32_t row_start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    const torsor_friction frictions[] = {{0, 1, 1, 0.5}};
    ConstraintProblem problem{nullptr, c, c, lower, upper, frictions, {row_start, column, value}};
    const double start[] = {4, 1};
    problem.start = start;
    double lambda[2];
    const Status status = solver->solve(problem, lambda);
    EXPECT_TRUE(status) << solver->explain(status);
    EXPECT_LT(solver->residual(), 1e-15);
  }
}

TEST(LuaPlugins, ErrorsOfConstraintSolversNameTheirLine) {
  const struct {
    const char *body, *message;
  } cases[] = {
      {"return {0, 0}", "unknown key"},
      {"return {}", "mine.lua:2: solve returns no lambda; add it to the returned table"},
      {"return { lambda = {0} }",
       "solve, as lambda, returns a list of 1; it must return a list of 2"},
      {"return { lambda = {0, 0}, iterations = -1 }", "a number of iterations that is not in"},
      {"return { lambda = {0, 0 / 0} }", "a multiplier of row 2 that is not a finite number"},
      {"return { lambda = {2, 0} }", "a multiplier of row 1 that is outside of its bounds"},
      {"return { lambda = {0, 0} }", "found no multipliers: after 0 iterations, the residual is"},
      {"problem.G[1][1] = model.x.y", "mine.lua:3: attempt to index a nil value"}};
  for (const auto& [body, message] : cases)
    EXPECT_THAT(solve_in_lua(constraint_solver_text(body)).second, HasSubstr(message)) << body;
  EXPECT_EQ(error_of_scene(scene_text("torsor.constraint_solver('c', {})", "")),
            "scene.lua:2: constraint_solver 'c': has no function solve; define it");
  EXPECT_THAT(error_of_scene(scene_text(
                  "torsor.constraint_solver('c', { solve = function() end, states = 1 })", "")),
              HasSubstr("constraint_solver 'c': unknown key 'states'"));
}

// Returns a scene whose experiment has this entry.
std::string scene_with(const std::string& entry) {
  return R"(local torsor = require "torsor"
torsor.constraint_solver("own", { solve = function(model, problem) return { lambda = {} } end })
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(require("robots.planar").build{})
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 1, record = {}, )" +
         entry + " }";
}

TEST(LuaPlugins, ASceneChoosesItsConstraintSolver) {
  EXPECT_EQ(load_with_plugins(scene_with("")).constraint_solver.id, "pivoting");
  EXPECT_EQ(load_with_plugins(scene_with("constraint_solver = 'own'")).constraint_solver.id, "own");
  const Experiment chosen = load_with_plugins(
      scene_with("constraint_solver = { 'projected_gauss_seidel', tolerance = 1e-8 }"));
  EXPECT_EQ(chosen.constraint_solver.id, "projected_gauss_seidel");
  EXPECT_EQ(chosen.constraint_solver.parameters, (std::vector<Parameter>{{"tolerance", 1e-8}}));
  const auto made = chosen.make_constraint_solver(chosen.constraint_solver, chosen.model);
  EXPECT_EQ(made->id(), "constraint_solver.projected_gauss_seidel");
  EXPECT_EQ(std::get<double>(made->settings().at(0).value), 1e-8);
  for (const auto& [entry, message] :
       {std::pair{"'pivotin'", "did you mean 'pivoting'?"},
        {"{ 'pivoting', tolerance = 1 }", "tolerance"},
        {"{ 'projected_gauss_seidel', tolerance = -1 }", "tolerance"},
        {"{ tolerance = 1 }", "constraint_solver[1]"},
        {"{ 'pivoting', 3 }", "has the key [2]; keys must be parameter names"},
        {"7", "constraint_solver"}})
    EXPECT_THAT(error_of_scene(scene_with(std::string("constraint_solver = ") + entry)),
                HasSubstr(message))
        << entry;
}

TEST(LuaPlugins, ASolverOfTheSceneRunsItAndItsLaws) {
  const std::string bring = "torsor.plugins{ '" + solver_file + "' }";
  const std::string own = R"(torsor.solver("own", { inverse = function(model, state, vdot)
  local g = state.A_W[5]
  return { 2 * vdot[1] + g * math.cos(state.q[1]), vdot[2] }
end }))";
  // The law uses the dynamics of the solver that this script defines.
  const std::string law = R"(local d = arm:dynamics{ solver = "own" }
arm:control(function(t, state) return d:gravity(state.q) end))";
  for (const char* solver : {"own", "newton_euler_lua"}) {
    const Experiment experiment = load_with_plugins(scene_text(bring + own, law, solver));
    const std::vector<double> first = end_state_of(experiment);
    std::vector<std::vector<double>> others(2);
    std::vector<std::thread> threads;
    for (auto& other : others) threads.emplace_back([&] { other = end_state_of(experiment); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& other : others) EXPECT_EQ(other, first) << solver;
  }
  // The limit also ends an endless loop that calls the same script again.
  EXPECT_THAT(
      error_of_scene(scene_text(
          R"(torsor.solver("slow", { inverse = function() for i = 1, 1e6 do end return {0, 0} end }))",
          "local d = arm:dynamics{ solver = 'slow' } arm:control(function(t, state) while true do "
          "d:gravity(state.q) end end)")),
      HasSubstr("look for a loop that never ends"));
}

TEST(LuaPlugins, AreFreedWithTheirLastUser) {
  std::weak_ptr<const void> script;
  {
    std::optional<Experiment> experiment = load_with_plugins(scene_text(
        spring + "torsor.solver('own', { inverse = function(model, state, vdot) return vdot end })",
        "world:force('pull', { at = 'planar.tip2' }) local d = arm:dynamics{ solver = 'own' } "
        "arm:control(function(t, state) return d:gravity(state.q) end)"));
    script = experiment->load.owner;
    ASSERT_FALSE(script.expired());
    Solver solver = experiment->plugins->solver("own", experiment->model);
    const State state(experiment->model);
    experiment.reset();
    std::vector<double> vdot{1, 2}, tau(2);
    // The solver keeps the script alive.
    ASSERT_TRUE(solver.inverse(state, vdot.data(), tau.data()));
    EXPECT_EQ(tau, vdot);
  }
  EXPECT_TRUE(script.expired());
}

TEST(LuaPlugins, ErrorsNameTheirLine) {
  const std::string use_force = "world:force('f', {})",
                    use_law = "arm:control('c', { rate = 100 })";
  const auto force = [](const std::string& body) {
    return "torsor.force('f', { evaluate = function(model, state, x)\n" + body + "\nend })";
  };
  const auto law = [](const std::string& body) {
    return "torsor.controller('c', { evaluate = function(model, input)\n" + body + "\nend })";
  };
  const auto motion = [](const std::string& describe, const std::string& evaluate) {
    return "torsor.trajectory('m', { describe = function(model) " + describe +
           " end, evaluate = function(model, t, order) " + evaluate + " end })";
  };
  const std::string use_motion = "local m = arm:trajectory('m', {}) m:at(0)";
  const struct {
    std::string definitions, use, message;
  } cases[] = {
      {"torsor.force('f', {})", "", "scene.lua:2: force 'f': has no function evaluate"},
      {"torsor.force('f', { evaluate = function() end, contct = true })", "",
       "force 'f': unknown key 'contct'; did you mean 'contact'?"},
      {"torsor.force('f', { evaluate = function() end, states = 1.5 })", "",
       "states is 1.5; it must be a whole number"},
      {"torsor.controller('c', { evaluate = function() end, follows = 'feet' })", "",
       "follows is 'feet'; use one of: nothing, joints, frame"},
      {"torsor.trajectory('m', { evaluate = function() end })", "",
       "trajectory 'm': has no function describe; define it"},
      {"torsor.solver('newton_euler', { inverse = function() end })", "",
       "'solver.newton_euler' is already a plugin of "},
      {force("return 1"), use_force,
       "force 'force.f' failed in evaluate: scene.lua:2: evaluate returns a number; it must return "
       "one table"},
      {force("return {}, 1"), use_force, "evaluate returns 2 values; it must return one table"},
      {force("return { tua = {1, 2} }"), use_force,
       "unknown key 'tua' in the result; did you mean 'tau'?"},
      {force("return { tau = {1} }"), use_force,
       "evaluate, as tau, returns a list of 1; it must return a list of 2 numbers"},
      {force("return { tau = {1, 2, b = 3, a = 4} }"), use_force,
       "evaluate, as tau, returns a list with the unknown key 'a'; it must return a list of "
       "numbers"},
      {force("return { F_B = { {0, 0, 0, 0, 0, 0, force = 1} } }"), use_force,
       "returns a list with the unknown key 'force'; it must return a list of numbers"},
      {force("return { F_B = { [7] = {0, 0, 0, 0, 0, 0} } }"), use_force,
       "F_B has a key that is not a body number; use 1 to 2"},
      {force("return { energy = 1 }"), use_force, "returns only one of energy and energy_rate"},
      {force("return { tau = {0, 0 / 0} }"), use_force,
       "at joint 'joint2' that is not a finite number"},
      {force("return { tau = x.y.z }"), use_force,
       "scene.lua:3: attempt to index a nil value (field 'y') (in evaluate)"},
      {law("return {}"), use_law, "scene.lua:2: evaluate returns no tau"},
      {law("return { tau = {0, 1 / 0} }"), use_law,
       "torque at joint 'joint2' that is not a finite number"},
      {law("return { tau = model.dynamics:bias(input.q) }"), use_law,
       "scene.lua:3: dynamics:bias(q, v) takes 2 arguments, not 1"},
      {law("return { tau = model.dynamics:forward(input.q) }"), use_law,
       "dynamics:forward(q, v, tau) takes 3 arguments, not 1"},
      {law("return { tau = model.dynamics:configuration(-1) }"), use_law,
       "dynamics:configuration(number) takes a whole number from 0 to 4294967295"},
      {law("return { tau = model.dynamics:gravity() }"), use_law,
       "dynamics:gravity(q) takes 1 argument, not 0"},
      {law("return { tau = {0, 0}, signals = { s = 1 } }"), use_law,
       "scene.lua:2: evaluate: unknown key 's' in signals; it takes no keys"},
      {"torsor.controller('c', { signals = { sum = { count = 1 } }, evaluate = function(model, "
       "input) return { tau = {0, 0}, signals = { sum = 1, smu = 2 } } end })",
       use_law, "evaluate: unknown key 'smu' in signals; did you mean 'sum'?"},
      {motion("return { duration = 1 }", "return {}"), use_motion,
       "must return duration and order"},
      {motion("return { duration = 1, order = 9 }", "return {}"), use_motion,
       "returns the order 9; it must be a whole number up to 4"},
      {motion("return { duration = 1, order = 2.7 }", "return {}"), use_motion,
       "scene.lua:2: describe returns the order 2.7; it must be a whole number up to 4"},
      {motion("return { duration = 1, order = 1, smoothness = 2.5 }", "return {}"), use_motion,
       "describe returns the smoothness 2.5; it must be a whole number"},
      {motion("return { duration = 1, order = 1, breaks = 7 }", "return {}"), use_motion,
       "describe, as breaks, returns a number; it must return a list of numbers"},
      {"torsor.solver('s', { inverse = function(model, state, vdot) return vdot end, mass_matrix = "
       "function() return { {1, 0}, {0, 1}, symmetric = true } end })",
       "arm:dynamics{ solver = 's' }:mass_matrix{0, 0}",
       "mass_matrix returns a list with the unknown key 'symmetric'; it must return a list of "
       "rows"},
      {motion("return { duration = -1, order = 1 }", "return {}"), use_motion,
       "has the impossible duration -1 s"},
      {motion("return { duration = 1, order = 1 }", "return {{1, 2}}"), use_motion,
       "must return a list of 2 lists: positions and their derivatives up to order 1"},
      {motion("return { duration = 1, order = 1 }", "return {{1, 2}, {1}}"), use_motion,
       "in derivative 1, returns a list of 1; it must return a list of 2 numbers"},
      {motion("return { duration = 1, order = 1, breaks = { 0.5, at = 1 } }", "return {}"),
       use_motion,
       "describe, as breaks, returns a list with the unknown key 'at'; it must return a list of "
       "numbers"},
      {motion("return { duration = 1, order = 1 }", "return {{1, 2}, {3, 4}, {5, 6}, v = 1}"),
       use_motion,
       "scene.lua:2: evaluate returns a list with the unknown key 'v'; it must return a list of "
       "lists"},
      {"torsor.plugins{ 'none.so' }", "",
       "scene.lua:2: torsor.plugins: plugin file 'none.so' does not exist"},
      {"torsor.plugins{ 'none.lua' }", "", "torsor.plugins: plugin file 'none.lua' does not exist"},
      {"torsor.plugins{}", "",
       "scene.lua:2: torsor.plugins: the list is empty; give the names of plugin files, such as "
       "torsor.plugins{ 'build/mine.so' }"},
      {"torsor.plugins(setmetatable({}, { __index = { 'none.so' } }))", "",
       "scene.lua:2: torsor.plugins: files is a table with a metatable; use a plain table, a list "
       "of strings"},
      {"torsor.plugins('x')", "",
       "torsor.plugins: files is the string 'x'; it must be a list of strings"},
      {"torsor.plugins{ '" + solver_file + "', '" + solver_file + "' }", "",
       "has two plugins 'solver.newton_euler_lua'"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(error_of_scene(scene_text(c.definitions, c.use)), HasSubstr(c.message))
        << c.definitions << c.use;
  EXPECT_THAT(
      error_of_scene(
          "local torsor = require 'torsor' local w = torsor.world{} w:experiment{ plugins = {} }"),
      HasSubstr("plugins cannot be listed here; call torsor.plugins{"));
  EXPECT_THAT(
      robot_error(
          "local torsor = require 'torsor' torsor.solver('a', { inverse = function() end }) return "
          "torsor.robot{ name = 'r' }"),
      HasSubstr("scene.lua:1: a robot file cannot define a plugin; define 'solver.a' in a scene or "
                "in a file"));
}

// ---- the 2R arm of MR 9.1 ----

// Returns the first disagreement between the solver mr_2r of a scene and articulated_body, or "".
std::string first_disagreement(const Experiment& experiment) {
  std::vector<Solver> solvers;
  for (const char* id : {"articulated_body", "mr_2r"})
    solvers.push_back(experiment.plugins->solver(id, experiment.model));
  Comparison comparison(std::move(solvers));
  State state(experiment.model);
  state.set_gravity(experiment.gravity_W);
  state.set_q(std::vector{0.4, -1.1});
  state.v = {0.9, -0.5};
  comparison.ask(state, std::vector{1.5, -2.0}, std::vector{3.0, 1.0});
  for (const Compared quantity : all_compared)
    if (const Disagreement found = comparison.between(0, 1, quantity); found.broken())
      return fmt::format("{} {}", name(quantity), explain(found, comparison.failure(1, quantity)));
  return "";
}

// Checks that each misprint of (9.8) in the book is detected, one at a time.
TEST(LuaPlugins, TheMisprintsOfTheBookAreDetected) {
  std::ifstream in(std::string(TORSOR_SOURCE_DIR) + "/scenes/hand_written_2r.lua");
  const std::string right((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(first_disagreement(load_with_plugins(right)), "");
  const std::pair<const char*, const char*> slips[] = {
      {"+ m2 * (L1 * L2 * cos(theta2) + L2^2) * ddtheta2",
       "+ m2 * (L1 * L2 * cos(theta1) + L2^2) * ddtheta2"},
      {"+ m2 * L1 * L2 * dtheta1^2 * sin(theta2)",
       "- m2 * L1 * L2 * dtheta1 * dtheta2 * sin(theta2)"},
      {"             + m2 * L2 * g_cos(theta1 + theta2)\n  if",
       "             - m2 * L2 * g_cos(theta1 + theta2)\n  if"}};
  for (const auto& [correct, printed] : slips) {
    std::string text = right;
    const size_t at = text.find(correct);
    ASSERT_NE(at, text.npos) << correct;
    text.replace(at, std::string(correct).size(), printed);
    EXPECT_THAT(first_disagreement(load_with_plugins(text)), HasSubstr("disagrees by")) << printed;
  }
}

}  // namespace
}  // namespace torsor::test
