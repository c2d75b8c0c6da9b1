// Tests of closed loops in scenes: assembly with held joints, signals, and messages.

#include <cmath>

#include "scripting/scene_run.hpp"
#include "torsor/run/player.hpp"
#include "torsor/scripting/values/read_changes.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::test::closures {
namespace {

using testing::HasSubstr;
using testing::Not;

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

// At q = 0 all links are in one line, and no small motion reduces the gap of 0.4 m along it.
TEST(SceneClosures, AreAssembledFromLinksInOneLine) {
  for (const char* set : {"", "bar:set{ q = { crank_joint = 0 } }"}) {
    const auto start = [&] {
      Experiment made = load_with_plugins(linkage(pin + std::string(set)));
      return Player(made).simulation().snapshot();
    };
    const Snapshot first = start(), second = start();
    EXPECT_EQ(first.q, second.q);
    // The end of the coupler is at the end of the rocker.
    const double a = first.q[0], b = a + first.q[1], c = first.q[2];
    EXPECT_NEAR(0.3 * std::cos(a) + 0.8 * std::cos(b), 0.9 + 0.6 * std::cos(c), 1e-14);
    EXPECT_NEAR(0.3 * std::sin(a) + 0.8 * std::sin(b), 0.6 * std::sin(c), 1e-14);
    if (*set) {
      EXPECT_EQ(a, 0);
    }
  }
  // Here the coupler cannot reach the rocker: its position in line with the pin is the nearest one.
  EXPECT_THAT(error_of(pin + std::string("bar:set{ q = { crank_joint = 0, coupler_joint = 0 } }")),
              HasSubstr("the closure 'pin' is open by 0.4 m and 0 rad"));
}

// Returns the linkage with changes during the run.
std::string changed_linkage(const std::string& changes) {
  std::string scene = linkage(pin + std::string("bar:set{ q = { crank_joint = -0.4 } }"));
  scene.insert(scene.find("integrator = {"), changes);
  return scene;
}

// The crank of a change that holds it has exactly the given state, and the loop is closed.
TEST(SceneClosures, HoldJointsOfChanges) {
  const Experiment made = load_with_plugins(changed_linkage(
      "changes = { { at = 0.1, q = {-0.7, -0.1, -1.8}, v = {3, 0, 0}, hold = { 'crank_joint' } } "
      "}, "));
  ASSERT_EQ(made.changes.size(), 1u);
  Experiment run = made;
  Player player(run);
  while (player.simulation().steps() < 100) player.advance(run.changes);
  const Simulation& s = player.simulation();
  EXPECT_EQ(s.state().q()[0], -0.7);
  EXPECT_EQ(s.state().v[0], 3);
  EXPECT_NE(s.state().q()[2], -1.8);
  for (const double error : s.closure_errors()) EXPECT_LT(std::abs(error), 1e-14);
  run.changes[0].what = StateChange{{-0.7, -0.1, -1.8}, {3, 0, 0}};
  Player other(run);
  while (other.simulation().steps() < 100) other.advance(run.changes);
  EXPECT_GT(std::abs(other.simulation().state().q()[0] + 0.7), 1e-6) << "without hold all move";
  std::vector<Change> all = made.changes;
  all.push_back({200, ConstraintSolverChange{{"pivoting"}}});
  all.push_back({201, ConstraintSolverChange{
                          {"projected_gauss_seidel", {{"iterations", 5.0}, {"tolerance", 1e-9}}}}});
  EXPECT_EQ(load_with_plugins(changed_linkage(changes_text(all, made.dt))).changes, all);
}

TEST(SceneClosures, RejectWrongHoldsOfChanges) {
  const auto error = [](const std::string& change) -> std::string {
    try {
      (void)finished(
          load_with_plugins(changed_linkage("changes = { { at = 0.1, " + change + "} }, ")));
    } catch (const Error& thrown) {
      return thrown.what();
    }
    return "none";
  };
  EXPECT_THAT(error("tau = {0, 0, 0}, hold = { 'crank_joint' }"),
              HasSubstr("changes[1] has hold without q; give q and v"));
  EXPECT_THAT(error("q = {0, 0, 0}, v = {0, 0, 0}, hold = { 'crank_join' }"),
              HasSubstr("hold: there is no joint or degree of freedom 'crank_join'; did you mean "
                        "'crank_joint'?"));
  EXPECT_THAT(error("q = {0, 0, 0}, v = {0, 0, 0}, hold = { 'crank_joint', 'rocker_joint' }"),
              HasSubstr("the loops cannot be closed from the start position: the closure 'pin'"));
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
  const auto distance = [](const std::string& length) {
    return error_of(
        "bar:close{ 'distance', name = 'pin', between = { 'coupler_end', 'rocker_end' }, length "
        "= " +
        length + " }");
  };
  EXPECT_THAT(distance("1e-12"),
              HasSubstr("closure 'pin': its length is 1e-12 m, but a distance closure needs more "
                        "than 1e-09 m; use a spherical closure to join the two points"));
  EXPECT_THAT(distance("0"), HasSubstr("use a spherical closure"));
  EXPECT_THAT(distance("1.1e-9"), Not(HasSubstr("spherical")));
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

// The recorded errors are the sizes of phi: those of the loop in its plane, and of the axes of its
// hinge.
TEST(SceneClosures, RecordTheErrors) {
  const Experiment made = load_with_plugins(
      linkage(pin + std::string("bar:close{ 'gear', name = 'mesh', joints = { 'rocker_joint', "
                                "'crank_joint' }, ratio = 1 } "),
              "'closure_error.pin', 'closure_error.mesh'"));
  const Recorder recorder(*made.model, made.record, {}, {});
  ASSERT_EQ(recorder.columns().size(), 4u);
  EXPECT_EQ(recorder.columns()[1].name, "closure_error.pin.distance");
  EXPECT_EQ(recorder.columns()[1].unit, "m");
  EXPECT_EQ(recorder.columns()[2].name, "closure_error.pin.angle");
  EXPECT_EQ(recorder.columns()[2].unit, "rad");
  EXPECT_EQ(recorder.columns()[3].name, "closure_error.mesh");
  EXPECT_EQ(recorder.columns()[3].unit, "rad");
}

TEST(SceneClosures, RecordTheSizeOfTheErrors) {
  const Experiment made = load_with_plugins(
      linkage(pin + std::string("bar:set{ q = { crank_joint = -0.4 } }"), "'closure_error.pin'"));
  Experiment run = made;
  run.duration = 0.01;
  std::vector<std::vector<double>> rows;
  torsor::Run recorded(run);
  recorded.execute([&](std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); },
                   [&](const Simulation& s) {
                     double distance = 0, angle = 0;
                     const std::vector<double> phi = s.closure_errors();
                     for (size_t k = 0; k < 3; ++k) distance = std::hypot(distance, phi[k]);
                     for (size_t k = 3; k < 5; ++k) angle = std::hypot(angle, phi[k]);
                     EXPECT_EQ(rows.back()[1], distance);
                     EXPECT_EQ(rows.back()[2], angle);
                     return true;
                   });
  ASSERT_EQ(rows.size(), 11u);
  for (const std::vector<double>& row : rows) EXPECT_LT(row[1], 1e-14);
}

// Static friction at three joints of a mechanism with one degree of freedom: the forces of the
// frictions are not determined. With the motion t = (-0.3757, 0.5399, 0.0590) and the gravity
// torques Q = (-7.194, -3.128, -0.069) at this position, forces hold it if
//   F_s (|t_1| + |t_2| + |t_3|) >= |Q . t|,   F_s >= 1.03678 N m
// The errors of an iterative solver must not count as motion.
TEST(SceneClosures, RestWithAnyConstraintSolver) {
  std::string scene = linkage(pin + std::string("bar:set{ q = { crank_joint = -0.4 } }"));
  const std::string joint = "axis = {0, 1, 0} }, origin";
  scene.replace(scene.find(joint), joint.size(),
                "axis = {0, 1, 0}, friction = { 'coulomb', coulomb = 0.9, static = FRICTION } }, "
                "origin");
  for (const char* solver :
       {"'pivoting'", "'projected_gauss_seidel'", "{ 'projected_gauss_seidel', tolerance = 1e-6 }"})
    for (const char* friction : {"1.036", "1.04", "1.1", "1.3", "2"}) {
      SCOPED_TRACE(std::string(solver) + " " + friction);
      std::string chosen = scene;
      chosen.replace(chosen.find("FRICTION"), 8, friction);
      chosen.insert(chosen.find("integrator = {"),
                    "constraint_solver = " + std::string(solver) + ", ");
      const Experiment made = load_with_plugins(chosen);
      Player player(made);
      const std::vector<double> start = player.simulation().snapshot().q;
      for (int k = 0; k < 20; ++k) player.simulation().step();
      const Snapshot& end = player.simulation().snapshot();
      if (std::string_view(friction) == "1.036") {
        EXPECT_GT(std::abs(end.v[0]), 1e-3);
        continue;
      }
      EXPECT_EQ(end.modes, std::vector<double>(3, 0));
      for (const double v : end.v) EXPECT_EQ(v, 0);
      for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(end.q[k], start[k], 1e-15);
    }
}

// A gear between the crank and a wheel on the rocker, recorded as one column.
TEST(SceneClosures, RecordTheTorqueOfAGear) {
  const std::string wheel =
      "bar:link{ name = 'wheel', joint = { 'revolute', name = 'wheel', axis = {0, 1, 0} }, inertia "
      "= { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } } bar:set{ "
      "q = { crank_joint = -0.4 } } ";
  const auto run = finished(load_with_plugins(
      linkage(pin + wheel +
                  "bar:close{ 'gear', name = 'mesh', joints = { 'wheel', 'crank_joint' }, ratio = "
                  "-2, offset = 0.3 }",
              "'closure.mesh', 'bar.vdot', 'bar.q'")));
  ASSERT_EQ(run->columns()[1].name, "closure.mesh");
  EXPECT_EQ(run->columns()[1].unit, "N m");
  Simulation& s = const_cast<Simulation&>(run->simulation());
  EXPECT_NEAR(s.closure_wrenches()[1].n.z, 0.1 * s.acceleration()[3], 1e-12);
  EXPECT_NEAR(s.state().q()[3], -2 * s.state().q()[0] + 0.3, 1e-14);
}

// The joint of a closure with friction is a joint of the robot: it can be set and recorded.
TEST(SceneClosures, MayBeJoints) {
  const std::string closure =
      "bar:close{ 'revolute', name = 'pin', between = { 'coupler_end', 'rocker_end' }, axis = {0, "
      "1, 0}, friction = { 'piecewise_linear', coulomb = 0.2, transition = 0.1 }, damping = 0.1, "
      "limits = { lower = -3, upper "
      "= 3 }, stop = { restitution = 0 } } bar:set{ q = { crank_joint = -0.4 } } ";
  const auto run =
      finished(load_with_plugins(linkage(closure, "'bar.q', 'bar.friction', 'closure.pin'")));
  EXPECT_EQ(run->columns()[4].name, "bar.q.pin");
  EXPECT_EQ(run->columns()[8].name, "bar.friction.pin");
  EXPECT_EQ(run->columns()[9].name, "closure.pin.nx");
  Simulation& s = const_cast<Simulation&>(run->simulation());
  const auto q = s.state().q();
  EXPECT_NEAR(std::remainder(q[3] - (q[2] - q[0] - q[1]), 2 * M_PI), 0, 1e-12);
  EXPECT_LT(std::abs(s.ledger_error()), 1e-6);
}

// The joint of a closure starts at the angle that the others give it, so that the assembly is that
// of the closure without a joint.
TEST(SceneClosures, StartAtTheAngleOfTheOtherJoints) {
  const auto start = [](const char* options) {
    const Experiment made = load_with_plugins(
        linkage("bar:close{ 'revolute', name = 'pin', between = { 'coupler_end', 'rocker_end' }, "
                "axis = {0, 1, 0}" +
                std::string(options) +
                " } bar:set{ q = { crank_joint = -0.4, coupler_joint = -0.2, rocker_joint = -2.1 "
                "}, hold = { 'crank_joint' } }"));
    Simulation run(
        made.model, [&](auto model) { return registry().solver("newton_euler", model); },
        Integrator::rk4, 1e-3);
    run.set_state(made.q, made.v, made.held);
    return std::vector<double>(run.state().q().begin(), run.state().q().end());
  };
  const std::vector<double> plain = start(""), cut = start(", damping = 0.1");
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(cut[k], plain[k], 0.1);
  EXPECT_NEAR(cut[3], cut[2] - cut[0] - cut[1], 1e-12);
}

TEST(SceneClosures, RejectOptionsThatTheKindDoesNotHave) {
  EXPECT_THAT(error_of("bar:close{ 'weld', name = 'pin', between = { 'coupler', 'rocker' }, "
                       "friction = { 'coulomb', coulomb = 1 } }"),
              HasSubstr("friction has no meaning for a weld closure; remove it"));
  EXPECT_THAT(error_of("bar:close{ 'gear', name = 'g', between = { 'coupler', 'rocker' } }"),
              HasSubstr("between has no meaning for a gear closure"));
  EXPECT_THAT(error_of("bar:close{ 'weld', name = 'g', joints = { 'crank_joint' } }"),
              HasSubstr("joints has no meaning for a weld closure"));
  EXPECT_THAT(error_of("bar:close{ 'gear', name = 'g', joints = { 'crank_joint', 'rocker_joint' } "
                       "}"),
              HasSubstr("a gear closure needs a ratio"));
  EXPECT_THAT(error_of("bar:close{ 'cable', name = 'g', joints = { 'crank_joint', 'rocker_joint' "
                       "}, radii = {1, 1}, carrier = 'crank_joint' }"),
              HasSubstr("carrier has no meaning for a cable closure"));
  EXPECT_THAT(error_of("bar:close{ 'universal', name = 'g', between = { 'coupler', 'rocker' }, "
                       "friction = { 'coulomb', coulomb = 1 } }"),
              HasSubstr("use drives = { {..}, .. }"));
}

TEST(SceneClosures, RejectClosuresThatLockEverything) {
  EXPECT_THAT(error_of(pin + std::string("bar:set{ q = {-0.4, -0.1, -1.8} } bar:close{ "
                                         "'distance', name = 'strut', between = { 'coupler_end', "
                                         "'world' }, length = 0.75 }")),
              HasSubstr("scene.lua:2: the closures leave no degree of freedom: at the start, they "
                        "keep all 3 of the tree from moving; remove a closure, or choose a kind "
                        "that leaves a motion"));
  EXPECT_THAT(error_of("bar:close{ 'gear', name = 'a', joints = { 'crank_joint', 'rocker_joint' }, "
                       "ratio = 2 } bar:close{ 'gear', name = 'b', joints = { 'rocker_joint', "
                       "'crank_joint' }, ratio = 2 }"),
              HasSubstr("the closures 'a', 'b' contradict each other: their ratios do not close"));
}

// The message of an assembly that fails names the gaps and the joints at their limits.
TEST(SceneClosures, NameTheJointsAtTheirLimits) {
  const std::string limited =
      "bar:link{ name = 'slide', joint = { 'prismatic', name = 'slide', axis = {1, 0, 0}, limits = "
      "{ lower = 0, upper = 0.1 } }, massless = true } bar:link{ name = 'tip', parent = 'slide', "
      "joint = { 'revolute', name = 'tip', axis = {0, 1, 0} }, inertia = { mass = 1, com = {0, 0, "
      "0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } } bar:frame{ name = 'far', link = 'rocker', "
      "origin = { xyz = {0, 0.2, 0} } } bar:close{ 'point_on_plane', name = 'stop', between = { "
      "'far', 'tip' }, axis = {1, 0, 0} } bar:set{ q = { rocker_joint = 0 } }";
  EXPECT_THAT(error_of(limited),
              HasSubstr("the loops cannot be closed from the start position: the closure 'stop' is "
                        "open by 0.8 m and 0 rad; at their position limits: 'slide'; held: "
                        "'rocker_joint'; give a start position nearer to a closed one, hold fewer "
                        "joints, or check the lengths of the links"));
  EXPECT_THAT(error_of("bar:close{ 'distance', name = 'rod', between = { 'coupler_end', 'world' }, "
                       "length = 9 }"),
              HasSubstr("give a start position nearer to a closed one, or check the lengths"));
}

// A loop through a prescribed base: the base moves the bar as long as the loop allows it.
TEST(SceneClosures, MayContainPrescribedJoints) {
  const std::string base =
      "bar:link{ name = 'base', joint = { 'prismatic', name = 'base', axis = {1, 0, 0} }, inertia "
      "= { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } } ";
  const std::string moved = "bar:prescribe{ motion = { base = function(t) return 0.1, 0 end } } ";
  EXPECT_EQ(error_of(base + moved +
                     "bar:close{ 'distance', name = 'rod', between = { 'base', 'crank_end' }, "
                     "length = 0.25 } bar:set{ q = {-0.6, 0, 0, 0.1} }"),
            "none");
  for (const char* closure : {"'weld', name = 'fixed', between = { 'base', 'world' }",
                              "'point_on_plane', name = 'fixed', between = { 'world', 'base' }, "
                              "axis = {1, 0, 0}"})
    EXPECT_THAT(error_of(base + moved + "bar:close{ " + closure + " }"),
                HasSubstr("contradict the closure 'fixed'"));
}

}  // namespace
}  // namespace torsor::test::closures
