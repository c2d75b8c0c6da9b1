// Tests of studies in scenes: distributions of parameters, and outcome functions.

#include <gmock/gmock.h>

#include <cmath>

#include "scripting/script_file.hpp"
#include "simulation/folder_test.hpp"
#include "support/error_of.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/cache/script_cache.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/study/workers/sample_runner.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A mass of 1 kg on a rail, which moves at 1 m/s.
constexpr const char* cart = R"(
local torsor = require "torsor"
local p = torsor.params{ PARAMETERS }
local arm = torsor.robot{ name = "cart" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:set{ v = {1} }
local world = torsor.world{}
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 0.125 }, duration = 2,
  record = { "cart.q", "cart.v" }, EXPERIMENT }
)";

class StudyScenes : public FolderTest {
 protected:
  StudyScene load(const std::string& parameters, const std::string& experiment = "",
                  const Overrides& overrides = {}) const {
    std::string text = cart;
    text.replace(text.find("PARAMETERS"), 10, parameters);
    text.replace(text.find("EXPERIMENT"), 10, experiment);
    write(folder_ / "cart.lua", text);
    static const Registry plugins({TORSOR_PLUGIN_DIR});
    return Script({.plugins = &plugins}).load_study(folder_ / "cart.lua", overrides);
  }
  std::string error(const std::string& parameters, const std::string& experiment = "",
                    const Overrides& overrides = {}) const {
    std::string message = error_of([&] { load(parameters, experiment, overrides); });
    const std::string place = (folder_ / "cart.lua").string() + ":";
    EXPECT_THAT(message, testing::StartsWith(place));
    message.erase(0, place.size());
    return message.substr(message.find(' ') + 1);
  }
  // Runs the scene and returns its outcomes.
  SampleResult result(const std::string& outcome, const std::string& parameters = "a = 1") const {
    const SampleRunner runner(
        [&](const StudySettings&) { return load(parameters, "outcome = " + outcome); }, {});
    return runner.run({}).value();
  }
  double number(const std::string& expression) const {
    const SampleResult out = result("function(run) return { x = " + expression + " } end");
    EXPECT_EQ(out.message, "") << expression;
    return out.outcomes.empty() ? std::nan("") : out.outcomes[0].value;
  }
};

TEST_F(StudyScenes, APlainRunHasNominalValues) {
  const StudyScene scene = load(
      "a = torsor.normal(2, 0.3, { min = 0, unit = 'kg' }), b = torsor.uniform(0, 4), "
      "c = torsor.log_uniform(1, 100), d = torsor.integer(1, 6), "
      "e = torsor.choice{ 'pid', 'adaptive' }, f = torsor.choice{ true, false }, g = 5");
  const auto& values = scene.experiment.parameters;
  EXPECT_EQ(std::get<double>(values.at("a")), 2);
  EXPECT_EQ(std::get<double>(values.at("b")), 2);
  EXPECT_NEAR(std::get<double>(values.at("c")), 10, 1e-14);
  EXPECT_EQ(std::get<double>(values.at("d")), 3);
  EXPECT_EQ(std::get<std::string>(values.at("e")), "pid");
  EXPECT_EQ(std::get<bool>(values.at("f")), true);
  ASSERT_EQ(scene.parameters.size(), 7u);
  EXPECT_EQ(scene.parameters[0].unit, "kg");
  EXPECT_EQ(scene.parameters[0].distribution->text(), "normal(2, 0.3, { min = 0 })");
  EXPECT_THAT(scene.parameters[5].distribution->labels(), ElementsAre("true", "false"));
  EXPECT_FALSE(scene.parameters[6].distribution);
}

TEST_F(StudyScenes, AnOverrideReplacesADistribution) {
  const StudyScene scene =
      load("a = torsor.normal(2, 0.3), n = torsor.integer(1, 6), f = torsor.choice{ true, false }",
           "", {{"a", "2.5"}, {"n", "4"}, {"f", "false"}});
  EXPECT_EQ(std::get<double>(scene.experiment.parameters.at("a")), 2.5);
  EXPECT_EQ(std::get<double>(scene.experiment.parameters.at("n")), 4);
  EXPECT_EQ(std::get<bool>(scene.experiment.parameters.at("f")), false);
  for (const StudyParameter& parameter : scene.parameters) EXPECT_FALSE(parameter.distribution);
}

