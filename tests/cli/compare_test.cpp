// Tests of the command torsor compare. The plugin `pendulum` of tests/host/plugins is a solver for
// one hinge that ignores applied wrenches. It is exact for one hinge without wrenches, wrong with
// wrenches, and rejects two hinges.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "torsor/analysis/comparison.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

class Compare : public Program {
 protected:
  // Writes a Lua file with a chain of n hinges, the robot `arm`. `ending` is its last part.
  std::string lua(int n, const std::string& ending) {
    return file("arm.lua", R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
for i = 1, )" + std::to_string(n) +
                               R"( do
  arm:link{ name = "l" .. i, parent = i > 1 and "l" .. i - 1 or nil, joint = { "revolute", name = "j" .. i, axis = {0, 1, 0} },
    inertia = { mass = 1, com = {0.1, 0, 0.4}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
end
)" + ending + "\n");
  }
  std::string scene(int n, const std::string& setting = "", const std::string& options = "",
                    const std::string& force = "") {
    return lua(n, setting + R"(
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)
)" + force + R"(
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 0.01, record = { "arm.q" } )" +
                      options + "}");
  }
  static std::string pendulum_plugin() { return std::string(TEST_PLUGINS) + "hinge.so"; }
};

TEST_F(Compare, PrintsEveryQuantityAndSpeed) {
  const Output out = torsor({"compare", scene(3)});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  EXPECT_EQ(out.err, "");
  for (const char* words : {"solver.articulated_body", "solver.newton_euler", "scene ",
                            "inverse dynamics", "forward dynamics", "M vdot + b = tau", "tau'",
                            "tau''", "mass matrix", "M times M^-1 = 1", "C v", "Mdot = C + C^T",
                            "gravity", "C v + g", "ns per call", "coriolis_matrix", "* derived"})
    EXPECT_THAT(out.out, HasSubstr(words));
  EXPECT_THAT(out.out, Not(HasSubstr("BROKEN")));
}

TEST_F(Compare, ConstraintSolversOfClosures) {
  const Output out = torsor({"compare", source("scenes/four_bar.lua").string(),
                             "--constraint-solver", "all", "--samples", "8", "--json"});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const Json report = Json::parse(out.out);
  EXPECT_TRUE(report["agree"]);
  EXPECT_EQ(report["rows"], (Json{{"closures", 5}, {"mimics", 0}, {"frictions", 0}, {"stops", 0}}));
  ASSERT_EQ(report["solvers"].size(), 3u);
  for (const Json& solver : report["solvers"]) {
    EXPECT_LT(solver["residual"], 1e-9);
    EXPECT_GT(solver["iterations"], 0);
    EXPECT_GT(solver["ns"], 0);
  }
  ASSERT_EQ(report["differences"].size(), 3u);
  for (const Json& difference : report["differences"]) EXPECT_LT(difference["G_lambda"], 1e-8);
}

TEST_F(Compare, ConstraintSolversOfFrictionsAndStops) {
  const std::string robot = file("held.lua", R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
for i = 1, 3 do
  arm:link{ name = "l" .. i, parent = i > 1 and "l" .. i - 1 or nil,
    joint = { "revolute", name = "j" .. i, axis = {0, 1, 0}, limits = { lower = -1, upper = 2 }, stop = { restitution = 0 },
              friction = { "coulomb", coulomb = i, static = i } },
    inertia = { mass = 1, com = {0.1, 0, 0.4}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
end
return arm
)");
  const Output out = torsor({"compare", robot, "--constraint-solver",
                             "pivoting,projected_gauss_seidel", "--samples", "8"});
  ASSERT_EQ(out.exit_code, 0) << out.err << out.out;
  for (const char* words : {"0 of closures, 0 of mimic joints, 3 of dry friction, 3 of stops",
                            "residual", "ns per call", "pivoting and projected_gauss_seidel"})
    EXPECT_THAT(out.out, HasSubstr(words));
}

// A box of 1 kg that rests on the ground, next to a ball that falls from 0.2 m: it touches the
// ground from t = 0.2 s on.
constexpr const char* box_and_ball = R"(local torsor = require "torsor"
local bodies = torsor.robot{ name = "bodies" }
for i, shape in ipairs{ { box = {0.2, 0.2, 0.2}, mu = MU }, { sphere = { radius = 0.1 }, mu = MU } } do
  bodies:link{ name = "b" .. i, joint = { "floating", name = "j" .. i },
    inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.004, Iyy = 0.004, Izz = 0.004 } },
    collisions = { shape } }
