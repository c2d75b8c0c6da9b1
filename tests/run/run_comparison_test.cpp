// Tests of compare = {...} during a run. An exact solver agrees on every row. A faulty solver is
// reported with the time of the disagreement.

#include "torsor/run/run_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "handles/table_force.hpp"
#include "simulation/forces.hpp"
#include "support/agreement.hpp"
#include "support/table_solver.hpp"
#include "torsor/run/describe.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Returns an experiment of 0.1 s with a row every 0.02 s.
Experiment short_swing(const std::vector<std::string>& compare) {
  Experiment experiment = swing(compare);
  experiment.duration = 0.1;
  experiment.record_interval = 0.02;
  return experiment;
}

// Computes exact accelerations until t = 0.05 s. After that, the first one is wrong by 1 %.
torsor_status late_fault(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                         const double* tau, double* work, double* vdot) {
  const torsor_status status = dense_solver_table().forward(p, m, s, tau, work, vdot);
  if (s->time > 0.05) vdot[0] *= 1.01;
  return status;
}
torsor_status late_failure(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                           double* work, double* g_out) {
  return s->time > 0.07 ? TORSOR_INTERNAL : dense_solver_table().gravity(p, m, s, work, g_out);
}

SolverSource with_faulty() {
  return [](const std::string& id, std::shared_ptr<const Model> model) {
    if (id != "faulty") return solver_source()(id, std::move(model));
    torsor_solver table = dense_solver_table();
    table.forward = late_fault;
    table.gravity = late_failure;
    return table_solver(table, std::move(model));
  };
}

std::vector<std::vector<double>> rows_of(Run& run) {
  std::vector<std::vector<double>> rows;
  run.execute([&](std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); },
              [](const Simulation&) { return true; });
  return rows;
}

TEST(RunComparison, CorrectSolversAgreeOnEveryRow) {
  Experiment experiment = short_swing({"solver.newton_euler"});
  for (const Compared quantity : all_compared)
    experiment.record.push_back(std::string("compare.") + name(quantity));
  torsor::Run run(with_solvers(experiment));
  EXPECT_EQ(run.columns()[1].name, "compare.tau.newton_euler");
  EXPECT_EQ(run.columns()[1].unit, "1");
  const auto rows = rows_of(run);
  ASSERT_EQ(rows.size(), 6u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 10u);
    for (size_t k = 1; k < row.size(); ++k) EXPECT_LE(row[k], 1e-10) << run.columns()[k].name;
  }
  ASSERT_NE(run.comparison(), nullptr);
  EXPECT_EQ(run.comparison()->rows(), 6);
  const auto json = describe(*run.comparison());
  for (const auto& worst : json["worst"]) EXPECT_EQ(worst["broken"], false) << worst;
}

TEST(RunComparison, AFaultySolverIsDetectedAtItsTime) {
  Experiment experiment = short_swing({"newton_euler", "faulty"});
  experiment.record = {"compare.vdot", "energy", "compare.g"};
  torsor::Run run(with_solvers(experiment, with_faulty()));
  EXPECT_EQ(run.columns()[2].name, "compare.vdot.faulty");
  const auto rows = rows_of(run);
  ASSERT_EQ(rows.size(), 6u);
  for (size_t k = 0; k < 6; ++k) {
    EXPECT_LT(rows[k][1], 1e-10);
    EXPECT_EQ(rows[k][2] > 1e-10, k >= 3) << rows[k][2];
    EXPECT_EQ(std::isinf(rows[k][17]), k >= 4) << "its gravity fails";
  }
  const RunComparison& comparison = *run.comparison();
  EXPECT_GE(comparison.worst(1, compared("vdot")).time, 0.06 - 1e-12);
  EXPECT_TRUE(comparison.worst(1, compared("vdot")).disagreement.broken());
  EXPECT_FALSE(comparison.worst(0, compared("vdot")).disagreement.broken());
  EXPECT_FALSE(comparison.worst(1, compared("M")).disagreement.broken());
  EXPECT_NEAR(comparison.worst(1, compared("g")).time, 0.08, 1e-12)
      << "the first row of its failure";
  EXPECT_THAT(comparison.worst(1, compared("g")).failure, HasSubstr("failed"));
  bool reported = false;
  const auto json = describe(comparison);
  for (const auto& worst : json["worst"])
    if (worst["solver"] == "faulty" && worst["quantity"] == "g") {
      reported =
          worst["broken"] == true && worst["disagreement"].is_null() && worst.contains("failure");
    }
  EXPECT_TRUE(reported);
}

std::vector<double> compared_vdot;

torsor_status noting_forward(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                             const double* tau, double* work, double* vdot) {
  const torsor_status status = dense_solver_table().forward(p, m, s, tau, work, vdot);
  compared_vdot.assign(vdot, vdot + m->n_v);
  return status;
}
SolverSource with_noting() {
  return [](const std::string& id, std::shared_ptr<const Model> model) {
    if (id != "noting") return solver_source()(id, std::move(model));
    torsor_solver table = dense_solver_table();
    table.forward = noting_forward;
    return table_solver(table, std::move(model));
  };
}