TEST_F(StudyScenes, IntegersAreIntegersInLua) {
  const std::string test = "outcome = function() return { x = math.type(p.n) == 'integer' } end";
  for (const Overrides& overrides : {Overrides{}, Overrides{{"n", "5"}}}) {
    const SampleRunner runner(
        [&](const StudySettings&) { return load("n = torsor.integer(1, 6)", test, overrides); },
        {});
    EXPECT_EQ(runner.run({})->outcomes.at(0).value, 1);
  }
}

TEST_F(StudyScenes, RowsOfATableAreParameters) {
  write(folder_ / "t.csv", "mass [kg],law\n2.5,pid\n3,adaptive\n");
  const StudyScene scene = load(
      "mass = torsor.rows('t.csv'), law = torsor.rows('t.csv'), "
      "m = torsor.rows('t.csv', { column = 'mass' })");
  EXPECT_EQ(std::get<double>(scene.experiment.parameters.at("mass")), 2.5);
  EXPECT_EQ(std::get<double>(scene.experiment.parameters.at("m")), 2.5);
  EXPECT_EQ(std::get<std::string>(scene.experiment.parameters.at("law")), "pid");
  EXPECT_THAT(error("x = torsor.rows('t.csv')"), HasSubstr("t.csv has no column 'x'"));
  EXPECT_THAT(error("x = torsor.rows('none.csv')"), HasSubstr("no such file"));
}

TEST_F(StudyScenes, InvalidDistributionsAreReported) {
  EXPECT_EQ(error("a = torsor.normal(2, 0.3, { min = 3, max = 1 })"),
            "torsor.normal: min is 3, which is not below max, 1");
  EXPECT_EQ(error("a = torsor.uniform(2, 1)"),
            "torsor.uniform: the first limit is 2, which is not below the second, 1");
  EXPECT_THAT(error("a = torsor.uniform('2', 1)"), HasSubstr("the first limit is a string"));
  EXPECT_THAT(error("a = torsor.integer(1.5, 2)"), HasSubstr("a limit is not an integer"));
  EXPECT_THAT(error("a = torsor.choice{}"), HasSubstr("the list is empty"));
  EXPECT_THAT(error("a = torsor.choice{ 1, 'x' }"), HasSubstr("value 2 has another type"));
  EXPECT_THAT(error("a = torsor.choice{ {} }"), HasSubstr("torsor.choice: [1] is a table"));
  EXPECT_THAT(error("a = torsor.normal(2, 0.3, { mni = 0 })"), HasSubstr("did you mean 'min'?"));
  EXPECT_THAT(error("a = torsor.normal(2, 0.3) + 1"), HasSubstr("arithmetic"));
  EXPECT_EQ(error("a = torsor.choice{ 'pid', 'adaptive' }", "", {{"a", "pdi"}}),
            "'a' is 'pdi'; use one of: pid, adaptive; did you mean 'pid'?");
}

TEST_F(StudyScenes, OutcomesReduceSignals) {
  // The position is t, and the velocity is 1.
  EXPECT_NEAR(number("run:at('cart.q.rail', 1.3)"), 1.3, 1e-12);
  EXPECT_NEAR(number("run:final('cart.q')"), 2, 1e-12);
  EXPECT_NEAR(number("run:min('cart.q', { from = 0.5 })"), 0.5, 1e-12);
  EXPECT_NEAR(number("run:max('cart.q', { to = 0.5 })"), 0.5, 1e-12);
  EXPECT_NEAR(number("select(2, run:max('cart.q'))"), 2, 1e-12);
  EXPECT_NEAR(number("run:integral('cart.q')"), 2, 1e-12);
  EXPECT_NEAR(number("run:mean('cart.q', { from = 1, to = 2 })"), 1.5, 1e-12);
  EXPECT_NEAR(number("run:rms('cart.q')"), std::sqrt(4.0 / 3), 1e-12);
  EXPECT_NEAR(number("run:crossings('cart.q', 0.7)[1]"), 0.7, 1e-12);
  EXPECT_EQ(number("#run:crossings('cart.q', 0.7, { direction = 'falling' })"), 0);
  EXPECT_EQ(number("run:time()"), 2);
  EXPECT_EQ(number("run:failure() == nil"), 1);
  EXPECT_EQ(number("#run:limits()"), 0);
  EXPECT_LT(std::abs(number("run:energy_error()")), 1e-12);
}

TEST_F(StudyScenes, OutcomesHaveUnitsAndOrder) {
  const SampleResult out =
      result("{ function(run) return { z = 1, a = true } end, units = { z = 'N m' } }");
  ASSERT_EQ(out.outcomes.size(), 2u);
  EXPECT_EQ(out.outcomes[0].name, "a");
  EXPECT_EQ(out.outcomes[0].value, 1);
  EXPECT_EQ(out.outcomes[1].unit, "N m");
}

