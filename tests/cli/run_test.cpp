// Tests of the command torsor run.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

// A scene with a pendulum of 1 kg and 1 m. It starts horizontally, and gravity is along -y.
constexpr const char* pendulum = R"(
local torsor = require "torsor"
local p = torsor.params{ damping = 0.0, q0 = 0.0, length = 1.0 }
local arm = torsor.robot{ name = "pendulum" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 0, 1}, damping = p.damping },
  inertia = { mass = 1, com = {p.length, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0, Ixy = 0, Ixz = 0, Iyz = 0 } } }
arm:set{ q = { p.q0 } }
local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 0.5,
  record = { "pendulum.q", "pendulum.v", "energy" }, record_interval = 0.1 }
)";

class Run : public Program {
 protected:
  std::vector<std::vector<double>> rows(const std::string& csv) const {
    std::istringstream in(read(csv));
    std::string line, cell;
    std::getline(in, line);
    std::vector<std::vector<double>> out;
    while (std::getline(in, line)) {
      std::istringstream cells(line);
      out.emplace_back();
      while (std::getline(cells, cell, ',')) out.back().push_back(std::stod(cell));
    }
    return out;
  }
};

// Checks that notes of a controller about its gains and its model are printed and recorded.
TEST_F(Run, PrintsNotesOfControllers) {
  std::string scene = pendulum;
  const std::string world = "local world";
  scene.insert(scene.find(world), "arm:control('pid', { kp = 3, reference = { q = {0} } })\n");
  const Output run = torsor({"run", file("swing.lua", scene), "--format", "csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  // |dQ/dq| = m g l |sin q| is at most 9.81.
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("control      pid of pendulum, continuous-time\n"),
                    HasSubstr("the stability condition K_p > |dQ/dq| does not hold: the smallest "
                              "gain is 3 N m/rad, the largest |dQ/dq| found is 9.8")));
  EXPECT_THAT(read("recordings/swing.json"), HasSubstr("K_p > |dQ/dq| does not hold"));
}

TEST_F(Run, WritesOneFile) {
  const Output run = torsor({"run", file("swing.lua", pendulum)});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("recording    recordings/swing.h5 (16 columns)"));
  EXPECT_THAT(written(), ElementsAre("recordings/swing.h5"));
}