end
bodies:set{ q = { j1 = { xyz = {0, 0, 0.1} }, j2 = { xyz = {1, 0, HEIGHT} } } }
local world = torsor.world{}
world:add(bodies)
GROUND
return world:experiment{ integrator = { "INTEGRATOR", dt = 1e-3 }, duration = 0.4, record = { "bodies.q" } }
)";

class CompareContacts : public Compare {
 protected:
  std::string bodies(double height = 0.3, const std::string& mu = "0.5",
                     const std::string& ground = "world:collision{ half_space = {0, 0, 1} }",
                     const std::string& integrator = "time_stepping") {
    std::string text = box_and_ball;
    const auto set = [&](const std::string& name, const std::string& value) {
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), value);
    };
    set("HEIGHT", std::to_string(height)), set("MU", mu), set("GROUND", ground);
    set("INTEGRATOR", integrator);
    return file("bodies.lua", text);
  }
};

TEST_F(CompareContacts, OfTheStepsOfARun) {
  const Output out =
      torsor({"compare", bodies(), "--constraint-solver", "all", "--samples", "8", "--json"});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const Json report = Json::parse(out.out);
  EXPECT_TRUE(report["agree"]);
  EXPECT_FALSE(report.contains("solvers")) << "the model itself has no constraints";
  const Json& contacts = report["contacts"];
  ASSERT_EQ(contacts["states"], 8);
  for (size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(contacts["times"][k].get<double>(), 0.05 * double(k), 1e-12);
  // Four points of the box and one of the ball: three rows each, and no entries between the bodies.
  EXPECT_EQ(contacts["largest"],
            (Json{{"points", 5}, {"rows", 15}, {"friction_groups", 5}, {"entries", 12 * 12 + 9}}));
  EXPECT_EQ(contacts["not_applicable"][0]["id"], "constraint_solver.pivoting");
  EXPECT_EQ(contacts["not_applicable"][0]["reason"], "it does not handle friction");
  ASSERT_EQ(contacts["solvers"].size(), 2u);
  for (const Json& solver : contacts["solvers"]) {
    EXPECT_LT(solver["residual"], 1e-6);
    EXPECT_LT(solver["complementarity"], 1e-8);
    EXPECT_LT(solver["approach"], 1e-6);
    EXPECT_LT(solver["cone_violation"], 1e-12);
    EXPECT_GT(solver["iterations"], 0);
    EXPECT_GT(solver["ns"], 0);
  }
  ASSERT_EQ(contacts["differences"].size(), 1u);
  EXPECT_LT(contacts["differences"][0]["G_lambda"], 1e-6);
}

// The first step with contacts of each part of the run counts, and parts without any do not.
TEST_F(CompareContacts, TakesTheFirstContactsOfEachPart) {
  const std::string ball = bodies(0.3, "0.5", R"(world:collision{ half_space = {0, 0, 1} }
world:collision_pair{ "b1", "world", collide = false })");
  const Json contacts = Json::parse(
      torsor({"compare", ball, "--constraint-solver", "all", "--samples", "4", "--json"})
          .out)["contacts"];
  ASSERT_EQ(contacts["times"].size(), 2u);
  // It falls for sqrt(2 0.2 m / g).
  EXPECT_NEAR(contacts["times"][0].get<double>(), std::sqrt(0.4 / 9.81), 1e-3);
  EXPECT_NEAR(contacts["times"][1].get<double>(), 0.3, 1e-12);
}

TEST_F(CompareContacts, PrintsATable) {
  const Output out = torsor({"compare", bodies(), "--constraint-solver", "all", "--samples", "4"});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  for (const char* words :
       {"4 steps of the run with contacts, from t = 0 s to 0.3 s", "5 points, 15 rows",
        "constraint_solver.pivoting: not applicable: it does not handle friction", "compl. J",
        "cone N s", "newton_admm and projected_gauss_seidel", "of G lambda"})
    EXPECT_THAT(out.out, HasSubstr(words));
}

// Direct solvers handle contacts without friction. The closures of a scene are compared as well.
TEST_F(CompareContacts, WithoutFrictionAndWithStops) {
  const std::string text = bodies(0.3, "0", R"(world:collision{ half_space = {0, 0, 1}, mu = 0 }
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "l", joint = { "revolute", name = "j", axis = {0, 1, 0}, limits = { lower = -1, upper = 1 },
  stop = { restitution = 0 } },
  inertia = { mass = 1, com = {0.1, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
world:add(arm))");
  const Json report = Json::parse(
      torsor({"compare", text, "--constraint-solver", "all", "--samples", "3", "--json"}).out);
  EXPECT_EQ(report["rows"]["stops"], 1);
  EXPECT_EQ(report["solvers"].size(), 3u);
  EXPECT_EQ(report["contacts"]["solvers"].size(), 3u);
  EXPECT_FALSE(report["contacts"].contains("not_applicable"));
  EXPECT_EQ(report["contacts"]["largest"]["rows"], 5);
  EXPECT_TRUE(report["agree"]);
}

// A solver without impulses fails in the first step with contacts.
TEST_F(CompareContacts, AWrongSolverIsNamed) {
  const std::string plugin = file("none.lua", R"(local torsor = require "torsor"
torsor.constraint_solver("none", { handles_friction = true, solve = function(model, problem)
  local lambda = {}
  for i = 1, problem.n do lambda[i] = 0 end
  return { lambda = lambda }
end }))");
  const Output out = torsor({"compare", bodies(), "--samples", "2", "--constraint-solver",
                             "newton_admm,none", "--plugins", plugin});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_THAT(
      out.err,
      HasSubstr("contacts: in state 1, constraint solver 'constraint_solver.none' found no"));
  EXPECT_THAT(out.out, HasSubstr("BROKEN"));
}

TEST_F(CompareContacts, RejectsRunsWithoutProblems) {
  const auto error = [&](const std::string& scene, const std::string& solvers = "all") {
    const Output out = torsor({"compare", scene, "--constraint-solver", solvers});
    EXPECT_EQ(out.exit_code, 2);
    EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1) << out.err;
    return out.err;
  };
  EXPECT_THAT(error(bodies(0.3, "0.5", "world:collision{ half_space = {0, 0, 1} }", "rk4")),
              HasSubstr("no step of a run with time_stepping has contacts"));
  EXPECT_THAT(error(bodies(0.3, "0.5", "")), HasSubstr("there is nothing to compare"));
  EXPECT_THAT(
      error(bodies(), "pivoting"),
      HasSubstr("the contacts have friction, and constraint_solver.pivoting does not handle "
                "it"));
}

TEST_F(Compare, RejectsConstraintSolversWithoutRowsOrOfWrongNames) {
  EXPECT_THAT(torsor({"compare", scene(2), "--constraint-solver", "all"}).err,
              HasSubstr("the model has no closures, mimic joints, stops, or dry friction"));
  EXPECT_THAT(torsor({"compare", scene(2), "--constraint-solver", "pivotin"}).err,
              HasSubstr("did you mean 'pivoting'?"));
  EXPECT_THAT(torsor({"compare", scene(2), "--constraint-solver", "pivoting,pivoting"}).err,
              HasSubstr("--constraint-solver pivoting: the solver is listed twice"));
}

TEST_F(Compare, ARunNamesAnUnknownConstraintSolver) {
  const Output out =
      torsor({"run", source("scenes/four_bar.lua").string(), "--constraint-solver", "pivotin"});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err, AllOf(HasSubstr("--constraint-solver pivotin: "),
                             HasSubstr("did you mean 'pivoting'?")));
}

// A solver of a script that ignores its rows is named, with its residual.
TEST_F(Compare, AWrongConstraintSolverIsNamed) {
  const std::string plugin = file("none.lua", R"(local torsor = require "torsor"
torsor.constraint_solver("none", { solve = function(model, problem)
  local lambda = {}
  for i = 1, problem.n do lambda[i] = 0 end
  return { lambda = lambda }
end }))");
  const Output out = torsor({"compare", source("scenes/four_bar.lua").string(), "--samples", "2",
                             "--constraint-solver", "pivoting,none", "--plugins", plugin});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_THAT(out.err, HasSubstr("in state 1, constraint solver 'constraint_solver.none' found no "
                                 "multipliers: after 0 iterations, the residual is "));
  EXPECT_THAT(out.out, HasSubstr("BROKEN"));
}

// Checks a robot of 201 dof, which has eight million Christoffel symbols. The host derives them for
// most solvers.
TEST_F(Compare, TheSymbolsOfALargeRobotAreNotTimed) {
  const std::string robot = lua(201, "return arm");
  const Output out = torsor({"compare", robot, "--samples", "1"});
  EXPECT_THAT(
      out.out,
      HasSubstr("christoffel_symbols are not timed: they are n^3 numbers, here with n = 201"));
  const Json json = Json::parse(torsor({"compare", robot, "--samples", "1", "--json"}).out);
  EXPECT_EQ(json["ns_per_call"].size(), (n_quantities - 1) * json["solvers"].size());
  for (const Json& call : json["ns_per_call"]) EXPECT_NE(call["quantity"], "christoffel_symbols");
}

TEST_F(Compare, JsonHoldsAllOfIt) {
  const Output out =
      torsor({"compare", lua(2, "return arm"), "--json", "--samples", "5", "--seed", "7"});
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const Json json = Json::parse(out.out);
  EXPECT_EQ(json["agree"], true);
  EXPECT_EQ(json["states"], 5);
  EXPECT_EQ(json["seed"], 7);
  const size_t n = json["solvers"].size();
  EXPECT_GE(n, 2u);
  EXPECT_EQ(json["disagreements"].size(), n_compared * n * (n - 1) / 2 + 2)
      << "each quantity and the residual, and tau' and tau'' of newton_euler and lie_group";
  EXPECT_EQ(json["ns_per_call"].size(), n_quantities * n);
  for (const Json& pair : json["disagreements"]) {
    EXPECT_LE(pair["of_allowed"].get<double>(), 1) << pair;
    EXPECT_GE(pair["allowed"].get<double>(), 1e-10);
    EXPECT_LE(pair["state"].get<int>(), 5);
  }
  for (const Json& call : json["ns_per_call"]) EXPECT_GT(call["ns"].get<double>(), 1) << call;
}

TEST_F(Compare, TheSameSeedGivesTheSameNumbers) {
  const auto numbers = [&](const std::string& seed) {
    return Json::parse(
        torsor({"compare", lua(4, "return arm"), "--json", "--seed", seed}).out)["disagreements"];
  };
  EXPECT_EQ(numbers("1"), numbers("1"));
  EXPECT_NE(numbers("1"), numbers("2"));
}

TEST_F(Compare, TakesSolversParametersAndGravity) {
  const std::string robot = lua(1, "return arm");
  const Json json = Json::parse(torsor({"compare", robot, "--json", "--solver", "newton_euler",
                                        "--solver", "solver.articulated_body"})
                                    .out);
  ASSERT_EQ(json["solvers"].size(), 2u);
  EXPECT_EQ(json["solvers"][0]["id"], "solver.newton_euler");
  EXPECT_EQ(torsor({"compare", robot, "--gravity", "1,2,3"}).exit_code, 0);
  const Output out = torsor(
      {"compare", scene(1, "torsor.params{ size = 1 }"), "--set", "size=2", "--gravity", "0,0,0"});
  EXPECT_EQ(out.exit_code, 0) << out.err;
}

TEST_F(Compare, ASolverOfAnotherFamilyIsNotApplicable) {
  const Output out = torsor({"compare", scene(2), "--plugins", pendulum_plugin()});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_THAT(out.out,
              HasSubstr("solver.pendulum: not applicable: it is made for one body on one hinge"));
  const Json json =
      Json::parse(torsor({"compare", scene(2), "--plugins", pendulum_plugin(), "--json"}).out);
  EXPECT_EQ(json["not_applicable"][0]["id"], "solver.pendulum");
}

TEST_F(Compare, ARightSpecialSolverAgrees) {
  const Output out = torsor({"compare", scene(1), "--plugins", pendulum_plugin()});
  EXPECT_EQ(out.exit_code, 0) << out.out << out.err;
  EXPECT_THAT(out.out, HasSubstr("solver.pendulum"));
}

TEST_F(Compare, AWrongSolverIsCaught) {
  const Output out = torsor({"compare", lua(1, "return arm"), "--plugins", pendulum_plugin(),
                             "--solver", "newton_euler", "--solver", "pendulum"});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_THAT(out.out, HasSubstr("BROKEN"));
  EXPECT_THAT(out.err,
              AllOf(HasSubstr("inverse dynamics of newton_euler and pendulum disagrees by"),
                    HasSubstr("in state "), HasSubstr("2 more results are above their tolerance")));
  EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1);
  const Json json = Json::parse(
      torsor({"compare", lua(1, "return arm"), "--plugins", pendulum_plugin(), "--json"}).out);
  EXPECT_EQ(json["agree"], false);
  for (const Json& pair : json["disagreements"]) {
    const bool with_it =
        pair["solvers"][0] == "solver.pendulum" || pair["solvers"][1] == "solver.pendulum";
    const bool loaded =
        pair["quantity"] == "tau" || pair["quantity"] == "vdot" || pair["quantity"] == "motion";
    EXPECT_EQ(pair["broken"], with_it && loaded) << pair;
  }
}