TEST_F(StudyScenes, InvalidOutcomesAreReported) {
  const auto message = [&](const std::string& function) {
    const SampleResult out = result("function(run) " + function + " end");
    EXPECT_EQ(out.status, SampleStatus::failed);
    EXPECT_EQ(out.message.find('\n'), out.message.npos);
    return out.message;
  };
  EXPECT_THAT(message("return { x = { y = 1 } }"),
              AllOf(HasSubstr("cart.lua:10: outcome: 'x' is a table; it must be a number, true or "
                              "false")));
  EXPECT_THAT(message("return 3"), HasSubstr("outcome returns a number; it must return a table"));
  EXPECT_THAT(message("return {}"), HasSubstr("returns an empty table"));
  EXPECT_THAT(message("return { 1 }"), HasSubstr("has the key [1]; name each value"));
  EXPECT_THAT(message("return { x = run:at('cart.qq', 1) }"),
              HasSubstr("there is no recorded signal 'cart.qq'"));
  EXPECT_THAT(message("return { x = run:at('cart.q', 3) }"), HasSubstr("t = 3 s is outside"));
  EXPECT_THAT(message("return { x = run:metrics() }"), HasSubstr("set metrics = true"));
  EXPECT_THAT(message("return { x = run:crossings('cart.q', 1, { direction = 'up' }) }"),
              HasSubstr("direction is 'up'"));
  EXPECT_THAT(message("return { x = run.at(1) }"), HasSubstr("write a colon, not a dot"));
  EXPECT_THAT(message("while true do end"), HasSubstr("million steps"));
  EXPECT_THAT(error("a = 1", "outcome = 3"), HasSubstr("outcome"));
  EXPECT_THAT(error("a = 1", "outcome = { units = {} }"), HasSubstr("is not a function"));
  EXPECT_THAT(error("a = 1", "outcome = { function() end, unit = 1 }"),
              HasSubstr("did you mean 'units'?"));
}

TEST_F(StudyScenes, OutcomesOfFailedRunsKnowWhy) {
  const SampleRunner runner(
      [&](const StudySettings&) {
        return load("a = 1",
                    "outcome = function(run) return { reached = run:failure() == nil, t = "
                    "run:time() } end, changes = { { at = 1, tau = {1e308} } }");
      },
      {});
  const SampleResult out = runner.run({}).value();
  EXPECT_EQ(out.status, SampleStatus::failed);
  EXPECT_THAT(out.message, HasSubstr("not a finite number"));
  ASSERT_EQ(out.outcomes.size(), 2u);
  EXPECT_EQ(out.outcomes[0].value, 0);
  EXPECT_LT(out.outcomes[1].value, 2);
}

// 16 steps of rk4 with four evaluations each.
TEST_F(StudyScenes, EvaluationsAreCounted) {
  EXPECT_EQ(number("run:evaluations()"), 64);
}

// The cart has a mass of 1 kg and moves at a constant velocity without force, so that an estimate
// of its mass is impossible. The message shows that the rows of the run were read.
TEST_F(StudyScenes, AnOutcomeIdentifiesTheRobotOfTheRun) {
  const char* outcome =
      "function(run) return { x = arm:identify{ recording = run }.estimate[1] } end";
  EXPECT_THAT(result(outcome).message, HasSubstr("has no column 'cart.tau.rail'"));
}

// Files of a cache are compiled once, also if they change, and errors name the same places.
TEST_F(StudyScenes, ACacheKeepsFilesAsTheyWere) {
  static const Registry plugins({TORSOR_PLUGIN_DIR});
  const auto cache = std::make_shared<ScriptCache>();
  const auto load_cached = [&](const Overrides& overrides) {
    return Script({.plugins = &plugins, .cache = cache})
        .load_study(folder_ / "scene.lua", overrides);
  };
  write(folder_ / "part.lua",
        "return { mass = function(p) if p < 0 then error('negative') end return 2 * p end }");
  std::string text = cart;
  text.replace(text.find("PARAMETERS"), 10, "a = 1");
  text.replace(text.find("EXPERIMENT"), 10, "");
  text.replace(text.find("mass = 1"), 8, "mass = require('part').mass(p.a)");
  write(folder_ / "scene.lua", text);
  const auto mass = [&](const std::string& a) {
    return load_cached({{"a", a}}).experiment.model->inertia_B[1].m;
  };
  EXPECT_EQ(mass("1"), 2);
  write(folder_ / "part.lua", "return { mass = function(p) return 3 * p end }");
  write(folder_ / "scene.lua", "error('changed')");
  EXPECT_EQ(mass("1.5"), 3);
  EXPECT_THAT(error_of([&] { mass("-1"); }), HasSubstr("part.lua:1: negative; called at "));
  EXPECT_THAT(error_of([&] { mass("-1"); }), HasSubstr("scene.lua:6"));
}

