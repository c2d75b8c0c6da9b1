// Tests of solvers written in Lua: they agree with other solvers, and their errors name the line.

#include <fstream>

#include "scripting/scene_run.hpp"
#include "support/agreement.hpp"
#include "support/random_state.hpp"
#include "torsor/analysis/comparison.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path example =
    std::filesystem::path(TORSOR_SOURCE_DIR) / "scripts/plugins/newton_euler_lua.lua";

// Returns the plugins of this build and those of a script.
Registry with_script(const std::filesystem::path& file) {
  Registry out = registry();
  out.add(load_plugin_script(file));
  return out;
}

// Returns the lines of a Lua file after its first comment, without the line that begins with
// torsor.solver.
std::string algorithm_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string out, line;
  while (std::getline(in, line))
    if (!(out.empty() && line.starts_with("--")) && !line.starts_with("torsor.solver("))
      out += line + "\n";
  return out;
}

// ---- valid solvers ----

// Checks that the example and the template of `torsor new` are the same algorithm.
TEST(LuaSolver, ExampleEqualsTheTemplate) {
  const std::string algorithm = algorithm_in(example);
  EXPECT_THAT(algorithm, HasSubstr("local function inverse("));
  EXPECT_EQ(algorithm, algorithm_in(std::filesystem::path(TORSOR_SOURCE_DIR) /
                                    "plugins/templates/solver/lua/NAME.lua"));
}

TEST(LuaSolver, NewtonEulerAgreesOnRandomTrees) {
  const Registry plugins = with_script(example);
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(6, Shape::tree, seed, Kinds::every));
    std::vector<Solver> solvers;
    for (const char* id : {"articulated_body", "newton_euler_lua"})
      solvers.push_back(plugins.solver(id, model));
    Comparison comparison(std::move(solvers));
    Random random(100 + seed);
    for (int k = 0; k < 3; ++k) {
      State state = random_state(model, random);
      add_random_wrenches(random, state);
      comparison.ask(state, random_values(random, model->n_v, 5),
                     random_values(random, model->n_v, 50));
      for (const Compared quantity : all_compared) {
        const Disagreement found = comparison.between(0, 1, quantity);
        EXPECT_FALSE(found.broken())
            << name(quantity) << ": " << explain(found, comparison.failure(1, quantity));
      }
    }
  }
}

