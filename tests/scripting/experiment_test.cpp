// Tests of torsor.world, world:add and world:experiment: the Experiment has what the scene
// declares, and errors name their line.

#include <fmt/ranges.h>

#include "scripting/script_file.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// The first line of a scene. It defines torsor, the world w, and the robot `arm` with links a, b, c
// on joints ja, jb, jc, and a frame tip.
const std::string start =
    "local torsor = require 'torsor' local function make(name) local r = torsor.robot{ name = name "
    "} for i, n in ipairs{ 'a', 'b', 'c' } do r:link{ name = n, parent = ({ nil, 'a', 'b' })[i], "
    "joint = { 'revolute', name = 'j' .. n, axis = {0, 1, 0} }, origin = { xyz = {0, 0, 1} }, "
    "inertia = { mass = 1, com = {0, 0, 0.5}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } } "
    "end r:frame{ name = 'tip', link = 'c', origin = { xyz = {0, 0, 1} } } return r end local w = "
    "torsor.world{ gravity = {0, 0, -9.81} } local arm = make('arm') ";
const std::string finish =
    "\nreturn w:experiment{ integrator = { 'rk4', dt = 1e-3 }, duration = 1, record = { 'energy' } "
    "}";

Experiment scene(const std::string& body) {
  return load_scene_text(start + body + finish);
}
std::string error(const std::string& body) {
  return scene_error(start + body + finish);
}
std::string end_error(const std::string& options) {
  return scene_error(start + "w:add(arm)\nreturn w:experiment{ " + options + " }");
}

TEST(Experiment, HasWhatIsDeclared) {
  const Experiment e = load_scene_text(
      "local torsor = require 'torsor' local p = torsor.params{ payload = 2, on = true, label = "
      "'x' } local w = torsor.world{ gravity = {1, 2, 3} } local arm = torsor.robot{ name = 'arm' "
      "} arm:link{ name = 'a', joint = { 'revolute', name = 'j', axis = {0, 0, 1} }, inertia = { "
      "mass = 1, com = {1, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } } w:add(arm) return "
      "w:experiment{ solver = 'newton_euler', integrator = { 'semi_implicit_euler', dt = 0.01 }, "
      "duration = 2.5, record = { 'arm.q', 'energy' }, record_interval = 0.05 }",
      {{"payload", "3.5"}});
  EXPECT_EQ(e.solver, "newton_euler");
  EXPECT_EQ(e.integrator, Integrator::semi_implicit_euler);
  EXPECT_EQ(e.dt, 0.01);
  EXPECT_EQ(e.duration, 2.5);
  EXPECT_THAT(e.record, ElementsAre("arm.q", "energy"));
  EXPECT_EQ(e.record_interval, 0.05);
  EXPECT_EQ(e.gravity_W.x, 1);
  EXPECT_EQ(e.gravity_W.y, 2);
  EXPECT_EQ(e.gravity_W.z, 3);
  ASSERT_EQ(e.parameters.size(), 3u);
  EXPECT_EQ(std::get<double>(e.parameters.at("payload")), 3.5);
  EXPECT_TRUE(std::get<bool>(e.parameters.at("on")));
  EXPECT_EQ(std::get<std::string>(e.parameters.at("label")), "x");
  EXPECT_EQ(scene("w:add(arm)").solver, "articulated_body");
  EXPECT_EQ(scene("w:add(arm)").record_interval, 0);
}

TEST(Experiment, TakesStatesByOrderAndByName) {
  EXPECT_THAT(scene("arm:set{ q = {1, 2, 3}, v = {4, 5, 6} } w:add(arm)").q, ElementsAre(1, 2, 3));
  EXPECT_THAT(scene("w:add(arm) arm:set{ q = {1, 2, 3}, v = {4, 5, 6} }").v, ElementsAre(4, 5, 6));
  EXPECT_THAT(scene("arm:set{ q = { jc = 3 } } w:add(arm)").q, ElementsAre(0, 0, 3));
  EXPECT_THAT(scene("arm:set{ q = {1, 2, 3} } arm:set{ q = { jb = 9 } } w:add(arm)").q,
              ElementsAre(1, 9, 3));
  EXPECT_THAT(scene("w:add(arm)").q, ElementsAre(0, 0, 0));
}