// Checks that the wrenches and forces of a scene act in every compared state. The plugin `pendulum`
// ignores them, so the comparison fails.
TEST_F(Compare, TheLoadsOfASceneAct) {
  const std::string loaded = scene(1, "arm:apply{ wrenches = { l1 = { moment = {0, 1, 0} } } }");
  EXPECT_EQ(torsor({"compare", loaded, "--plugins", pendulum_plugin()}).exit_code, 1);
  const std::string sprung = scene(1, "", "", R"(world:force("spring_damper", { stiffness = 10,
    from = { frame = "world", origin = { xyz = {1, 0, 0} } }, to = { frame = "arm.l1", origin = { xyz = {0, 0, 1} } } }))");
  const Output seen = torsor({"compare", sprung, "--plugins", pendulum_plugin()});
  EXPECT_EQ(seen.exit_code, 1) << seen.out << seen.err;
  const Output right = torsor({"compare", sprung});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
}

// Checks a spring whose ends coincide at the start, so that its direction is undefined.
TEST_F(Compare, AForceThatFailsIsNamed) {
  const std::string met =
      scene(1, "", "", R"(world:force("spring_damper", { stiffness = 10, rest_length = 1,
    from = "world", to = "arm.l1" }))");
  const Output out = torsor({"compare", met});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err,
              AllOf(HasSubstr("arm.lua: at a compared state, force 'force.spring_damper' failed"),
                    HasSubstr("the two frames coincide")));
  EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1);
}

