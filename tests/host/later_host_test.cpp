// Tests of a host of a later minor version of the ABI. Its structs have one more member than those
// of plugins that are built with the headers of this repository. The rooms that use the ABI are
// compiled into this program with the later headers.

#include "torsor/model/random_robot.hpp"
#include "torsor/sdk/ext/solver.hpp"
#include "version_cases.hpp"

namespace torsor::host_test {
namespace {

static_assert(offsetof(torsor_solver, later_member) >= sdk::minimal_size<torsor_solver>);
static_assert(offsetof(torsor_sizes, later_member) >= sdk::minimal_size<torsor_sizes>);

TEST(LaterHost, PluginsOfThePreviousVersionWork) {
  expect_layered_plugins_work(Registry({plugin("versions")}));
  expect_plain_plugins_work(Registry({plugin("rebuilt")}));
}

TEST(LaterHost, PluginsOfItsOwnVersionWork) {
  const Registry registry({plugin("later_versions")});
  expect_layered_plugins_work(registry);
  EXPECT_NO_THROW(registry.solver("careless", pendulum_model(1, 1)));
  EXPECT_NO_THROW(registry.make<Trajectory>("careless", pendulum_model(1, 1)));
  Solver solver = registry.solver("careless_rates", pendulum_model(1, 1));
  double values[5] = {};
  const double vdot = 0;
  EXPECT_TRUE(solver.equation_rates(State(pendulum_model(1, 1)), {0, &vdot},
                                    {&values[0], &values[1], &values[2], &values[3], &values[4]}));
  EXPECT_EQ(values[4], 5);
}

TEST(LaterHost, ThePluginsOfThisRepositoryWork) {
  const Registry registry({SHIPPED_PLUGINS});
  EXPECT_TRUE(registry.skipped().empty());
  const auto model = build(random_robot(5, TreeShape::tree, 3));
  State state(model);
  for (size_t k = 0; k < state.v.size(); ++k) state.v[k] = 0.3 * double(k + 1);
  const std::vector<double> vdot(state.v.size(), 1.5);
  std::vector<double> expected(vdot.size()), tau(vdot.size());
  ASSERT_TRUE(registry.solver("newton_euler", model).inverse(state, vdot.data(), expected.data()));
  for (const char* id : {"articulated_body", "lie_group", "lagrange_christoffel"}) {
    ASSERT_TRUE(registry.solver(id, model).inverse(state, vdot.data(), tau.data())) << id;
    for (size_t k = 0; k < tau.size(); ++k)
      EXPECT_NEAR(tau[k], expected[k], 1e-10 * (1 + std::abs(expected[k]))) << id;
  }
}

}  // namespace
}  // namespace torsor::host_test