// Checks that inverse_rates in a script provides derivatives up to order 2. They require a base at
// rest, and wrenches that are constant in body axes.
TEST(LuaSolver, RatesHaveTwoDerivativesUnderConstantLoads) {
  const ScriptFolder folder;
  const Registry plugins = with_script(folder.write("my.lua", R"(local torsor = require 'torsor'
    local function times(factor, x)
      local out = {}
      for k = 1, #x do out[k] = factor * x[k] end
      return out
    end
    torsor.solver('mine', {
      inverse = function(model, state, vdot) return vdot end,
      inverse_rates = function(model, state, a, b, c) return times(2, a), times(3, b), times(4, c) end
    }))"));
  const auto model = build(random_robot(3, Shape::chain, 1));
  Solver solver = plugins.solver("mine", model);
  ASSERT_EQ(solver.max_rate_order(), 2);
  EXPECT_FALSE(solver.has_equation_rates());
  State state(model);
  const std::vector<double> motion{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<double> tau(12, -1);
  ASSERT_TRUE(solver.rates(state, {2, motion.data()}, tau.data()));
  EXPECT_EQ(tau, (std::vector<double>{2, 4, 6, 12, 15, 18, 28, 32, 36, -1, -1, -1}));
  tau.assign(12, -1);
  ASSERT_TRUE(solver.rates(state, {1, motion.data()}, tau.data()));
  EXPECT_EQ(tau, (std::vector<double>{2, 4, 6, 12, 15, 18, -1, -1, -1, -1, -1, -1}));
  EXPECT_THAT(solver.explain(solver.rates(state, {3, motion.data()}, tau.data())),
              HasSubstr("up to order 2; order 3 is requested"));
  EXPECT_THAT(solver.explain(solver.rates(state, {-1, motion.data()}, tau.data())),
              HasSubstr("order -1 is requested"));
  const std::vector<Wrench<double>> F(8);
  const char* const loads = "only for a base at rest and wrenches that are constant";
  EXPECT_THAT(
      solver.explain(solver.rates(
          state, {.order = 2, .vdot = motion.data(), .Vdot_W = {}, .F_B = F.data()}, tau.data())),
      HasSubstr(loads));
  state.set_world_motion({{0, 0, 1}, {}}, {});
  EXPECT_THAT(solver.explain(solver.rates(state, {2, motion.data()}, tau.data())),
              HasSubstr(loads));
  EXPECT_THAT(solver.explain(solver.equation_rates(state, {2, motion.data()}, {})),
              HasSubstr("offers no rates of M, C and g"));
}

// ---- errors ----

// Returns the error of loading a plugin script, without the folder of the script, or "".
std::string solver_error(const std::string& text) {
  const ScriptFolder folder;
  const std::filesystem::path file =
      folder.write("my.lua", "local torsor = require 'torsor'\n" + text);
  try {
    (void)load_plugin_script(file);
    return "";
  } catch (const Error& error) {
    std::string what = error.what();
    if (const size_t at = what.find(folder.path().string() + "/"); at != what.npos)
      what.erase(at, folder.path().string().size() + 1);
    return what;
  }
}

TEST(LuaSolver, AnInvalidDefinitionIsRejected) {
  const struct {
    const char *said, *message;
  } cases[] = {
      {"", "cannot be used: it defines no plugin; define one with torsor.solver(name, {...})"},
      {"torsor.solver('a', {})",
       "cannot be used: my.lua:2: solver 'a': has neither inverse nor forward; define one of them, "
       "the rest is derived"},
      {"torsor.solver('a', { invers = function() end })",
       "my.lua:2: solver 'a': unknown key 'invers'; did you mean 'inverse'?"},
      {"torsor.solver('a', { inverse = 3 })",
       "solver 'a': inverse is a number; it must be a function"},
      {"torsor.solver('a', { inverse = math.sin })",
       "is a library function; it must be written in Lua"},
      {"torsor.solver({ inverse = function() end })", "torsor.solver takes a name and a table"},
      {"torsor.solver('A b', { inverse = function() end })", "the malformed id 'solver.A b'"},
      {"torsor.solver('a', { inverse = function() end, version = '' })",
       "'solver.a' has no version"},
      {"torsor.solver('a', { inverse = function() end })\ntorsor.solver('a', { forward = "
       "function() end })",
       "my.lua:3: 'solver.a' is already defined at "},
      {"torsor.solver('a', { inverse = function() end, forward_partials = function() end })",
       "has forward_partials but no inverse_partials"},
      {"torsor.solver('a', { inverse = function() end, params = { k = { defualt = 1 } } })",
       "solver 'a': unknown key 'defualt' in params.k; did you mean 'default'?"},
      {"torsor.solver('a', { inverse = function() end, params = { k = {} } })",
       "solver 'a': params.k.default is missing"},
      {"torsor.solver('a', { inverse = function() end, params = { k = { default = 2, max = 1 } } "
       "})",
       "parameter 'k' has the initial value 2 outside [-inf, 1]"},
      {"torsor.solver('a', { inverse = function() end, params = { k = { type = 'rael', default = 2 "
       "} } })",
       "params.k.type is 'rael'; use one of: real, integer, flag, choice, frame, position, path, "
       "table, pose, poses; did you mean 'real'?"},
      {"torsor.solver('a', { inverse = function() end, params = { k = { choices = {'x', 'y'}, "
       "default = 'z' } } })",
       "params.k.default is 'z', which is not one of the choices"},
      {"torsor.solver('a', { inverse = function() end }", "my.lua:2:"},
      {"local x = nil + 1",
       "cannot be used: my.lua:2: attempt to perform arithmetic on a nil value"},
  };
  for (const auto& c : cases) EXPECT_THAT(solver_error(c.said), HasSubstr(c.message)) << c.said;
}

// Returns the error of inverse dynamics of a solver with these statements. The robot is a chain of
// three joints.
std::string call_error(const std::string& statements, const std::string& before = "",
                       const std::vector<Parameter>& parameters = {}) {
  const ScriptFolder folder;
  const std::filesystem::path file = folder.write(
      "my.lua",
      "local torsor = require 'torsor' " + before +
          "\ntorsor.solver('mine', { params = { k = { default = 1 }, on = { default = false } }, "
          "inverse = function(model, state, vdot)\n" +
          statements + "\nend })");
  std::string what;
  try {
    const auto model = build(random_robot(3, Shape::chain, 1));
    Solver solver = with_script(file).solver("mine", model, parameters);
    const State state(model);
    std::vector<double> zero(size_t(model->n_v)), tau(zero);
    const Status status = solver.inverse(state, zero.data(), tau.data());
    if (!status) what = solver.explain(status);
  } catch (const Error& error) {
    what = error.what();
  }
  for (size_t at; (at = what.find(folder.path().string() + "/")) != what.npos;)
    what.erase(at, folder.path().string().size() + 1);
  return what;
}

TEST(LuaSolver, AnErrorInACallNamesPluginLineAndCall) {
  const struct {
    const char *said, *message;
  } cases[] = {
      {"return vdot", ""},
      {"return vdot.x.y",
       "solver 'solver.mine' failed in inverse: my.lua:3: attempt to index a nil value (field 'x') "
       "(in inverse)"},
      {"return {1}", "my.lua:2: inverse returns a list of 1; it must return a list of 3 numbers"},
      {"return {1, 2, 'x'}",
       "inverse returns a list whose entry 3 is a string; it must be a number"},
      {"return 1", "inverse returns a number; it must return a list of 3 numbers"},
      {"return", "inverse returns 0 values; it must return one"},
      {"return vdot, vdot", "inverse returns 2 values; it must return one"},
      {"return nil, 4",
       "my.lua:2: inverse returns nil and 4, which is not a body number; use 1 to 3"},
      {"return nil, 1.5", "inverse returns nil and 1.5, which is not a body number"},
      {"return nil, {}",
       "inverse returns nil and a table; return nil and a body number, or nil and a string"},
      {"return {1, 0 / 0, 2}", "my.lua:2: inverse returns NaN for degree of freedom 2"},
      {"return {1, 2, math.huge}", "my.lua:2: inverse returns inf for degree of freedom 3"},
      {"while true do end", "my.lua:3: the script took more than 100 million steps"},
      {"local s = 'x' while true do s = s .. s end", "of memory"},
      {"model.n_v = 4 return vdot", "inverse changes the entry 'n_v' of a table"},
      {"model.parent[1] = 2 return vdot", "inverse changes the entry '1' of a table"},
      {"model.mine = 4 return vdot", "inverse changes the entry 'mine' of a table"},
      {"print(1) return vdot", "print works only while"},
      {"torsor.solver('x', {}) return vdot", "a function that builds a scene works only while"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(call_error(c.said),
                *c.message ? testing::Matcher<std::string>(HasSubstr(c.message)) : testing::Eq(""))
        << c.said;
  EXPECT_THAT(call_error("n = n + 1 return vdot", "local n = 0"),
              HasSubstr("inverse changes the variable 'n'"));
  EXPECT_THAT(call_error("return {1, 0 / 0, 2}"), HasSubstr("failed in inverse at joint '"));
}

TEST(LuaSolver, ParametersComeAsTheyAreSet) {
  const char* shows = "error(model.params.k .. tostring(model.params.on))";
  EXPECT_THAT(call_error(shows), HasSubstr("1.0false"));
  EXPECT_THAT(call_error(shows, "", {{"k", 2.5}, {"on", true}}), HasSubstr("2.5true"));
  EXPECT_THAT(call_error(shows, "", {{"kk", 2.5}}), HasSubstr("did you mean 'k'?"));
}

TEST(LuaSolver, RejectsAModelWithItsReasonAndNamesTheSingularJoint) {
  const ScriptFolder folder;
  const Registry plugins = with_script(folder.write("my.lua", R"(local torsor = require "torsor"
torsor.solver("choosy", { inverse = function(model, state, vdot) return vdot end,
  prepare = function(model) if model.n_v ~= 2 then return nil, "it has " .. model.n_v .. " columns" end end })
torsor.solver("stuck", { forward = function(model, state, tau) return nil, 2 end })
torsor.solver("standing", { inverse = function(model, state, vdot) return nil, "its world moves" end })
torsor.solver("kept", { inverse = function(model, state, vdot) return model.prepared end,
  prepare = function(model) return { 7, 8, 9 } end })
torsor.solver("wrong", { inverse = function(model, state, vdot) return vdot end, prepare = function(model) return model.x.y end }))"));
  const auto model = build(random_robot(3, Shape::chain, 1));
  try {
    (void)plugins.solver("choosy", model);
    FAIL() << "it takes a robot that it rejects";
  } catch (const UnsupportedModel& refusal) {
    EXPECT_EQ(refusal.reason, "it has 3 columns");
  }
  EXPECT_NO_THROW((void)plugins.solver("choosy", build(random_robot(2, Shape::chain, 1))));
  const State state(model);
  std::vector<double> zero(3), out(3);
  Solver stuck = plugins.solver("stuck", model);
  const Status status = stuck.forward(state, zero.data(), out.data());
  EXPECT_THAT(stuck.explain(status), HasSubstr("at joint '" + model->joint_of_body(2) +
                                               "', although its link has an inertia of"));
  Solver standing = plugins.solver("standing", model);
  EXPECT_EQ(standing.explain(standing.inverse(state, zero.data(), out.data())),
            "solver 'solver.standing' failed in inverse: unsupported: its world moves");
  Solver kept = plugins.solver("kept", model);
  ASSERT_TRUE(kept.inverse(state, zero.data(), out.data()));
  EXPECT_EQ(out, (std::vector<double>{7, 8, 9}));
  try {
    (void)plugins.solver("wrong", model);
    FAIL() << "an error in prepare is no rejection";
  } catch (const UnsupportedModel&) {
    FAIL() << "an error in prepare is no rejection";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("my.lua:8: attempt to index a nil value (field 'x') (in prepare)"));
  }
}

TEST(LuaSolver, IsFoundInAFolderAndRejectsAChangedFile) {
  const ScriptFolder folder;
  const std::string text =
      "require('torsor').solver('mine', { inverse = function(model, state, vdot) return vdot end "
      "})";
  const std::filesystem::path file = folder.write("mine.lua", text);
  folder.write("broken.lua", "return nil + 1");
  const Registry found({folder.path()}, load_plugin_script);
  ASSERT_EQ(found.plugins().size(), 1u);
  EXPECT_EQ(found.plugins()[0].id, "solver.mine");
  ASSERT_EQ(found.skipped().size(), 1u);
  EXPECT_THAT(found.skipped()[0].reason, HasSubstr("broken.lua:1: attempt to perform arithmetic"));
  const auto model = build(random_robot(2, Shape::chain, 1));
  EXPECT_NO_THROW((void)found.solver("mine", model));
  std::ofstream(file) << text << " ";
  try {
    (void)found.solver("mine", model);
    FAIL() << "it is another file";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has changed since it was read; reload the scene"));
  }
}

}  // namespace
}  // namespace torsor::test
