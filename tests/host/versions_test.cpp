// Tests of plugins of a later minor version of the ABI, whose structs have one more member at the
// end.

#include <array>
#include <set>

#include "torsor/loading/descriptor.hpp"
#include "torsor/plugin/plugin_kind.hpp"
#include "torsor/sdk/ext/solver_rates.h"
#include "version_cases.hpp"

namespace torsor::host_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// Checks that the files which are called by these tests, and by those of faults, have a plugin of
// each kind.
TEST(Versions, TheFilesHaveAPluginOfEachKind) {
  for (const char* file : {"versions", "later_versions", "rebuilt", "breaking", "misbehaving"}) {
    std::set<std::string> kinds;
    const Registry registry({plugin(file)});
    for (const PluginInfo& info : registry.plugins()) kinds.emplace(info.kind());
    EXPECT_THAT(kinds, ::testing::UnorderedElementsAreArray(plugin_kind_names())) << file;
  }
}

TEST(Versions, PluginsOfThisVersionWork) {
  expect_layered_plugins_work(Registry({plugin("versions")}));
  expect_plain_plugins_work(Registry({plugin("rebuilt")}));
}

TEST(Versions, PluginsOfALaterVersionWork) {
  const Registry layered({plugin("later_versions")}), plain({plugin("later_rebuilt")});
  EXPECT_EQ(layered.plugins().at(0).abi_minor, TORSOR_ABI_MINOR + 1);
  expect_layered_plugins_work(layered);
  expect_plain_plugins_work(plain);
}

// Checks that all rows of parameters of a later version are read, although each row is longer.
TEST(Versions, ParametersOfALaterVersionAreRead) {
  const Registry registry({plugin("later_pendulum")});
  EXPECT_EQ(registry.plugins().at(0).parameters.size(), 6u);
  Solver raised = registry.solver("pendulum", pendulum_model(1, 1), {{"gain", 2.5}});
  const State state(pendulum_model(1, 1));
  double at_rest = 0, tau = NAN;
  ASSERT_TRUE(raised.inverse(state, &at_rest, &tau));
  EXPECT_EQ(tau, 2.5);
}

// A struct of this version. The memory after it has a pattern, because a plugin of a later version
// might write its additional members there.
template <class Struct>
struct Guarded {
  Struct known{};
  std::array<uint64_t, 4> behind{};
  Guarded() {
    known.struct_size = sizeof known;
    behind.fill(pattern);
  }
  static constexpr uint64_t pattern = 0x5a5a5a5a5a5a5a5a;
};

TEST(Versions, APluginOfALaterVersionDoesNotWriteBeyondTheStructOfTheHost) {
  const Registry registry({plugin("later_versions")});
  const auto model = pendulum_model(1, 1);
  const torsor_model view = model->view();
  const auto careful = registry.object("solver.careful", model),
             careless = registry.object("solver.careless", model);
  Guarded<torsor_sizes> sizes;
  EXPECT_EQ(careful->get()->prepare(careful->get(), &view, &sizes.known), TORSOR_OK);
  EXPECT_EQ(sizes.known.work_doubles, 3u);
  EXPECT_EQ(sizes.known.struct_size, sizeof sizes.known);
  EXPECT_THAT(sizes.behind, Each(sizes.pattern));
  EXPECT_EQ(careless->get()->prepare(careless->get(), &view, &sizes.known), TORSOR_UNSUPPORTED);
  EXPECT_THAT(sizes.behind, Each(sizes.pattern));

  const auto ramp = registry.object("trajectory.careless", model);
  Guarded<torsor_motion> motion;
  ASSERT_EQ(ramp->get()->prepare(ramp->get(), &view, &sizes.known), TORSOR_OK);
  const auto* law = static_cast<const torsor_trajectory*>(ramp->interface(TORSOR_TRAJECTORY));
  EXPECT_EQ(law->describe(ramp->get(), &motion.known), TORSOR_UNSUPPORTED);
  EXPECT_EQ(motion.known.duration, 2);
  EXPECT_THAT(motion.behind, Each(motion.pattern));

  const auto push = registry.object("force.push", model);
  const auto* force = static_cast<const torsor_force*>(push->interface(TORSOR_FORCE));
  Guarded<torsor_force_out> out;
  double tau = 0;
  out.known.tau = &tau;
  for (const double q : {1.0, 11.0}) {
    State state(model);
    state.set_q(std::vector{q});
    const torsor_state at = state.view();
    EXPECT_EQ(force->evaluate(push->get(), &view, &at, nullptr, nullptr, nullptr, &out.known),
              q > 10 ? TORSOR_UNSUPPORTED : TORSOR_OK);
    EXPECT_EQ(out.known.energy, q * q / 2);
    EXPECT_THAT(out.behind, Each(out.pattern));
  }
}

