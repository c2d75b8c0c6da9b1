// Tests of closed loops in scenes: assembly with held joints, signals, and messages.

#include <cmath>

#include "scripting/scene_run.hpp"

namespace torsor::test::closures {
namespace {

using testing::HasSubstr;

// A crank and a rocker on the ground, and a coupler on the crank. `body` closes the loop.
std::string linkage(const std::string& body, const std::string& record = "'bar.q', 'energy'") {
  return "local torsor = require 'torsor' local bar = torsor.robot{ name = 'bar' } "
         "for _, b in ipairs{ {'crank', nil, 0.3, 0}, {'coupler', 'crank', 0.8, 0.3}, "
         "{'rocker', nil, 0.6, 0.9} } do bar:link{ name = b[1], parent = b[2], joint = { "
         "'revolute', name = b[1] .. '_joint', axis = {0, 1, 0} }, origin = { xyz = {b[4], 0, 0} "
         "}, inertia = { mass = 1, com = {b[3] / 2, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, "
         "Izz = 0.01 } } } bar:frame{ name = b[1] .. '_end', link = b[1], origin = { xyz = "
         "{b[3], 0, 0} } } end\n" +
         body +
         "\nlocal w = torsor.world{ gravity = {0, 0, -9.81} } w:add(bar) return w:experiment{ "
         "integrator = { 'rk4', dt = 0.001 }, duration = 0.3, record = { " +
         record + " } }";
}
constexpr const char* pin =
    "bar:close{ 'revolute', name = 'pin', between = { 'coupler_end', 'rocker_end' }, axis = "
    "{0, 1, 0} } ";

std::string error_of(const std::string& body, const std::string& record = "'bar.q'") {
  const ScriptFolder folder;
  try {
    (void)finished(load_scene(folder.write("scene.lua", linkage(body, record)), {}, &registry()));
  } catch (const Error& error) {
    const std::string message = error.what();
    const size_t at = message.find("scene.lua");
    return at == message.npos ? message : message.substr(at);
  }
  return "none";
}

// The position of the pin by the law of cosines, for a crank at the angle a below the ground line.
TEST(SceneClosures, AreAssembledAroundHeldJoints) {
  for (const char* set : {"bar:set{ q = { crank_joint = -0.4 }, v = { crank_joint = 2 } }",
                          "bar:set{ q = {-0.4, -0.1, -1.8}, v = {2, 0, 0}, hold = { 'crank_joint' "
                          "} }"}) {
    const Experiment made = load_with_plugins(linkage(pin + std::string(set)));
    const auto run = finished(made);
    Simulation& s = const_cast<Simulation&>(run->simulation());
    for (const double error : s.closure_errors()) EXPECT_LT(std::abs(error), 1e-14);
    EXPECT_LT(std::abs(s.ledger_error()), 1e-8);
    EXPECT_EQ(made.held, (std::vector<char>{1, 0, 0}));
    Simulation start(
        made.model, [&](auto model) { return registry().solver("newton_euler", model); },
        Integrator::rk4, 1e-3);
    start.set_state(made.q, made.v, made.held);
    EXPECT_EQ(start.state().q()[0], -0.4);
    EXPECT_EQ(start.state().v[0], 2);
    const double x = 0.3 * std::cos(0.4) - 0.9, z = 0.3 * std::sin(0.4), d = std::hypot(x, z);
    const double angle = std::acos((0.6 * 0.6 + d * d - 0.8 * 0.8) / (2 * 0.6 * d));
    EXPECT_NEAR(std::abs(std::remainder(-start.state().q()[2] - std::atan2(z, x), 2 * M_PI)), angle,
                1e-12);
  }
}

TEST(SceneClosures, RecordTheWrench) {
  const auto run = finished(load_with_plugins(
      linkage(pin + std::string("bar:set{ q = { crank_joint = -0.4 } }"), "'closure.pin'")));
  ASSERT_EQ(run->columns().size(), 7u);
  EXPECT_EQ(run->columns()[4].name, "closure.pin.fx");
  EXPECT_EQ(run->columns()[4].unit, "N");
}

TEST(SceneClosures, RejectWhatCannotBeClosed) {
  EXPECT_EQ(
      error_of("bar:close{ 'revolut', name = 'pin', between = { 'coupler_end', 'rocker_end' } }")
          .substr(0, 75),
      "scene.lua:2: arm:close: there is no kind 'revolut'; did you mean 'revolute'");
  EXPECT_THAT(error_of("bar:close{ 'weld', name = 'pin', between = { 'coupler_end' } }"),
              HasSubstr("between has 1 names; give two links or frames"));
  EXPECT_THAT(error_of("bar:close{ 'weld', name = 'pin', between = { 'coupler_en', 'world' } }"),
              HasSubstr("closure 'pin': there is no link or frame 'coupler_en'; did you mean "
                        "'coupler_end'?"));
  EXPECT_THAT(error_of("bar:close{ 'weld', name = 'pin', between = { 'crank', 'crank_end' } }"),
              HasSubstr("'crank' and 'crank_end' do not move relative to each other"));
  EXPECT_THAT(error_of("bar:close{ 'screw', name = 'pin', between = { 'coupler', 'rocker' } }"),
              HasSubstr("a screw closure needs a pitch"));
  EXPECT_THAT(
      error_of("bar:close{ 'weld', name = 'pin', between = { 'coupler', 'rocker' }, pitch = 1 }"),
      HasSubstr("pitch has no meaning for a weld closure"));
  EXPECT_THAT(
      error_of(
          "bar:close{ 'distance', name = 'pin', between = { 'coupler', 'rocker' }, length = -1 }"),
      HasSubstr("its length is -1; a distance closure needs a positive number"));
  EXPECT_THAT(error_of("bar:close{ 'weld', name = 'pin', between = { 'coupler', 'rocker' }, axis = "
                       "{0, 0, 0} }"),
              HasSubstr("has no direction"));
  EXPECT_THAT(error_of(std::string(pin) + pin), HasSubstr("there are two closures named 'pin'"));
  EXPECT_THAT(error_of("bar:close{ 'distance', name = 'rod', between = { 'coupler_end', 'world' }, "
                       "length = 9 }"),
              HasSubstr("the loops cannot be closed from the start position: the closure 'rod' is "
                        "open by 7.9 m"));
  EXPECT_THAT(error_of(pin + std::string("bar:set{ q = { crank_joint = 0, coupler_joint = 1 } }")),
              HasSubstr("the loops cannot be closed"));
  EXPECT_THAT(error_of(pin + std::string("bar:set{ q = {0, 0, 0}, hold = { 'crank' } }")),
              HasSubstr("there is no moving joint 'crank'"));
  EXPECT_THAT(error_of(pin, "'closure.pim'"),
              HasSubstr("there is no signal 'closure.pim' to record"));
}

}  // namespace
}  // namespace torsor::test::closures