TEST_F(Compare, ASingularMassMatrixIsNoted) {
  const Output out = torsor({"compare", lua(1, R"(
arm:link{ name = "ghost", parent = "l1", joint = { "revolute", name = "spin", axis = {1, 0, 0} }, massless = true }
return arm)")});
  EXPECT_EQ(out.exit_code, 0) << out.out << out.err;
  EXPECT_THAT(out.out, AllOf(HasSubstr("M is singular for both in 32 states"), HasSubstr("fails")));
}

TEST_F(Compare, MistakesAreOneLine) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& said) {
    const Output out = torsor(arguments);
    EXPECT_EQ(out.exit_code, 2) << out.out;
    EXPECT_EQ(out.out, "");
    EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1) << out.err;
    EXPECT_THAT(out.err, HasSubstr(said));
  };
  const std::string robot = lua(2, "return arm");
  refused({"compare"}, "SCENE|ROBOT");
  refused({"compare", "nowhere.urdf"}, "nowhere.urdf");
  refused({"compare", "arm.txt"}, "arm.txt: there is no such file; give a .urdf");
  refused({"compare", robot, "--solver", "newton_eulr"}, "did you mean 'newton_euler'");
  refused({"compare", robot, "--solver", "newton_euler"}, "only one solver is given");
  refused({"compare", robot, "--solver", "newton_euler", "--solver", "solver.newton_euler"},
          "twice");
  refused({"compare", robot, "--plugins", pendulum_plugin(), "--solver", "newton_euler", "--solver",
           "pendulum"},
          "made for one body on one hinge");
  refused({"compare", robot, "--samples", "0"}, "--samples");
  refused({"compare", robot, "--samples", "many"}, "--samples");
  refused({"compare", robot, "--seed", "-1"}, "--seed");
  refused({"compare", robot, "--seed", "99999999999999999999999"}, "--seed");
  refused({"compare", robot, "--gravity", "0,0,nan"}, "finite");
  refused({"compare", robot, "--strict"}, "--strict applies to .urdf, ");
  refused({"compare", robot, "--set", "n=1"}, "'n' cannot be set");
  refused({"compare", robot, "--sampels", "3"}, "did you mean '--samples'");
  refused({"compare",
           lua(0, "arm:link{ name = 'still', massless = true, joint = { 'fixed' } } return arm")},
          "no moving joint");
  refused({"compare", lua(1, "return 3")}, "an experiment, a robot");
}

TEST_F(Compare, DuringARun) {
  const std::string options = R"(, compare = { "newton_euler" })";
  const Output run = torsor({"run", scene(2, "", options), "--format", "csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, AllOf(HasSubstr("compared     newton_euler, in 11 rows"),
                             HasSubstr("forward dynamics")));
  const Json side = Json::parse(read("recordings/arm.json"));
  EXPECT_EQ(side["comparison"]["rows"], 11);
  EXPECT_EQ(side["comparison"]["worst"].size(), n_compared);
  EXPECT_EQ(side["experiment"]["compare"], Json{"newton_euler"});
  const Output wrong = torsor({"run",
                               scene(1, "arm:apply{ wrenches = { l1 = { moment = {0, 1, 0} } } }",
                                     R"(, compare = { "pendulum" })"),
                               "--plugins", pendulum_plugin()});
  EXPECT_EQ(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("warning: at t = "));
  EXPECT_THAT(wrong.err, HasSubstr("s forward dynamics of pendulum disagrees by"));
  const Output same = torsor({"run", scene(2, "", options), "--solver", "newton_euler"});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, HasSubstr("which is the solver of the experiment"));
}

}  // namespace
}  // namespace torsor::test