// Checks the hot calls whose results are in a struct of the host: the plugin sets the member that
// the host does not have.
TEST(Versions, AHotCallOfALaterVersionDoesNotWriteBeyondTheStructOfTheHost) {
  const Registry registry({plugin("later_versions")});
  const auto model = pendulum_model(1, 1);
  const torsor_model view = model->view();
  State state(model);
  state.v = {4};
  const torsor_state at = state.view();

  const auto solver = registry.object("solver.careless_rates", model);
  const auto* rates =
      static_cast<const torsor_solver_rates*>(solver->interface(TORSOR_SOLVER_RATES));
  Guarded<torsor_equation_rates> equation;
  double values[4], tau = 0;
  equation.known.M = &values[0];
  equation.known.C = &values[1];
  equation.known.g = &values[2];
  equation.known.Q = &values[3];
  equation.known.tau = &tau;
  EXPECT_EQ(rates->equation_rates(solver->get(), &view, &at, nullptr, nullptr, &equation.known),
            TORSOR_UNSUPPORTED);
  EXPECT_EQ(tau, 5);
  EXPECT_EQ(equation.known.tau, &tau);
  EXPECT_THAT(equation.behind, Each(equation.pattern));

  const auto damp = registry.object("controller.careless", model);
  const auto* law = static_cast<const torsor_controller*>(damp->interface(TORSOR_CONTROLLER));
  torsor_control_input input{};
  input.struct_size = sizeof input;
  input.v = at.v;
  Guarded<torsor_control_output> output;
  double signal[3];
  output.known.tau = &tau;
  output.known.signal = signal;
  EXPECT_EQ(law->evaluate(damp->get(), &view, &input, nullptr, &output.known), TORSOR_UNSUPPORTED);
  EXPECT_EQ(tau, -4);
  EXPECT_THAT(output.behind, Each(output.pattern));

  const auto diagonal = registry.object("constraint_solver.careless", model);
  const auto* rows =
      static_cast<const torsor_constraint_solver*>(diagonal->interface(TORSOR_CONSTRAINT_SOLVER));
  const double G = 2, c = 6, bound = 9;
  torsor_constraint_problem problem{};
  problem.struct_size = sizeof problem;
  problem.n = 1;
  problem.G = &G;
  problem.c = problem.c_terms = &c;
  problem.lower = problem.upper = &bound;
  Guarded<torsor_constraint_result> result;
  double lambda = 0, work = 0;
  result.known.lambda = &lambda;
  EXPECT_EQ(rows->solve(diagonal->get(), &problem, &work, &result.known), TORSOR_UNSUPPORTED);
  EXPECT_EQ(lambda, -3);
  EXPECT_EQ(result.known.iterations, 7);
  EXPECT_THAT(result.behind, Each(result.pattern));
}

TEST(Versions, APluginThatNeedsALaterHostIsRejected) {
  const Registry registry({plugin("later_versions")});
  const auto model = pendulum_model(1, 1);
  const char* const reason = "it needs a later version of Torsor; update Torsor";
  EXPECT_THAT(error_of([&] { registry.solver("careless", model); }), HasSubstr(reason));
  EXPECT_THAT(error_of([&] { registry.make<Trajectory>("careless", model); }), HasSubstr(reason));
}

}  // namespace
}  // namespace torsor::host_test