// Checks that a compared solver returns the acceleration of the run under all loads: wrenches and
// torques of forces, springs and frictions of joints, constraints, and rotors that move two joints.
TEST(RunComparison, IncludesAllLoads) {
  RobotDescription robot = planar_n_link(Vector::Ones(4), Vector::Ones(4));
  robot.name = "arm";
  Drive& first = robot.links[0].joint.drives.emplace_back();
  first.spring = {.stiffness = 40, .rest = 0.2};
  first.friction = {.law = Friction::Law::coulomb, .viscous = 0.3, .coulomb = 1, .breakaway = 1};
  // This joint sticks.
  robot.links[2].joint.drives.emplace_back().friction = {
      .law = Friction::Law::coulomb, .coulomb = 1e4, .breakaway = 1e4};
  robot.transmissions = {
      {.joints = {"joint2", "joint4"},
       .jacobian = {{0.5, 0.5}, {0.5, -0.5}},
       .motors = {{.rotor_inertia = 0.4, .friction = {}}, {.rotor_inertia = 0.1, .friction = {}}},
       .source = ""}};
  Experiment experiment = short_swing({"noting"});
  experiment.model = build(robot);
  experiment.q = {0.5, 0.2, -0.3, 0.1};
  experiment.v = {0, 1, 0, -1};
  experiment.load.tau = {1, 2, 3, 4};
  experiment.load.forces = {force("spring_damper", experiment.model,
                                  {{"from", "world"},
                                   {"to", "link3"},
                                   {"stiffness", 300.0},
                                   {"damping", 2.0},
                                   {"rest_length", 0.5}}),
                            table_force(experiment.model, [](const torsor_state& state, const auto&,
                                                             const double*, torsor_force_out& out) {
                              out.tau[1] = 7 - state.v[1];
                              return TORSOR_OK;
                            })};
  experiment.record = {"compare.vdot", "compare.tau"};
  torsor::Run run(with_solvers(experiment, with_noting()));
  int rows = 0;
  run.execute(
      [&](std::span<const double> row) {
        Simulation& simulation = run.simulation();
        const auto vdot = simulation.acceleration();
        ASSERT_EQ(compared_vdot.size(), 4u);
        EXPECT_TRUE(agree(Vector::Map(compared_vdot.data(), 4), Vector::Map(vdot.data(), 4)));
        EXPECT_LE(row[1], 1e-10);
        EXPECT_LE(row[2], 1e-10);
        EXPECT_EQ(simulation.state().v[2], 0) << "held";
        ++rows;
      },
      [](const Simulation&) { return true; });
  EXPECT_EQ(rows, 6);
  EXPECT_GT(run.simulation().energy().elastic, 10);
}

// Checks that the comparison does not change the motion.
TEST(RunComparison, DoesNotChangeTheMotion) {
  torsor::Run alone(with_solvers(short_swing({}))),
      watched(with_solvers(short_swing({"newton_euler"})));
  rows_of(alone);
  rows_of(watched);
  EXPECT_EQ(alone.comparison(), nullptr);
  EXPECT_EQ(alone.simulation().state_hash(), watched.simulation().state_hash());
}

TEST(RunComparison, NamesAreChecked) {
  const auto error = [](const std::vector<std::string>& compare) -> std::string {
    try {
      torsor::Run run(with_solvers(short_swing(compare)));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error({"newton_eulr"}),
              AllOf(HasSubstr("compare: "), HasSubstr("did you mean 'newton_euler'")));
  EXPECT_THAT(error({"solver.articulated_body"}), HasSubstr("the solver of the experiment"));
  EXPECT_THAT(error({"newton_euler", "solver.newton_euler"}), HasSubstr("twice"));
}

TEST(RunComparison, SignalsNeedSolversToCompare) {
  const auto error = [](const std::vector<std::string>& signals,
                        const std::vector<std::string>& compared,
                        RobotDescription robot = pendulum()) -> std::string {
    try {
      Recorder(*build(robot), signals, compared);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error({"compare.vdot"}, {}), HasSubstr("compare = { \"newton_euler\" }"));
  EXPECT_THAT(error({"compare.vdt"}, {"newton_euler"}), HasSubstr("did you mean 'compare.vdot'"));
  EXPECT_THAT(error({"compare.vdot", "compare.vdot"}, {"newton_euler"}), HasSubstr("twice"));
  EXPECT_EQ(error(Recorder::signals(*build(pendulum()), true), {"newton_euler"}), "no error");
  RobotDescription named = pendulum();
  named.name = "compare";
  EXPECT_THAT(error({"compare.vdot"}, {"newton_euler"}, named), HasSubstr("rename the robot"));
  EXPECT_EQ(error({"compare.vdot"}, {}, named), "no error");
}

}  // namespace
}  // namespace torsor::test