// Without visuals, the shapes of a link are read only if they determine its inertia.
TEST_F(StudyScenes, ASampleReadsNoShapesThatAreOnlyDrawn) {
  static const Registry plugins({TORSOR_PLUGIN_DIR});
  const auto loaded = [&](const std::string& inertia, bool visuals) {
    std::string text = cart;
    const size_t from = text.find("inertia = "), to = text.find("arm:set");
    text.replace(from, to - from, "visuals = { { box = {1, 1, 1} } }, " + inertia + " }\n");
    text.replace(text.find("PARAMETERS"), 10, "a = 1");
    text.replace(text.find("EXPERIMENT"), 10, "");
    write(folder_ / "cart.lua", text);
    return Script({.plugins = &plugins, .visuals = visuals}).load_scene(folder_ / "cart.lua").model;
  };
  const std::string solid = "inertia = { density = 1000 }";
  const std::string given =
      "inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }";
  for (const bool visuals : {true, false}) {
    EXPECT_DOUBLE_EQ(loaded(solid, visuals)->inertia_B[1].m, 1000);
    EXPECT_EQ(loaded(given, visuals)->visuals.size(), visuals ? 1u : 0u);
  }
}

TEST_F(StudyScenes, AScriptCannotKeepARun) {
  EXPECT_THAT(
      result("(function() local kept; return function(run) kept = run; return { x = 1 } end end)()")
          .message,
      "");
}

TEST_F(StudyScenes, PlainScenesHaveDefaultOutcomes) {
  const SampleRunner runner([&](const StudySettings&) { return load("a = 1"); }, {});
  const SampleResult out = runner.run({}).value();
  std::vector<std::string> names;
  for (const torsor::Outcome& outcome : out.outcomes) names.push_back(outcome.name);
  EXPECT_THAT(names,
              ElementsAre("energy_error", "relative_energy_error", "cart.q.rail", "cart.v.rail"));
  EXPECT_NEAR(out.outcomes[2].value, 2, 1e-12);
  EXPECT_EQ(out.outcomes[2].unit, "m");
}

TEST_F(StudyScenes, ASampleThatTakesTooLongEnds) {
  const SampleRunner runner(
      [&](const StudySettings&) {
        StudyScene scene = load("a = 1");
        scene.experiment.duration = 1e9;
        return scene;
      },
      {.seconds = 0.1});
  const SampleResult out = runner.run({}).value();
  EXPECT_EQ(out.status, SampleStatus::over_limit);
  EXPECT_EQ(out.message, "the sample took more than its limit of 0.1 s");
  EXPECT_LT(out.wall_time, 10);
}

TEST_F(StudyScenes, MissingAndUndefinedOutcomesAreStatuses) {
  const std::vector<StudyColumn> columns = {{"a", ""}, {"b", ""}};
  const auto arranged = [&](std::vector<torsor::Outcome> outcomes) {
    SampleResult out{.status = SampleStatus::done, .message = "", .outcomes = std::move(outcomes)};
    const std::vector<double> values = arranged_outcomes(columns, out);
    EXPECT_EQ(values.size(), 2u);
    return out;
  };
  EXPECT_EQ(arranged({{"a", "", 1}, {"b", "", 2}}).status, SampleStatus::done);
  EXPECT_EQ(arranged({{"a", "", 1}}).message, "the outcome 'b' is undefined (NaN or nil)");
  EXPECT_EQ(arranged({{"a", "", std::nan("")}, {"b", "", 2}}).status, SampleStatus::undefined);
  EXPECT_EQ(arranged({{"a", "", std::nan(""), true}, {"b", "", 2}}).status, SampleStatus::done);
  const SampleResult other = arranged({{"c", "", 1}});
  EXPECT_EQ(other.status, SampleStatus::failed);
  EXPECT_THAT(other.message, HasSubstr("the nominal run has no outcome 'c'; it has: a, b"));
}

}  // namespace
}  // namespace torsor::test
