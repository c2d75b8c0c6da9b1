// Tests of torsor_bench. The measurements are too short for meaningful times, and no test depends
// on a time.

#include <gmock/gmock.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.hpp"
#include "support/sanitized.hpp"
#include "torsor/handles/quantity.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const std::set<std::string> of_engine = {
    "kinematics",      "world_poses",          "frame_jacobian",
    "joint_jacobians", "joint_jacobian_rates", "centroidal_momentum",
    "joint_wrenches",  "torque_regressor",     "energies",
    "delassus_matrix"};

const std::set<std::string> quantities = [] {
  std::set<std::string> names = of_engine;
  names.insert(
      {"inverse_dynamics_partials", "forward_dynamics_partials", "inverse_dynamics_rates"});
  for (const QuantityRow& row : torsor::quantities)
    if (row.indices < 3) names.insert(row.name);
  return names;
}();

// Quantities that articulated_body does not offer and that the host cannot derive for it.
const std::set<std::string> derivatives = {"inverse_dynamics_partials", "forward_dynamics_partials",
                                           "inverse_dynamics_rates"};

class Bench : public Program {
 protected:
  Output bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--min-time", "1e-6"});
    return torsor(arguments);
  }
  // Runs torsor_bench with --json and returns the output. Checks the exit status.
  Json results(std::vector<std::string> arguments, int status = 0) {
    arguments.emplace_back("--json");
    const Output output = bench(arguments);
    EXPECT_EQ(output.exit_code, status) << output.err;
    return Json::parse(output.out);
  }
};

TEST_F(Bench, MeasuresTheOverheadOfAStudy) {
  const std::string scene = file("study.lua", R"(
local torsor = require "torsor"
local p = torsor.params{ angle = torsor.uniform(0, 1) }
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0} },
  inertia = { mass = 1, com = {0, 0, -1}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } } }
arm:set{ q = { p.angle } }
arm:control("pid", { reference = { q = {0} }, kp = 10, rate = 100 })
local world = torsor.world()
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 0.01 }, duration = 0.1, record = { "arm.q" } }
)");
  const Json study = results({"--study", "3", scene})["studies"][0];
  EXPECT_EQ(study["scene"], scene);
  for (const char* time : {"loop_ms", "sample_ms", "loading_ms"}) EXPECT_GT(study[time], 0) << time;
  EXPECT_GT(study["sample_ms"], study["loading_ms"]);
  EXPECT_THAT(bench({"--study", "1"}).err, HasSubstr("--study measures scenes: give the files"));
}

template <class Visit>
void each_cell(const Json& results, Visit visit) {
  for (const Json& robot : results["robots"])
    for (const Json& row : robot["rows"])
      for (const Json& cell : row["cells"]) visit(robot, row, cell);
}

const Json* find_cell(const Json& row, const std::string& name) {
  for (const Json& cell : row["cells"])
    if (cell["name"] == name) return &cell;
  return nullptr;
}

std::set<std::string> names(const Json& list) {
  std::set<std::string> names;
  for (const Json& entry : list) names.insert(entry["name"]);
  return names;
}

void expect_memory(const Json& memory) {
  for (const char* size : {"model", "state", "state_of_batch"}) EXPECT_GT(memory[size], 0) << size;
  EXPECT_LT(memory["state_of_batch"], memory["state"]);
  for (const char* solver : {"newton_euler", "articulated_body"}) {
    const Json& bytes = memory["solvers"][solver];
    EXPECT_GT(bytes["work_area"], 0) << solver;
    EXPECT_GT(bytes["prepared"], bytes["work_area"]) << solver;
    EXPECT_GT(bytes["batch"], 0) << solver;
  }
}

TEST_F(Bench, MeasuresEveryQuantityOfEverySolverInBothForms) {
  const Json out = results({"chain:3", "tree:2", "--repetitions", "3"});
  ASSERT_EQ(names(out["robots"]), (std::set<std::string>{"chain3", "tree2"}));
  for (const Json& robot : out["robots"]) {
    std::set<std::string> seen;
    for (const Json& row : robot["rows"]) {
      seen.insert(row["quantity"]);
      std::set<std::string> measured;
      for (const Json& cell : row["cells"])
        if (cell.contains("ns"))
          measured.insert(cell["name"].get<std::string>() + " " + cell["form"].get<std::string>());
      if (of_engine.contains(row["quantity"]))
        EXPECT_TRUE(measured.contains("engine total")) << row;
      else
        for (const char* solver : {"newton_euler", "articulated_body"})
          for (const char* form : {" total", " solver only"})
            EXPECT_EQ(
                measured.contains(solver + std::string(form)),
                solver == std::string("newton_euler") || !derivatives.contains(row["quantity"]))
                << row["quantity"] << " of " << solver;
    }
    EXPECT_EQ(seen, quantities);
    expect_memory(robot["memory"]);
  }
  EXPECT_TRUE(out["build"].contains("compiler") && out["build"].contains("portable") &&
              out["machine"].contains("processor"));
}

