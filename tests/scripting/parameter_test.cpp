// Tests of torsor.params, torsor.options and overrides from outside.

#include "scripting/script_file.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string declare =
    "local p = torsor.params{ payload = 2.0, n = 3, fast = true, label = 'a' } ";

TEST(Params, HaveTheirDefaults) {
  EXPECT_THAT(run(declare +
                  "print(p.payload, p.n, p.fast, p.label) for k, v in pairs(p) do print(k, v) end")
                  .printed,
              ElementsAre("2.0\t3\ttrue\ta", "fast\ttrue", "label\ta", "n\t3", "payload\t2.0"));
}

TEST(Params, TakeTheTypeOfTheDefault) {
  const Outcome out = run(declare + "print(p.payload, p.n, p.fast, p.label)", {},
                          {{"payload", "5"}, {"n", "4"}, {"fast", "false"}, {"label", "7"}});
  EXPECT_EQ(out.error, "");
  EXPECT_THAT(out.printed, ElementsAre("5.0\t4\tfalse\t7"));
  EXPECT_THAT(run(declare + "print(p.n, math.type(p.n))", {}, {{"n", "2.5"}}).printed,
              ElementsAre("2.5\tfloat"));
  EXPECT_THAT(run(declare + "print(p.payload)", {}, {{"payload", "-1e-3"}}).printed,
              ElementsAre("-0.001"));
}

TEST(Params, RejectOtherStrings) {
  const auto error = [&](const char* name, const char* text) {
    return run(declare, {}, {{name, text}}).error;
  };
  EXPECT_EQ(error("payload", "heavy"),
            "scene.lua:1: 'payload' is 'heavy'; it must be a finite number");
  for (const char* text : {"", "nan", "inf", "1e999", "1 2", "0x10", "1,5", " 1"})
    EXPECT_THAT(error("payload", text), HasSubstr("it must be a finite number")) << text;
  EXPECT_THAT(error("fast", "yes"), HasSubstr("'fast' is 'yes'; it must be true or false"));
  EXPECT_EQ(
      error("paylod", "1"),
      "scene.lua:1: unknown parameter 'paylod'; use one of: fast, label, n, payload; did you mean "
      "'payload'?");
}

TEST(Params, AreStrict) {
  EXPECT_THAT(error_of(declare + "print(p.paylod)"),
              HasSubstr("'params.paylod' does not exist; did you mean 'payload'?"));
  EXPECT_THAT(error_of(declare + "p.payload = 3"), HasSubstr("'params.payload' is read-only"));
  EXPECT_THAT(error_of(declare + "torsor.params{ more = 1 }"), HasSubstr("is called twice"));
  EXPECT_THAT(error_of("torsor.params{ x = {} }"), HasSubstr("the default of 'x' is a table"));
  EXPECT_THAT(error_of("torsor.params{ x = 0/0 }"), HasSubstr("the default of 'x' is not finite"));
  EXPECT_THAT(error_of("torsor.params{ x = math.huge }"), HasSubstr("not finite"));
  EXPECT_THAT(error_of("torsor.params{ 'x' }"), HasSubstr("[1] is not a parameter name"));
  EXPECT_THAT(error_of("torsor.params()"), HasSubstr("takes a table"));
}

TEST(Params, AnUndeclaredParameterIsAnError) {
  EXPECT_THAT(run("", {}, {{"payload", "1"}}).error,
              HasSubstr("'payload' cannot be set; the file declares no parameters"));
  EXPECT_THAT(scene_error("return 1", {{"payload", "1"}}), HasSubstr("returns a number"));
}

const std::string fill =
    "local function build(options) return torsor.options(options, { name = 'arm', mass = 2, on = "
    "true, damping = {1, 2, 3} }) end ";

TEST(Options, FillInDefaults) {
  EXPECT_THAT(
      run(fill + "local o = build() print(o.name, o.mass, o.on, table.concat(o.damping, ' '))")
          .printed,
      ElementsAre("arm\t2\ttrue\t1 2 3"));
  EXPECT_THAT(
      run(fill + "local o = build{ mass = 5, on = false, damping = 0 } print(o.name, o.mass, o.on, "
                 "table.concat(o.damping, ' '))")
          .printed,
      ElementsAre("arm\t5\tfalse\t0 0 0"));
  EXPECT_THAT(run(fill + "print(table.concat(build{ damping = {4, 5, 6} }.damping, ' '))").printed,
              ElementsAre("4 5 6"));
}