TEST_F(Run, WritesARecordingAndASummary) {
  const Output run = torsor({"run", file("swing.lua", pendulum), "--format", "csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "") << "no progress bar where there is no terminal";
  EXPECT_THAT(run.out, AllOf(HasSubstr("steps        500"), HasSubstr("x real time"),
                             HasSubstr("energy error"), HasSubstr("solver.articulated_body")));
  EXPECT_THAT(written(), ElementsAre("recordings/swing.csv", "recordings/swing.json"));
  EXPECT_THAT(read("recordings/swing.csv"),
              testing::StartsWith(
                  "time [s],pendulum.q.hinge [rad],pendulum.v.hinge [rad/s],energy.kinetic [J]"));
  const auto data = rows("recordings/swing.csv");
  ASSERT_EQ(data.size(), 6u);
  // The energy is conserved: v^2/2 + g sin q = 0.
  for (const auto& row : data) {
    ASSERT_EQ(row.size(), 16u);
    EXPECT_NEAR(row[2] * row[2] / 2 + 9.81 * std::sin(row[1]), 0, 1e-9);
  }
  const Json side = Json::parse(read("recordings/swing.json"));
  EXPECT_EQ(side["complete"], true);
  EXPECT_EQ(side["steps"], 500);
  EXPECT_EQ(side["solver"]["id"], "solver.articulated_body");
  EXPECT_EQ(side["solver"]["sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(side["experiment"]["parameters"]["length"], 1.0);
  EXPECT_EQ(side["columns"][1]["unit"], "rad");
  EXPECT_FALSE(side["torsor"].get<std::string>().empty());
}

TEST_F(Run, GivesTheSameBytesTwice) {
  const std::string scene = file("swing.lua", pendulum);
  ASSERT_EQ(torsor({"run", scene, "--folder", "a"}).exit_code, 0);
  ASSERT_EQ(torsor({"run", scene, "--folder", "b"}).exit_code, 0);
  EXPECT_EQ(read("a/swing.h5"), read("b/swing.h5"));
  EXPECT_GT(read("a/swing.h5").size(), 100u);
}

TEST_F(Run, AcceptsParametersDurationAndSolver) {
  const Output run = torsor({"run", file("swing.lua", pendulum), "--set", "damping=2", "--set",
                             "q0=-1", "--duration", "0.2", "--solver", "newton_euler", "--folder",
                             "there", "--format", "csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json side = Json::parse(read("there/swing.json"));
  EXPECT_EQ(side["solver"]["id"], "solver.newton_euler");
  EXPECT_EQ(side["experiment"]["parameters"]["damping"], 2.0);
  EXPECT_EQ(side["experiment"]["duration"], 0.2);
  const auto data = rows("there/swing.csv");
  EXPECT_EQ(data.size(), 3u);
  EXPECT_EQ(data[0][1], -1);
}

// Checks that a change after the end of the run is not made. The program reports this, unless the
// user has set another duration.
TEST_F(Run, ReportsTheChangesThatItMakes) {
  std::string scene = pendulum;
  const std::string before = "record_interval";
  scene.insert(scene.find(before),
               "changes = { { at = 0.2, solver = 'lie_group' }, { at = 0.3, tau = {1} }, { at = 5, "
               "tau = {2} } }, ");
  const std::string swing = file("swing.lua", scene);
  const Output run = torsor({"run", swing});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(
      run.out,
      HasSubstr(
          "changes      2 of 3 made, the others are after the end; solver lie_group from 0.2 s\n"));
  EXPECT_THAT(run.err, HasSubstr("changes[3].at is 5 s, after the end at 0.5 s"));
  const Output shorter = torsor({"run", swing, "--duration", "0.1"});
  EXPECT_THAT(shorter.out, HasSubstr("changes      0 of 3 made"));
  EXPECT_EQ(shorter.err, "");
  scene.replace(scene.find("lie_group"), 9, "lie_gruop");
  EXPECT_THAT(torsor({"lint", file("swung.lua", scene)}).err,
              AllOf(HasSubstr("swung.lua:10: world:experiment: changes[1].solver: "),
                    HasSubstr("did you mean")));
}

TEST_F(Run, NamesTheConstraintSolver) {
  const std::string swing = file("swing.lua", pendulum);
  ASSERT_EQ(torsor({"run", swing}).exit_code, 0);
  EXPECT_THAT(torsor({"info", "recordings/swing.h5"}).out, Not(HasSubstr("constraints  ")));
  const std::string line = "\nconstraints  constraint_solver.projected_gauss_seidel";
  const Output chosen = torsor({"run", swing, "--constraint-solver", "projected_gauss_seidel"});
  ASSERT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_THAT(chosen.out, HasSubstr(line + " 1.0\n"));
  EXPECT_THAT(torsor({"info", "recordings/swing.h5"}).out, HasSubstr(line + "\n"));
  std::string scene = pendulum;
  scene.insert(scene.find("record_interval"),
               "constraint_solver = { 'pivoting' }, changes = { { at = 0.2, constraint_solver = { "
               "'projected_gauss_seidel', tolerance = 1e-9 } } }, ");
  const std::string changed = file("changed.lua", scene);
  const Output run = torsor({"run", changed, "--format", "csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("\nconstraints  ")));
  EXPECT_THAT(run.out, HasSubstr("changes      1 made; constraint solver projected_gauss_seidel "
                                 "from 0.2 s\n"));
  EXPECT_EQ(Json::parse(read("recordings/changed.json"))["edits"][0]["constraint_solver"],
            Json::parse(R"({"id": "projected_gauss_seidel",
                            "parameters": [{"name": "tolerance", "value": 1e-9}]})"));
  scene.replace(scene.find("tolerance"), 9, "tollerance");
  EXPECT_THAT(torsor({"lint", file("wrong.lua", scene)}).err,
              AllOf(HasSubstr("wrong.lua:10: world:experiment: changes[1].constraint_solver: "),
                    HasSubstr("tollerance")));
  scene.replace(scene.find("{ 'pivoting' }"), 14, "{ 'projected_gauss_seidel', tolerance = 1e-8 }");
  scene.replace(scene.find("tollerance"), 10, "tolerance");
  ASSERT_EQ(torsor({"run", file("own.lua", scene)}).exit_code, 0);
  EXPECT_THAT(torsor({"info", "recordings/own.h5"}).out,
              HasSubstr("\nconstraints  projected_gauss_seidel with tolerance = 1e-08\n"));
}

TEST_F(Run, NamesTheForces) {
  std::string scene = pendulum;
  scene.insert(scene.find("return world"), R"(
world:force("fluid_drag", { frames = "pendulum.rod", linear = {0.1} })
world:force("spring_damper", { from = "world", to = { frame = "pendulum.rod", origin = { xyz = {1, 0, 0} } }, stiffness = 3 })
)");
  const Output run = torsor({"run", file("swing.lua", scene)});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\nforces       force.fluid_drag 1.0, force.spring_damper 1.0\n"));
  ASSERT_EQ(torsor({"convert", "recordings/swing.h5", "copy.csv"}).exit_code, 0);
  const Json forces = Json::parse(read("copy.json"))["experiment"]["forces"];
  EXPECT_EQ(forces[1]["id"], "force.spring_damper");
  EXPECT_EQ(forces[1]["parameters"][2],
            Json::parse(R"({"name": "stiffness", "unit": "N/m", "value": 3.0})"));
  EXPECT_THAT(torsor({"run", file("free.lua", pendulum)}).out, Not(HasSubstr("forces")));
}

// Checks explicit Euler with steps of 10 ms. The potential energy changes by 9.81 J, and the energy
// error is about 1 % of it. A scene may set a larger tolerance.
TEST_F(Run, WarnsAboutALargeEnergyError) {
  const std::string scene = file("swing.lua", pendulum);
  const Output fine = torsor({"run", scene});
  EXPECT_EQ(fine.err, "");
  const Output coarse =
      torsor({"run", scene, "--integrator", "euler", "--dt", "0.01", "--format", "csv"});
  EXPECT_EQ(coarse.exit_code, 0);
  EXPECT_EQ(std::ranges::count(coarse.err, '\n'), 1) << coarse.err;
  EXPECT_THAT(
      coarse.err,
      AllOf(HasSubstr("torsor: warning: "), HasSubstr("swing.lua: the energy error reaches "),
            HasSubstr("above the bound of 0.001: do not trust this result"),
            HasSubstr("run it again with --integrator rk4"), HasSubstr("energy_tolerance")));
  const Json error = Json::parse(read("recordings/swing.json"))["energy_error"];
  EXPECT_EQ(error["exceeded"], true);
  EXPECT_GT(error["of_largest"].get<double>(), 1e-3);
  std::string tolerant = pendulum;
  tolerant.insert(tolerant.find("record_interval"), "energy_tolerance = 0.5, ");
  EXPECT_EQ(
      torsor({"run", file("tolerant.lua", tolerant), "--integrator", "euler", "--dt", "0.01"}).err,
      "");
}

// Checks a spring of 1e6 N m/rad on 1 kg m^2, whose natural frequency is 1000 rad/s. At dt = 2 ms,
// the error is as large as the energy itself, and half the step does not reduce it.
TEST_F(Run, WarnsAboutAStepThatIsTooLong) {
  std::string scene = pendulum;
  const std::string damping = "damping = p.damping";
  scene.replace(scene.find(damping), damping.size(), "spring = { stiffness = 1e6 }");
  const std::string swing = file("swing.lua", scene);
  const Output coarse = torsor({"run", swing, "--set", "q0=0.1", "--dt", "0.002"});
  EXPECT_EQ(coarse.exit_code, 0);
  EXPECT_THAT(coarse.err,
              HasSubstr("dt = 0.002 s is too long for the fastest rate of the motion, 1e+03 1/s: "
                        "run it again with --dt "));
  const std::string option = "--dt ";
  const size_t at = coarse.err.find(option) + option.size();
  const Output fine = torsor({"run", swing, "--set", "q0=0.1", "--dt",
                              coarse.err.substr(at, coarse.err.find(';', at) - at)});
  EXPECT_EQ(fine.exit_code, 0);
  EXPECT_EQ(fine.err, "");
}

// Checks a solver with the wrong sign of gravity, and a force that reports a wrong energy.
TEST_F(Run, WarnsAboutAWrongSolverAndAWrongForce) {
  std::string wrong_solver = pendulum;
  wrong_solver.insert(wrong_solver.find("local world"), R"(
torsor.solver("wrong", { forward = function(model, state, tau)
  return { tau[1] + 9.81 * math.cos(state.q[1]) }
end })
)");
  const Output solver = torsor({"run", file("solver.lua", wrong_solver), "--solver", "wrong"});
  EXPECT_EQ(solver.exit_code, 0);
  EXPECT_THAT(solver.err, HasSubstr("solver.lua: the energy error reaches"));
  EXPECT_EQ(torsor({"run", "solver.lua"}).err, "");

  for (const char* rate : {"3 * state.q[1] * state.v[1]", "-3 * state.q[1] * state.v[1]"}) {
    std::string wrong_force = pendulum;
    wrong_force.insert(wrong_force.find("local world"), std::string(R"(
torsor.force("spring", { evaluate = function(model, state)
  return { tau = { -3 * state.q[1] }, energy = 1.5 * state.q[1]^2, energy_rate = )") +
                                                            rate + R"( }
end })
)");
    wrong_force.insert(wrong_force.find("return world:"), "world:force(\"spring\", {})\n");
    const Output force = torsor({"run", file("force.lua", wrong_force)});
    EXPECT_EQ(force.exit_code, 0) << force.err;
    if (rate[0] == '-')
      EXPECT_THAT(force.err, HasSubstr("force.lua: the energy error reaches"));
    else
      EXPECT_EQ(force.err, "");
  }
}

TEST_F(Run, AcceptsAnIntegratorAndAStep) {
  const std::string scene = file("swing.lua", pendulum);
  const Output run = torsor({"run", scene, "--integrator", "implicit_midpoint", "--dt", "0.002"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("implicit_midpoint at dt = 0.002 s"),
                             HasSubstr("steps        250 ")));
  const auto refused = [&](std::vector<std::string> arguments, const char* message) {
    arguments.insert(arguments.begin(), {"run", scene});
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
  };
  refused({"--integrator", "rk5"}, "there is no such integrator; use one of: euler");
  refused(
      {"--dt", "0.5"},
      "--dt 0.5: the record_interval of the scene of 0.1 s is shorter than a step of dt = 0.5 s");
  refused({"--dt", "0"}, "--dt 0: the step must be a positive number of seconds");
  refused({"--dt", "0.03"},
          "--dt 0.03: the duration of 0.5 s is not a whole number of steps of dt = 0.03 s; 17 "
          "steps take 0.51 s");
  refused({"--dt", "0.01", "--duration", "0.125"},
          "--dt 0.01 --duration 0.125: the duration of 0.125 s is not");
  // Changes keep their times if --dt or --duration is set.
  std::string changed = pendulum;
  changed.insert(changed.find("record_interval"), "changes = { { at = 0.2, tau = {1} } }, ");
  file("changed.lua", changed);
  EXPECT_THAT(torsor({"run", "changed.lua", "--dt", "0.0005", "--duration", "0.2"}).out,
              HasSubstr("changes      1 made"));
  EXPECT_THAT(torsor({"run", "changed.lua", "--dt", "0.0005", "--duration", "0.1"}).out,
              HasSubstr("changes      0 of 1 made"));
  EXPECT_THAT(torsor({"run", "changed.lua", "--dt", "0.125"}).err,
              HasSubstr("the time of a change of 0.2 s is not a whole number of steps"));
}

TEST_F(Run, AnotherKindOfFileIsRejectedWithTheRightCommand) {
  const auto said = [&](const std::string& name) {
    const Output output = torsor({"run", name});
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
    return output.err;
  };
  EXPECT_THAT(
      said(source("scenes/urdf_arm.urdf").string()),
      AllOf(HasSubstr("urdf_arm.urdf: this is a robot; a scene is needed"), HasSubstr("eval")));
  EXPECT_THAT(said(source("scripts/robots/iiwa.lua").string()),
              AllOf(HasSubstr("this file returns a robot; a scene is needed"),
                    HasSubstr("world:experiment")));
  ASSERT_EQ(torsor({"run", file("swing.lua", pendulum)}).exit_code, 0);
  EXPECT_THAT(
      said("recordings/swing.h5"),
      AllOf(HasSubstr("swing.h5: this is a recording; a scene is needed"), HasSubstr("plot")));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"plot", "swing.lua", "--signals", "q", "--out", "a.svg"},
        {"convert", "swing.lua", "a.csv"},
        {"identify", "swing.lua"},
        {"info", "swing.lua"}}) {
    const Output output = torsor(command);
    EXPECT_EQ(output.exit_code, 2) << command[0];
    EXPECT_THAT(output.err,
                HasSubstr("'swing.lua' is a script, and this command takes a recording"));
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
  }
}

TEST_F(Run, ADivergingRunKeepsItsRecording) {
  std::string scene = pendulum;
  scene.replace(scene.find("\"rk4\", dt = 1e-3"), 16, "\"euler\", dt = 0.1");
  // Removes the energy from the recorded signals, because it would overflow before the state does.
  scene.replace(scene.find(", \"energy\""), 10, "");
  const Output run = torsor({"run", file("swing.lua", scene), "--set", "damping=1e9", "--set",
                             "q0=0.3", "--duration", "50", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(
      run.err,
      AllOf(HasSubstr("at t = "),
            HasSubstr("the kinetic energy is inf J, which is not a finite number"),
            HasSubstr("joint 'hinge' accelerates most, at "), HasSubstr("its inertia is 1 kg m^2"),
            HasSubstr("its damping 1e+09 N m s/rad"), HasSubstr("try a smaller dt, below 2e-09 s"),
            HasSubstr("cond(M) = "), HasSubstr("recordings/swing.csv")));
  const Json side = Json::parse(read("recordings/swing.json"));
  EXPECT_EQ(side["complete"], false);
  EXPECT_THAT(side["error"].get<std::string>(), HasSubstr("not a finite number"));
  EXPECT_GT(rows("recordings/swing.csv").size(), 5u);
}

// The error names the line of the control, and the scene only once.
TEST_F(Run, ErrorsOfControlsNameTheirLineOnce) {
  file("bare.lua", R"(local torsor = require "torsor"
local arm = require("robots.planar").build{ n = 1 }
local world = torsor.world{}
world:add(arm)
arm:control(function() return {0} end, { name = "u", returns = "inputs" })
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 1e-3 },
  duration = 0.1, record = { "planar.q" } }
)");
  EXPECT_THAT(torsor({"run", "bare.lua"}).err,
              testing::StartsWith("torsor: bare.lua:5: the control 'u' returns inputs, but the "));
}

TEST_F(Run, NeverReplacesItsOwnScene) {
  file("out/swing.json", pendulum);  // the name that the description of a .csv recording gets
  const Output run = torsor({"run", "out/swing.json", "--folder", "out", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("would replace the scene"));
  EXPECT_EQ(read("out/swing.json"), pendulum);
  EXPECT_TRUE(written().empty());
}

TEST_F(Run, ASideFileThatCannotBeWrittenIsSaidBeforeTheRun) {
  std::filesystem::create_directories(folder_ / "recordings/swing.json");
  const Output run = torsor({"run", file("swing.lua", pendulum), "--format", "csv"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot write 'recordings/swing.json'"));
  EXPECT_TRUE(written().empty());
}

TEST_F(Run, AModelThatCannotMoveWritesNothing) {
  std::string scene = pendulum;
  scene.replace(scene.find("mass = 1"), 8, "mass = 0");
  const Output run = torsor({"run", file("swing.lua", scene)});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("singular"), HasSubstr("hinge")));
  EXPECT_TRUE(written().empty());
}

}  // namespace
}  // namespace torsor::test