// Statements that add a massless floating base with a revolute joint to the world.
const std::string flier =
    "r = torsor.robot{ name = 'r' } r:link{ name = 'base', joint = { 'floating', name = 'flies', "
    "motors = true }, massless = true } r:link{ name = 'arm', parent = 'base', joint = { "
    "'revolute', name = 'turns', axis = {0, 0, 1} }, massless = true } w:add(r)\n";

TEST(Experiment, StartsAtTheNeutralPositionAndTakesTablesOfEntries) {
  EXPECT_THAT(scene("local " + flier).q, ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  const Experiment e = scene(
      "local " + flier +
      "r:set{ q = { flies = {1, 2, 3, 0.8, 0, 0.6, 0}, turns = 4 }, v = { flies = {1, 2, 3, 4, "
      "5, 6} } } r:apply{ tau = { flies = {0, 0, 1, 0, 0, 0} } }");
  EXPECT_THAT(e.q, ElementsAre(1, 2, 3, 0.8, 0, 0.6, 0, 4));
  EXPECT_THAT(e.v, ElementsAre(1, 2, 3, 4, 5, 6, 0));
  EXPECT_THAT(e.load.tau, ElementsAre(0, 0, 1, 0, 0, 0, 0));
}

TEST(Experiment, NormalisesQuaternionsOrRejectsThem) {
  const Experiment e =
      scene("local " + flier + "r:set{ q = { flies = {0, 0, 0, 1.005, 0, 0, 0} } }");
  EXPECT_EQ(e.q[3], 1);
  const auto starts = [](const std::string& q) {
    return error("local " + flier + "r:set{ q = " + q + " }");
  };
  EXPECT_THAT(starts("{0, 0, 0, 0, 0, 0, 0, 0}"),
              StartsWith("scene.lua:2: robot 'r': joint 'flies': the quaternion (w, x, y, z) = (0, "
                         "0, 0, 0) has norm 0"));
  EXPECT_THAT(starts("{ flies = {0, 0, 0, 2, 0, 0, 0} }"),
              HasSubstr("has norm 2; it must be 1 to within 1 %"));
  EXPECT_THAT(
      starts("{ flies = {0, 0, 0} }"),
      StartsWith(
          "scene.lua:2: robot 'r': q of joint 'flies' has 3 entries; a floating joint has 7"));
  EXPECT_THAT(starts("{ flies = 1 }"),
              HasSubstr("q of joint 'flies' has 1 entries; a floating joint has 7"));
}

TEST(Experiment, AddsLoadsUp) {
  const Experiment e = scene(
      "arm:apply{ tau = {1, 2, 3} } arm:apply{ tau = { jb = 10 }, wrenches = { tip = { force = {1, "
      "2, 3} }, a = { moment = {4, 5, 6}, force = {7, 8, 9} } } } w:add(arm)");
  EXPECT_THAT(e.load.tau, ElementsAre(1, 12, 3));
  ASSERT_EQ(e.load.wrench_F.size(), 2u);
  EXPECT_EQ(e.load.wrench_F[0].first, e.model->frame("a"));
  EXPECT_EQ(e.load.wrench_F[0].second.n.y, 5);
  EXPECT_EQ(e.load.wrench_F[0].second.f.z, 9);
  EXPECT_EQ(e.load.wrench_F[1].first, e.model->frame("tip"));
  EXPECT_EQ(e.load.wrench_F[1].second.n.x, 0);
  EXPECT_EQ(e.load.wrench_F[1].second.f.x, 1);
}

TEST(Experiment, PlacesRobotsAndSeparatesTheirNames) {
  const Experiment e = scene(
      "local other = make('other') w:add(arm, { at = { xyz = {5, 0, 0} } }) w:add(other, { at = { "
      "xyz = {0, 7, 0}, rpy_deg = {180, 0, 0} } }) other:set{ q = { ja = 0.5 } } arm:set{ v = {1, "
      "2, 3} } other:apply{ tau = { jc = 4 }, wrenches = { tip = { force = {0, 0, 1} } } }");
  ASSERT_EQ(e.model->n_v, 6);
  EXPECT_THAT(e.q, ElementsAre(0, 0, 0, 0.5, 0, 0));
  EXPECT_THAT(e.v, ElementsAre(1, 2, 3, 0, 0, 0));
  EXPECT_THAT(e.load.tau, ElementsAre(0, 0, 0, 0, 0, 4));
  EXPECT_EQ(e.load.wrench_F.at(0).first, e.model->frame("other.tip"));
  State state(e.model);
  state.set_q(std::vector<double>(6, 0.0));
  const Vec3<double> first =
      frame_pose(state, e.model->frames[size_t(e.model->frame("arm.tip"))]).p;
  const Vec3<double> second =
      frame_pose(state, e.model->frames[size_t(e.model->frame("other.tip"))]).p;
  EXPECT_NEAR(norm(first - Vec3<double>{5, 0, 4}), 0, 1e-14);
  EXPECT_NEAR(norm(second - Vec3<double>{0, 7, -4}), 0, 1e-14);
}

TEST(Experiment, ErrorsNameTheirLine) {
  EXPECT_EQ(error("\narm:set{ q = {1, 2} }\nw:add(arm)"),
            "scene.lua:2: robot 'arm': q has 2 entries; it must have 3, as the robot's joints");
  EXPECT_EQ(error("\narm:set{ v = { jd = 1 } }\nw:add(arm)"),
            "scene.lua:2: robot 'arm': there is no moving joint 'jd'; did you mean 'ja'?");
  EXPECT_EQ(error("\narm:apply{ tau = {} }\nw:add(arm)"),
            "scene.lua:2: robot 'arm': tau has 0 entries; it must have 3, as the robot's joints");
  EXPECT_EQ(error("\narm:apply{ wrenches = { tpi = { force = {0, 0, 1} } } }\nw:add(arm)"),
            "scene.lua:2: robot 'arm': there is no link or frame 'tpi'; did you mean 'tip'?");
  EXPECT_EQ(error("\nw:add(arm, { at = { xzy = {0, 0, 0} } })"),
            "scene.lua:2: world:add of 'arm': unknown key 'xzy' in at; did you mean 'xyz'?");
  EXPECT_EQ(error("\nw:add(arm) w:add(arm)"),
            "scene.lua:2: robot 'arm' is already in a world; add it once");
  EXPECT_EQ(error("\nw:add({})"), "scene.lua:2: world:add takes a robot, not a table");
  EXPECT_EQ(error(""),
            "scene.lua:2: world:experiment: the world has no robot; add one with world:add(arm)");
  EXPECT_THAT(error("w:add(arm) w:add(make('arm'))"),
              HasSubstr("there are two robots named 'arm'"));
  EXPECT_THAT(error("w:add(arm) w:add(torsor.robot{ name = 'none' })"),
              HasSubstr("robot 'none' has no links"));
  EXPECT_EQ(error("\ntorsor.world{ gravty = {} }"),
            "scene.lua:2: torsor.world: unknown key 'gravty'; did you mean 'gravity'?");
  EXPECT_EQ(error("\ntorsor.world{ gravity = 9.81 }"),
            "scene.lua:2: torsor.world: gravity is 9.81; it must be a list of 3 numbers");
}

// Checks that an error of the builder names the line of the link, not that of world:experiment.
TEST(Experiment, ErrorsOfTheBuilderNameTheLink) {
  const auto with = [](const std::string& link) {
    return error("w:add(arm)\n\narm:link{ " + link + " }");
  };
  const std::string body =
      "inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }";
  const std::string moving = ", joint = { 'revolute', name = 'n', axis = {0, 0, 1} }, ";
  EXPECT_THAT(with("name = 'a'" + moving + body),
              StartsWith("scene.lua:3: there are two links named 'a'"));
  EXPECT_THAT(with("name = 'd', joint = { 'revolute', name = 'ja', axis = {0, 0, 1} }, " + body),
              StartsWith("scene.lua:3: there are two joints named 'ja'"));
  EXPECT_THAT(with("name = 'd', parent = 'x'" + moving + body),
              StartsWith("scene.lua:3: link 'd': its parent 'x' is not a link of robot 'arm'"));
  EXPECT_THAT(with("name = 'd', parent = 'd'" + moving + body),
              HasSubstr("scene.lua:3: the parents of the links form a loop: d -> d"));
  EXPECT_THAT(
      with("name = 'd'" + moving +
           "inertia = { mass = -1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }"),
      StartsWith("scene.lua:3: link 'd': mass -1 kg is negative"));
  EXPECT_THAT(
      with("name = 'd'" + moving +
           "inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 3 } }"),
      testing::AllOf(StartsWith("scene.lua:3: link 'd': "), HasSubstr("triangle inequality")));
  EXPECT_THAT(
      with("name = 'd'" + moving +
           "inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = -1, Iyy = 1, Izz = 1 } }"),
      HasSubstr("not positive"));
  EXPECT_THAT(with("name = 'd', joint = { 'revolute', name = 'n', axis = {0, 0, 0} }, " + body),
              StartsWith("scene.lua:3: joint 'n': the axis (0, 0, 0) has no direction"));
  EXPECT_THAT(
      with("name = 'd', joint = { 'revolute', name = 'n', axis = {0, 0, 1}, damping = -1 }, " +
           body),
      StartsWith("scene.lua:3: joint 'n': damping is -1"));
  EXPECT_THAT(error("w:add(arm)\narm:frame{ name = 'tip', link = 'a', origin = {} }"),
              StartsWith("scene.lua:2: there are two "));
  EXPECT_THAT(error("w:add(arm)\narm:frame{ name = 'f', link = 'aa', origin = {} }"),
              StartsWith("scene.lua:2: frame 'f': there is no link 'aa'"));
}

TEST(Experiment, NonphysicalAndGroupedInertiasAreAllowedOnPurpose) {
  const std::string inertia =
      "about_origin = { Ixx = 1, Iyy = 1, Izz = 3 }, first_moment = {0, 0, 0}, mass = 1";
  const auto load = [&](const std::string& options, const std::string& form) {
    return scene_error(
        "local torsor = require 'torsor' local w = torsor.world{} local arm = torsor.robot{ name = "
        "'arm'" +
        options +
        " } arm:link{ name = 'a', joint = { 'revolute', name = 'j', axis = {0, 0, 1} }, inertia "
        "= " +
        form + " } w:add(arm) " + finish);
  };
  EXPECT_THAT(load("", "{ " + inertia + " }"), HasSubstr("triangle inequality"));
  EXPECT_EQ(load(", allow_nonphysical = true", "{ " + inertia + " }"), "");
  EXPECT_EQ(load("", "{ grouped = { " + inertia + " } }"), "");
}

TEST(Experiment, OptionsAreChecked) {
  const std::string rest = "duration = 1, record = { 'energy' }";
  EXPECT_EQ(
      end_error("integrator = { 'rk', dt = 1e-3 }, " + rest),
      fmt::format("scene.lua:2: world:experiment: integrator has the unknown name 'rk'; use one "
                  "of: {}; did you mean 'rk4'?",
                  fmt::join(integrator_names(), ", ")));
  EXPECT_EQ(end_error("integrator = { 'rk4' }, " + rest),
            "scene.lua:2: world:experiment: integrator.dt is missing");
  EXPECT_EQ(end_error("integrator = { 'rk4', dt = 0 }, " + rest),
            "scene.lua:2: world:experiment: integrator.dt is 0 s; it must be positive");
  EXPECT_EQ(end_error("integrator = { 'rk4', step = 1 }, " + rest),
            "scene.lua:2: world:experiment: unknown key 'step' in integrator; use one of: dt, "
            "rtol, atol, max_step");
  EXPECT_EQ(end_error(rest), "scene.lua:2: world:experiment: integrator is missing");
  const std::string rk4 = "integrator = { 'rk4', dt = 1e-3 }, ";
  EXPECT_EQ(end_error(rk4 + "record = { 'energy' }"),
            "scene.lua:2: world:experiment: duration is missing");
  EXPECT_EQ(end_error(rk4 + "duration = 1"), "scene.lua:2: world:experiment: record is missing");
  EXPECT_EQ(
      end_error(rk4 + "duration = 1, record = 'energy'"),
      "scene.lua:2: world:experiment: record is the string 'energy'; it must be a list of strings");
  EXPECT_EQ(end_error(rk4 + "duration = 1, record = { 1 }"),
            "scene.lua:2: world:experiment: record[1] is 1; it must be a string");
  EXPECT_THAT(end_error(rk4 + "duration = 1, record = { 'arm.qq' }"),
              testing::AllOf(StartsWith("scene.lua:2: "), HasSubstr("'arm.qq'"),
                             HasSubstr("did you mean 'arm.q'")));
  EXPECT_THAT(end_error(rk4 + "duration = 1, record = { 'energy', 'energy' }"),
              StartsWith("scene.lua:2: "));
  for (const char* bad : {"0", "-1", "0.0005", "1e300", "0/0", "'x'"})
    EXPECT_THAT(end_error(rk4 + "record = { 'energy' }, duration = " + bad),
                StartsWith("scene.lua:2: "))
        << bad;
  for (const char* bad : {"-1", "0.0005", "0/0", "'x'"})
    EXPECT_THAT(end_error(rk4 + rest + ", record_interval = " + bad), StartsWith("scene.lua:2: "))
        << bad;
  EXPECT_EQ(end_error(rk4 + rest + ", slover = 'x'"),
            "scene.lua:2: world:experiment: unknown key 'slover'; did you mean 'solver'?");
}

TEST(Experiment, ComparesSolvers) {
  const std::string rest = "integrator = { 'rk4', dt = 1e-3 }, duration = 1, record = ";
  const std::string both =
      "{ 'energy', 'compare.vdot' }, compare = { 'newton_euler', 'solver.other' }";
  EXPECT_THAT(
      load_scene_text(start + "w:add(arm) return w:experiment{ " + rest + both + " }").compare,
      ElementsAre("newton_euler", "solver.other"));
  EXPECT_THAT(
      end_error(rest + "{ 'compare.vdot' }"),
      testing::AllOf(StartsWith("scene.lua:2: "), HasSubstr("compare = { \"newton_euler\" }")));
  EXPECT_THAT(
      end_error(rest + "{ 'compare.vdt' }, compare = { 'newton_euler' }"),
      testing::AllOf(StartsWith("scene.lua:2: "), HasSubstr("did you mean 'compare.vdot'")));
  EXPECT_EQ(end_error(rest + "{}, solver = 'newton_euler', compare = { 'solver.newton_euler' }"),
            "scene.lua:2: compare names 'newton_euler', which is the solver of the experiment: "
            "remove it, or choose another solver");
  EXPECT_EQ(end_error(rest + "{}, compare = { 'newton_euler', 'newton_euler' }"),
            "scene.lua:2: compare names 'newton_euler' twice; name it once");
  EXPECT_THAT(end_error(rest + "{}, compare = 'newton_euler'"),
              HasSubstr("it must be a list of strings"));
}

TEST(Scene, OrRobotIsDetected) {
  const ScriptFolder folder;
  const auto load = [&](const std::string& text, const Overrides& overrides = {}) {
    return load_scene_or_robot(folder.write("file.lua", text), overrides);
  };
  EXPECT_TRUE(std::holds_alternative<Experiment>(load(start + "w:add(arm)" + finish)));
  EXPECT_EQ(std::get<RobotDescription>(load(start + "return arm")).links.size(), 3u);
  const std::string module =
      "local torsor = require 'torsor' return { build = function(options) local o = "
      "torsor.options(options, { name = 'x' }) return torsor.robot{ name = o.name } end }";
  EXPECT_EQ(std::get<RobotDescription>(load(module, {{"name", "y"}})).name, "y");
  EXPECT_THAT([&] { load("return 3"); },
              testing::ThrowsMessage<Error>(
                  testing::AllOf(HasSubstr("an experiment, a robot"), HasSubstr("a number"))));
  EXPECT_THAT(
      [&] {
        load(start + "return arm", {{"n", "1"}});
      },
      testing::ThrowsMessage<Error>(HasSubstr("'n' cannot be set")));
}

// Checks q = J q_m and tau = J^-T tau_m with J^-1 = {{1, 1}, {1, -1}}.
TEST(Experiment, TransmissionsTakeTorquesOfMotors) {
  const std::string wrist =
      "arm:transmission{ joints = { 'jb', 'jc' }, jacobian = { {0.5, 0.5}, {0.5, -0.5} }, motors = "
      "{ { rotor_inertia = 2 }, { rotor_inertia = 1, friction = { 'coulomb', coulomb = 0.1 } } } } "
      "w:add(arm) ";
  const Experiment e =
      scene(wrist + "arm:apply{ tau = {1, 0, 0}, motor_tau = { jb = 3, jc = 1 } }");
  EXPECT_THAT(e.load.tau, ElementsAre(1, 4, 2));
  ASSERT_EQ(e.model->transmissions.size(), 1u);
  EXPECT_THAT(e.model->transmissions[0].dofs, ElementsAre(1, 2));
  EXPECT_EQ(e.model->transmissions[0].motors[1].friction.coulomb, 0.1);
  EXPECT_EQ(e.model->armature[1], 3);
  EXPECT_EQ(error("arm:transmission{ joints = { 'ja' }, jacobian = { {0} }, motors = { { "
                  "rotor_inertia = 2 } } } w:add(arm)"),
            "scene.lua:1: transmission: its jacobian is singular: some motion of the motors moves "
            "no joint");
  EXPECT_THAT(error("arm:transmission{ joints = { 'ja' }, jacobian = { {1} }, motors = { { "
                    "gear_ratio = 2 } } }"),
              HasSubstr("gear_ratio"));
}

// Checks tau = N K_a K_T u (KHALIL 9.4).
TEST(Experiment, MotorsTakeInputs) {
  const std::string arm =
      "arm:link{ name = 'd', parent = 'c', joint = { 'revolute', name = 'jd', axis = {0, 1, 0}, "
      "motor = { rotor_inertia = 0, gear_ratio = 64, torque_constant = 0.25, amplifier_gain = 2 } "
      "}, massless = true } w:add(arm) ";
  EXPECT_THAT(scene(arm + "arm:apply{ tau = { jd = 1 }, input = { jd = 3 } }").load.tau,
              ElementsAre(0, 0, 0, 97));
  EXPECT_THAT(error(arm + "arm:apply{ input = { ja = 3 } }"),
              HasSubstr("the motor of joint 'ja' has no amplifier input; set torque_constant and "
                        "amplifier_gain"));
}

TEST(Scene, ReturnsItsExperiment) {
  EXPECT_EQ(scene_error("return 3"),
            "scene.lua: this file returns a number; a scene is needed, a .lua file that ends with "
            "'return world:experiment{...}'");
  EXPECT_THAT(scene_error(""), HasSubstr("this file returns nothing"));
  EXPECT_THAT(scene_error("return require('torsor').world{}"),
              HasSubstr("this file returns a world; "));
}

TEST(Scene, UnusedAndLateStatementsAreErrors) {
  EXPECT_THAT(error("w:add(arm) local other = make('other') other:set{ q = {1, 2, 3} }"),
              HasSubstr("robot 'other' has a state or a load but is in no world"));
  EXPECT_EQ(error("w:add(arm) local other = make('other')"), "");
  for (const char* late : {"arm:set{ q = {1, 2, 3} }", "arm:apply{}", "arm:link{}", "arm:frame{}"})
    EXPECT_THAT(
        scene_error(start +
                    "w:add(arm) local e = w:experiment{ integrator = { 'rk4', dt = 1e-3 }, "
                    "duration = 1, record = {} }\n" +
                    late + " return e"),
        testing::AllOf(StartsWith("scene.lua:2: arm:"), HasSubstr("is already in an experiment")))
        << late;
}

}  // namespace
}  // namespace torsor::test