TEST(Options, NameTheCaller) {
  const auto error = [](const std::string& options) {
    return error_of(fill + "\nbuild" + options);
  };
  EXPECT_EQ(error("{ mas = 1 }"),
            "scene.lua:2: unknown option 'mas'; use one of: damping, mass, name, on; did you mean "
            "'mass'?");
  EXPECT_EQ(error("{ mass = 'x' }"), "scene.lua:2: option 'mass' is a string; it must be a number");
  EXPECT_EQ(error("{ mass = 0/0 }"),
            "scene.lua:2: option 'mass' is NaN; it must be a finite number");
  EXPECT_EQ(error("{ on = 1 }"), "scene.lua:2: option 'on' is a number; it must be a boolean");
  EXPECT_EQ(error("{ damping = {1, 2} }"),
            "scene.lua:2: option 'damping' must be a list of 3 numbers, or one number for all");
  EXPECT_EQ(error("{ damping = {1, 'x', 3} }"),
            "scene.lua:2: option 'damping' has no finite number at [2]; give one");
  EXPECT_THAT(error("{ damping = {1, 2, 3, x = 4} }"),
              HasSubstr("must be a list of 3 numbers, or one number for all"));
  EXPECT_EQ(error("(3)"), "scene.lua:2: the options must be a table, not a number");
  EXPECT_THAT(error("(setmetatable({}, {}))"), HasSubstr("use a plain table"));
  EXPECT_THAT(error("{ 5 }"), HasSubstr("[1] is not a parameter name"));
}

const std::string module =
    "local torsor = require 'torsor' return { build = function(options) local o = "
    "torsor.options(options, { name = 'arm', links = 1, damping = {0, 0} }) local r = "
    "torsor.robot{ name = o.name } for i = 1, o.links do r:link{ name = 'l' .. i, parent = i > 1 "
    "and 'l' .. i - 1 or nil, joint = { 'revolute', name = 'j' .. i, axis = {0, 0, 1}, damping = "
    "o.damping[2] }, massless = true } end return r end }";

TEST(Options, OfARobotFileAreOverridden) {
  EXPECT_EQ(load_robot_text(module).links.size(), 1u);
  const RobotDescription robot =
      load_robot_text(module, {{"links", "3"}, {"name", "5"}, {"damping", "0.5"}});
  EXPECT_EQ(robot.name, "5");
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[2].joint.damping, 0.5);
  EXPECT_THAT(robot_error(module, {{"lnks", "3"}}), HasSubstr("did you mean 'links'?"));
  EXPECT_THAT(robot_error(module, {{"links", "many"}}),
              HasSubstr("'links' is 'many'; it must be a finite number"));
}

TEST(RobotFile, ReturnsARobotOrAModule) {
  EXPECT_EQ(load_robot_text(
                "local torsor = require 'torsor' local p = torsor.params{ name = 'x' } return "
                "torsor.robot{ name = p.name }",
                {{"name", "y"}})
                .name,
            "y");
  EXPECT_THAT(robot_error("return 3"),
              HasSubstr("the file returns a number; it must return a robot, or a table whose "
                        "build(options) returns one"));
  EXPECT_THAT(robot_error("return { build = function() end }"),
              HasSubstr("build(options) of the file returns nothing; it must return a robot"));
  EXPECT_THAT(
      robot_error("return { build = 3 }"),
      HasSubstr("the file returns a table whose build is a number, not a function; it must"));
  EXPECT_THAT(robot_error("return {}"),
              HasSubstr("the file returns a table without build; it must"));
  EXPECT_THAT(robot_error("return {}"), HasSubstr("it must return a robot"));
  EXPECT_THAT(
      robot_error("return { build = function(o) return require('torsor').robot{ name = 'r' } end }",
                  {{"mass", "1"}}),
      HasSubstr("'mass' cannot be set; the file declares no parameters"));
}

}  // namespace
}  // namespace torsor::test