TEST_F(Bench, CountsTheOperationsOfKernels) {
  const Json out = results({"chain:3", "tree:2", "--operations", "--repetitions", "1"});
  for (const char* rate : {"multiply_add_latency_ns", "division_latency_ns", "multiply_adds_per_ns",
                           "divisions_per_ns", "loads_per_ns", "stores_per_ns"})
    EXPECT_GT(out["machine"][rate], 0) << rate;
  ASSERT_EQ(names(out["robots"]), (std::set<std::string>{"chain3", "tree2"}));
  for (const Json& robot : out["robots"]) {
    EXPECT_EQ(robot["rows"].size(), 6u);
    for (const Json& row : robot["rows"])
      for (const char* number : {"products", "sums", "path", "numbers_of_state", "numbers_written",
                                 "path_bound_ns", "rates_bound_ns", "ns"})
        EXPECT_GT(row[number], 0) << row;
  }
  const Output table = bench({"chain:3", "--operations", "--repetitions", "1"});
  EXPECT_THAT(table.out, testing::AllOf(HasSubstr("this machine: "), HasSubstr("chain3: 3 moving"),
                                        HasSubstr("inverse_dynamics ")));
}

// Checks the output of --abi. The program itself checks that the three results have the same bits.
TEST_F(Bench, PrintsTheCostOfThePluginInterface) {
  const Output output = torsor({source("scripts/robots/iiwa.lua").string(), "--abi"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out,
              testing::MatchesRegex(
                  "iiwa: inverse dynamics of newton_euler: linked in [0-9.]+ ns, through the "
                  "plugin's table [0-9.]+ ns .*, through the host [0-9.]+ ns .*\n"));
}

TEST_F(Bench, TheTableShowsTheSizeOfTheRobot) {
  const Output output = torsor({"chain:3", "--quantity", "mass_matrix", "--repetitions", "1"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, testing::StartsWith("chain3: 3 moving bodies, 3 dof"));
}

TEST_F(Bench, MarksDerivedQuantities) {
  const Json out =
      results({"chain:2", "--quantity", "mass_matrix,forward_dynamics", "--repetitions", "1"});
  const auto capability = [&](int row, const char* solver) {
    return (*find_cell(out["robots"][0]["rows"][row], solver))["capability"];
  };
  EXPECT_EQ(out["robots"][0]["rows"][0]["quantity"], "forward_dynamics");
  EXPECT_EQ(capability(0, "newton_euler"), "derived");
  EXPECT_EQ(capability(0, "articulated_body"), "offered");
  EXPECT_EQ(capability(1, "newton_euler"), "offered");
}

TEST_F(Bench, TimesAreMediansAndRatiosAreTheirQuotients) {
  const Json out = results({"chain:2", "--repetitions", "4"});
  int quotients = 0;
  each_cell(out, [&](const Json&, const Json& row, const Json& cell) {
    if (!cell.contains("ns")) {
      EXPECT_FALSE(cell["reason"].get<std::string>().empty()) << cell;
      EXPECT_FALSE(cell["not_measured"].get<std::string>().empty()) << cell;
      return;
    }
    std::vector<double> times = cell["ns_of_repetitions"];
    ASSERT_EQ(times.size(), 4u);
    std::sort(times.begin(), times.end());
    EXPECT_GT(times[0], 0);
    EXPECT_DOUBLE_EQ(cell["ns"].get<double>(), (times[1] + times[2]) / 2);
    if (cell["kind"] == "peer") return;
    for (const auto& [peer, ratio] : cell["ratio"].items()) {
      EXPECT_DOUBLE_EQ(ratio.get<double>(),
                       cell["ns"].get<double>() / (*find_cell(row, peer))["ns"].get<double>());
      ++quotients;
    }
  });
  EXPECT_TRUE(quotients > 0 || out["peers"].empty());
}

// Checks the exponent of growth. For three sizes that are equidistant on a logarithmic axis, the
// least-squares line has the slope between the first and the last.
TEST_F(Bench, GrowthIsTheSlopeInTheLogarithms) {
  const Json out = results({"chain:10", "chain:20", "chain:40", "--repetitions", "1"});
  std::set<std::string> fitted;
  for (const Json& growth : out["growth"]) {
    const auto time = [&](int robot) {
      for (const Json& row : out["robots"][robot]["rows"])
        if (row["quantity"] == growth["quantity"])
          return (*find_cell(row, growth["name"]))["ns"].get<double>();
      return std::nan("");
    };
    EXPECT_NEAR(growth["exponent"].get<double>(), std::log(time(2) / time(0)) / std::log(4.0),
                1e-12)
        << growth;
    EXPECT_EQ(growth["bodies"], (Json{10, 40}));
    fitted.insert(growth["quantity"].get<std::string>());
  }
  EXPECT_EQ(fitted, quantities);
}

#if TORSOR_BENCH_HAS_PEERS
// Checks that all libraries agree with Torsor in 64 states of each robot. This also tests Torsor.
TEST_F(Bench, OtherLibrariesAgree) {
  const Json out = results({"chain:6", "tree:7", source("scripts/robots/scara.lua"),
                            source("tests/reference/tree15.urdf"), "--repetitions", "1"});
  ASSERT_FALSE(out["peers"].empty());
  std::set<std::string> compared;
  each_cell(out, [&](const Json& robot, const Json& row, const Json& cell) {
    if (cell["kind"] != "peer") return;
    EXPECT_NE(cell.value("not_measured", ""), "differs")
        << robot["name"] << row["quantity"] << cell;
    EXPECT_NE(cell.value("not_measured", ""), "failed") << robot["name"] << row["quantity"] << cell;
    if (cell.contains("ns"))
      compared.insert(cell["name"].get<std::string>() + " " + robot["name"].get<std::string>() +
                      " " + row["quantity"].get<std::string>());
  });
  for (const std::string& peer : names(out["peers"]))
    for (const char* what :
         {" chain6 inverse_dynamics", " chain6 forward_dynamics", " chain6 mass_matrix",
          " tree7 inverse_dynamics", " tree15 inverse_dynamics"})
      EXPECT_TRUE(compared.contains(peer + what)) << peer << what;
}

// Checks that the picture of a robot from a file has a bar for each quantity with a library.
TEST_F(Bench, PlotsTheRatiosToTheFastestLibrary) {
  const Json out = results({source("tests/reference/tree15.urdf"), "--quantity",
                            "mass_matrix,gravity,inverse_dynamics_rates", "--repetitions", "1",
                            "--plot", "ratio.svg"});
  const std::string picture = read("ratio.svg");
  for (const Json& row : out["robots"][0]["rows"]) {
    const std::string quantity = row["quantity"];
    EXPECT_EQ(picture.find(">" + quantity + "<") != std::string::npos, row.contains("fastest"))
        << quantity;
    if (!row.contains("fastest")) continue;
    const auto time = [&](const char* who) {
      return (*find_cell(row, row["fastest"][who]))["ns"].get<double>();
    };
    EXPECT_DOUBLE_EQ(row["fastest"]["ratio"].get<double>(), time("torsor") / time("library"));
    for (const Json& cell : row["cells"]) {
      if (cell["kind"] != "peer" || !cell.contains("ns")) continue;
      EXPECT_GE(cell["ns"].get<double>(), time("library"));
    }
  }
}
#endif

// Checks that solvers with torsor.solver.batch have a column of times per state, and that its
// values were compared.
TEST_F(Bench, MeasuresBatches) {
  const Json out = results({"chain:3", "--quantity", "inverse_dynamics,mass_matrix", "--solver",
                            "newton_euler,lie_group", "--repetitions", "1"});
  for (const Json& row : out["robots"][0]["rows"]) {
    const Json* cell = find_cell(row, "newton_euler batch");
    ASSERT_NE(cell, nullptr) << row;
    EXPECT_EQ((*cell)["form"], "batch");
    EXPECT_GT((*cell)["ns"], 0);
    EXPECT_EQ(find_cell(row, "lie_group batch"), nullptr);
    EXPECT_EQ(find_cell(row, "engine batch"), nullptr);
  }
}

TEST_F(Bench, MeasuresTheRegressorsOfABatch) {
  const Json out = results({"tree:7", "--quantity", "torque_regressor", "--repetitions", "1"});
  const Json& row = out["robots"][0]["rows"][0];
  const Json* cell = find_cell(row, "engine batch");
  ASSERT_NE(cell, nullptr) << row;
  EXPECT_EQ((*cell)["form"], "batch");
  EXPECT_GT((*cell)["ns"], 0);
}

// Checks the rows of --simulation: rk4, each boolean parameter of the scene, recording, the other
// integrators. Libraries make the same motion, except for dry friction, which is soft in MuJoCo.
TEST_F(Bench, MeasuresTheCostOfFeaturesOfAStep) {
  const std::string scene = source("tests/bench/scenes/iiwa_features.lua").string();
  const Json out = results({"--simulation", "20", scene, "chain:2", "--repetitions", "1"});
  const auto features = [&](int k) {
    std::vector<std::string> names;
    for (const Json& row : out["simulations"][k]["rows"]) {
      names.push_back(row["feature"]);
      EXPECT_GT(row["ns_per_step"], 0) << row;
      for (const Json& step : row.value("libraries", Json::object())) {
        const bool soft = names.back() == "rk4, coulomb_friction";
        if (soft)
          EXPECT_GT(step["difference"], 1e-6) << row;
        else
          EXPECT_LT(step["difference"], 1e-11) << row;
      }
    }
    return names;
  };
  const std::vector<std::string> common = {"rk4, checks of a run",
                                           "rk4, checks, recorded in each step",
                                           "euler",
                                           "semi_implicit_euler",
                                           "time_stepping",
                                           "implicit_midpoint",
                                           "dormand_prince",
                                           "fehlberg",
                                           "dirk",
                                           "bdf"};
  std::vector<std::string> expected = {"rk4", "rk4, computed_torque", "rk4, coulomb_friction",
                                       "rk4, gravity_pd", "rk4, viscous_friction"};
  expected.insert(expected.end(), common.begin(), common.end());
  EXPECT_EQ(features(0), expected);
  expected.erase(expected.begin() + 1, expected.begin() + 5);
  EXPECT_EQ(features(1), expected);
  EXPECT_THAT(bench({"--simulation", "1"}).err, HasSubstr("--simulation measures scenes"));
}

TEST_F(Bench, ASolverThatCrashesEndsItAndIsNamed) {
  TORSOR_NEEDS_OWN_FAULT_REPORTS();
  setenv("BREAK_IN", "prepare segfault", 1);
  const Output output = bench({"chain:1", "--plugins", TEST_PLUGINS "breaking.so", "--solver",
                               "breaking", "--quantity", "inverse_dynamics", "--repetitions", "1"});
  unsetenv("BREAK_IN");
  EXPECT_THAT(output.err, HasSubstr("torsor: solver 'solver.breaking' crashed in prepare"));
  EXPECT_EQ(output.exit_code, 3);
}

// Checks a solver that fails although the reference does not. If the reference fails too, this is
// not a fault (NamesUnsupportedRobots).
TEST_F(Bench, ASolverThatFailsIsAnErrorAfterTheRestIsMeasured) {
  const Output output =
      bench({"chain:2", "--plugins", TORSOR_WRONG_SOLVER, "--solver", "failing,newton_euler",
             "--quantity", "inverse_dynamics", "--repetitions", "1", "--json"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err,
              HasSubstr("\ntorsor: chain2: inverse_dynamics of failing: solver 'solver.failing' "
                        "failed in inverse at joint 'joint0': "));
  EXPECT_TRUE(output.err.ends_with("; 2 such faults in all\n")) << output.err;
  const Json row = Json::parse(output.out)["robots"][0]["rows"][0];
  EXPECT_EQ((*find_cell(row, "failing"))["not_measured"], "failed");
  EXPECT_TRUE(find_cell(row, "newton_euler")->contains("ns"));
}

// Checks that the folder of the picture is created, as by run, sweep and plot.
TEST_F(Bench, CreatesFolders) {
  const Output output = bench(
      {"chain:1", "--quantity", "gravity", "--repetitions", "1", "--plot", "no/such/out.svg"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_FALSE(read("no/such/out.svg").empty());
}

TEST_F(Bench, WrongValuesAreAnErrorAndNotTimed) {
  const std::vector<std::string> run = {"chain:2",
                                        "--plugins",
                                        TORSOR_WRONG_SOLVER,
                                        "--solver",
                                        "wrong,newton_euler",
                                        "--quantity",
                                        "inverse_dynamics,gravity,kinematics",
                                        "--repetitions",
                                        "1"};
  const Output output = bench(run);
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(
      output.err,
      HasSubstr("torsor: chain2: inverse_dynamics of wrong: differs from the reference by"));
  EXPECT_THAT(output.out,
              HasSubstr("not measured: gravity of wrong: differs from the reference by"));
  const Json out = results(run, 1);
  each_cell(out, [](const Json&, const Json&, const Json& cell) {
    EXPECT_EQ(cell.contains("ns"), cell["name"] == "newton_euler" ||
                                       cell["name"] == "newton_euler batch" ||
                                       cell["name"] == "engine" || cell["kind"] == "peer");
    if (cell["name"] == "wrong") {
      EXPECT_EQ(cell["not_measured"], "differs");
    }
  });
}

// Checks a robot without mass, whose torques are all zero. The error has no norm to be compared
// with.
TEST_F(Bench, WrongValuesOfAZeroReferenceHaveASize) {
  const std::string massless =
      file("screw.urdf", R"(<robot name='screw'><link name='base'/><link name='arm'/>
    <joint name='hinge' type='continuous'><parent link='base'/><child link='arm'/></joint></robot>)");
  const Output output =
      bench({massless, "--plugins", TORSOR_WRONG_SOLVER, "--solver", "wrong,newton_euler",
             "--quantity", "inverse_dynamics", "--repetitions", "1"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err,
              testing::ContainsRegex("screw: inverse_dynamics of wrong: has the norm "
                                     "[1-9][0-9.]*e[-+][0-9]+ in state 0, where the reference is "
                                     "zero"));
}

// Checks vertical hinges in tilted frames: their gravity torques are only rounding errors.
TEST_F(Bench, RoundingErrorsAreNoDifference) {
  const std::string level = file("level.lua", R"(local torsor = require "torsor"
    local arm, tilt = torsor.robot{ name = "level" }, 0
    for i = 1, 3 do
      tilt = tilt + 0.4
      arm:link{ name = "l" .. i, parent = i > 1 and "l" .. i - 1 or nil, origin = { xyz = {0.3, 0.1, 0}, rpy = {0.4, 0, 0} },
                joint = { "revolute", name = "j" .. i, axis = {0, math.sin(tilt), math.cos(tilt)} },
                inertia = { mass = 1, com = {0.1, 0.2, 0.3}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
    end
    return arm)");
  each_cell(results({level, "--quantity", "gravity,bias", "--repetitions", "1"}),
            [](const Json&, const Json& row, const Json& cell) {
              EXPECT_NE(cell.value("not_measured", ""), "differs")
                  << row["quantity"] << " of " << cell;
            });
}

TEST_F(Bench, ReportsCallsThatTakeTooLong) {
  const Json out = results({"chain:2", "--slowest", "0", "--repetitions", "1"});
  each_cell(out, [](const Json&, const Json& row, const Json& cell) {
    if (cell["kind"] == "solver" && cell["not_measured"] != "not offered") {
      EXPECT_EQ(cell["not_measured"], "too slow") << row["quantity"];
    }
  });
}

// Checks a robot without mass, which has no forward dynamics. Also checks a helical joint: of the
// other libraries, only Pinocchio supports it.
TEST_F(Bench, NamesUnsupportedRobots) {
  const std::string screw =
      file("screw.urdf", R"(<robot name='screw'><link name='base'/><link name='arm'/>
    <joint name='hinge' type='continuous'><parent link='base'/><child link='arm'/></joint></robot>)");
  const Json massless =
      results({screw, "--quantity", "forward_dynamics,inverse_dynamics", "--repetitions", "1"});
  const Json& rows = massless["robots"][0]["rows"];
  EXPECT_EQ((*find_cell(rows[1], "newton_euler"))["not_measured"], "failed");
  EXPECT_THAT((*find_cell(rows[1], "newton_euler"))["reason"].get<std::string>(),
              HasSubstr("joint 'hinge' moves no inertia"));

  const std::string helical = file("helical.lua", R"(local torsor = require "torsor"
    local arm = torsor.robot{ name = "screw" }
    arm:link{ name = "nut", joint = { "helical", name = "thread", axis = {0, 0, 1}, pitch = 0.01 },
              inertia = { mass = 1, com = {0, 0.1, 0}, about_com = { Ixx = 1e-2, Iyy = 1e-2, Izz = 1e-2 } } }
    return arm)");
  each_cell(results({helical, "--repetitions", "1"}),
            [](const Json&, const Json& row, const Json& cell) {
              if (cell["kind"] == "peer" && cell["name"] != "Pinocchio") {
                EXPECT_EQ(cell["reason"], "has no joint like 'thread'");
              } else if (cell["kind"] != "engine" && cell["form"] != "batch") {
                EXPECT_TRUE(cell.contains("ns") || derivatives.contains(row["quantity"])) << cell;
              }
            });
}

TEST_F(Bench, PlotsEveryColumnOfEveryQuantity) {
  const Json out =
      results({"chain:1", "chain:3", "tree:3", "--plot", "cost.svg", "--repetitions", "1"});
  size_t lines = 0;
  for (const Json& row : out["robots"][0]["rows"])
    for (const Json& cell : row["cells"])
      lines += cell.contains("ns") && cell["form"] != "solver only";
  tinyxml2::XMLDocument picture;
  ASSERT_EQ(picture.Parse(read("cost.svg").c_str()), tinyxml2::XML_SUCCESS);
  size_t drawn = 0;
  std::set<std::string> texts;
  for (const auto* e = picture.RootElement()->FirstChildElement(); e; e = e->NextSiblingElement()) {
    drawn += std::string(e->Name()) == "polyline";
    if (e->GetText()) texts.insert(e->GetText());
  }
  EXPECT_EQ(drawn, lines);
  for (const std::string& quantity : quantities) EXPECT_TRUE(texts.contains(quantity)) << quantity;
  for (const char* text : {"moving bodies", "1 µs", "newton_euler", "articulated_body"})
    EXPECT_TRUE(texts.contains(text)) << text;
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string said;
};
class BenchMistake : public Bench, public testing::WithParamInterface<Mistake> {};

TEST_P(BenchMistake, IsOneLine) {
  const Output output = bench(GetParam().arguments);
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, HasSubstr(GetParam().said));
  EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
  EXPECT_TRUE(output.err.starts_with("torsor: "));
}

INSTANTIATE_TEST_SUITE_P(
    , BenchMistake,
    testing::Values(
        Mistake{{"iiwa"}, "'iiwa': a robot is a .urdf, "},
        Mistake{{"chain"}, "did you mean 'chains'?"}, Mistake{{""}, "'': a robot is"},
        Mistake{{"no_such.urdf"}, "no_such.urdf"}, Mistake{{"no_such.lua"}, "no_such.lua"},
        Mistake{{"chain:0"}, "'chain:0': the number of bodies is 1 to"},
        Mistake{{"tree:1e3"}, "'tree:1e3': the number of bodies is 1 to"},
        Mistake{{"chain:99999999999"}, "the number of bodies is 1 to"},
        Mistake{{"--quantity", "mass_matrx"}, "; did you mean 'mass_matrix'?"},
        Mistake{{"--solver", "newton_eule"}, "did you mean 'newton_euler'?"},
        Mistake{{"--pots", "x"},
                "there is no option '--pots'; did you mean '--plot'? (see 'torsor bench --help')"},
        Mistake{{"--simbenchmark", "bouncin"}, "there is no task 'bouncin'; there are rolling_xy"},
        Mistake{{"--repetitions", "0"}, "--repetitions"},
        Mistake{{"--slowest", "nan"}, "--slowest"}, Mistake{{"--plugins", "nowhere"}, "nowhere"},
        Mistake{{"chain:1", "--plot", "/dev/null/out.svg"},
                "cannot write '/dev/null': Not a directory"},
        Mistake{{"chain:1", "--plot", "y.png"}, "--plot 'y.png': the name must end in .svg"}));

#if !TORSOR_BENCH_HAS_PEERS
INSTANTIATE_TEST_SUITE_P(WithoutLibraries, BenchMistake,
                         testing::Values(Mistake{
                             {TORSOR_SOURCE_DIR "/scripts/robots/iiwa.lua", "--plot", "x.svg"},
                             "add chains or trees"}));
#endif

}  // namespace
}  // namespace torsor::test
