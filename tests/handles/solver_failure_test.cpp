// Tests of failures of solvers. Each must be rejected with the reason of the plugin, or return a
// status that names the joint. No failure may give a wrong number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/random_state.hpp"
#include "support/table_solver.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string rejection(const std::function<void(TableSolver&)>& prepare,
                      torsor_solver table = dense_solver_table()) {
  auto plugin = std::make_unique<TableSolver>(table);
  prepare(*plugin);
  try {
    Solver solver({std::move(plugin)}, build(random_robot(2, Shape::chain, 1)));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SolverFailure, AModelThatIsNotSupported) {
  EXPECT_THAT(
      rejection([](TableSolver& plugin) {
        plugin.prepare_status = TORSOR_UNSUPPORTED;
        plugin.reason = "made for one joint";
      }),
      AllOf(HasSubstr("solver.table"), HasSubstr("does not support this model: made for one joint"),
            Not(HasSubstr("\n"))));
}

TEST(SolverFailure, APreparationThatFails) {
  EXPECT_THAT(rejection([](TableSolver& plugin) {
                plugin.prepare_status = TORSOR_INTERNAL;
                plugin.reason = "out of memory";
              }),
              HasSubstr("solver 'solver.table' failed in prepare: out of memory"));
}

TEST(SolverFailure, ARejectionWithoutAReason) {
  EXPECT_THAT(rejection([](TableSolver& plugin) { plugin.prepare_status = TORSOR_INTERNAL; }),
              AllOf(HasSubstr("solver.table"), HasSubstr("without a reason")));
}

TEST(SolverFailure, APluginThatIsNoSolver) {
  EXPECT_THAT(rejection([](TableSolver& plugin) { plugin.has_interface = false; }),
              HasSubstr("torsor.solver/1"));
}

TEST(SolverFailure, ATableWithoutDynamics) {
  torsor_solver table = dense_solver_table();
  table.inverse = nullptr;
  table.forward = nullptr;
  EXPECT_THAT(rejection([](TableSolver&) {}, table), HasSubstr("neither inverse nor forward"));
}

torsor_status second_is_nan(const torsor_plugin*, const torsor_model* model, const torsor_state*,
                            const double*, double*, double* tau) {
  std::fill_n(tau, model->n_v, 1.0);
  tau[1] = std::numeric_limits<double>::quiet_NaN();
  return TORSOR_OK;
}

// Checks a NaN in a result of the plugin, also in quantities that the host derives from it.
TEST(SolverFailure, AResultThatIsNotFiniteNamesItsJoint) {
  const auto model = build(random_robot(3, Shape::chain, 1));
  torsor_solver table{};
  table.struct_size = sizeof table;
  table.inverse = second_is_nan;
  Solver solver = table_solver(table, model);
  const State state(model);
  std::vector<double> in(3, 0.0), out(9);
  for (const Status status :
       {solver.inverse(state, in.data(), out.data()), solver.forward(state, in.data(), out.data()),
        solver.mass_matrix(state, out.data()), solver.bias(state, out.data())}) {
    ASSERT_FALSE(status);
    EXPECT_THAT(solver.explain(status),
                AllOf(HasSubstr("'" + model->joints[1].name + "'"), HasSubstr("not a finite")));
  }
}

// Inverse dynamics tau = vdot - f with a field f of 1e308, so that forward dynamics can overflow.
torsor_status strong_field(const torsor_plugin*, const torsor_model* model,
                           const torsor_state* state, const double* vdot, double*, double* tau) {
  for (int k = 0; k < model->n_v; ++k) tau[k] = vdot[k] - (state->A_W[5] != 0 ? 1e308 : 0);
  return TORSOR_OK;
}

// Checks a derived result that overflows although all results of the plugin are finite.
TEST(SolverFailure, ADerivedResultThatIsNotFinite) {
  const auto model = build(random_robot(3, Shape::chain, 1));
  torsor_solver table{};
  table.struct_size = sizeof table;
  table.inverse = strong_field;
  Solver solver = table_solver(table, model);
  const State state(model);
  std::vector<double> tau{0, 1e308, 0}, out(3);
  const Status status = solver.forward(state, tau.data(), out.data());
  ASSERT_FALSE(status);
  EXPECT_THAT(solver.explain(status), HasSubstr("is not a finite number"));
}

torsor_status broken(const torsor_plugin*, const torsor_model*, const torsor_state*, const double*,
                     double*, double*) {
  return TORSOR_INTERNAL;
}

TEST(SolverFailure, APluginThatFailsIsQuoted) {
  const auto model = build(random_robot(2, Shape::chain, 1));
  torsor_solver table{};
  table.struct_size = sizeof table;
  table.inverse = broken;
  auto plugin = std::make_unique<TableSolver>(table);
  plugin->reason = "out of paper";
  Solver solver({std::move(plugin)}, model);
  double in[2] = {}, out[2];
  const Status status = solver.inverse(State(model), in, out);
  ASSERT_FALSE(status);
  EXPECT_EQ(solver.explain(status), "solver 'solver.table' failed in inverse: out of paper");
  EXPECT_EQ(solver.explain({TORSOR_BAD_ARGUMENT}), "bad argument")
      << "which is not of this solver's";
}

// Checks a last link without mass and inertia: M is singular at its joint, which the derived
// forward dynamics must report.
TEST(SolverFailure, SingularMassMatrixNamesTheJoint) {
  RobotDescription robot = random_robot(4, Shape::chain, 2);
  for (LinkDescription& link : robot.links)
    if (link.name == "link3") {
      link.inertia = SpatialInertia<double>::zero();
      link.joint.armature = 0;
    }
  const auto model = build(robot);
  torsor_solver table{};
  table.struct_size = sizeof table;
  table.inverse = dense_solver_table().inverse;
  Solver solver = table_solver(table, model);
  Random random(2);
  const State state = random_state(model, random);
  std::vector<double> tau(4, 1.0), out(16);
  EXPECT_TRUE(solver.inverse(state, tau.data(), out.data()));
  for (const Status status : {solver.forward(state, tau.data(), out.data()),
                              solver.inverse_mass_matrix(state, out.data())}) {
    EXPECT_EQ(TORSOR_STATUS_CODE(status.value), TORSOR_SINGULAR);
    EXPECT_THAT(solver.explain(status), AllOf(HasSubstr("singular"), HasSubstr("'joint3'")));
  }
}

}  // namespace
}  // namespace torsor::test
