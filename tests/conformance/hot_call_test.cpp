// Hot calls: no allocation, nothing kept, nothing read that was not given, nothing written that was not asked
// for.

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>

#include "conformance/raw_solver.hpp"
#include "conformance/solvers.hpp"
#include "support/hot_calls.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

class HotCalls : public testing::TestWithParam<std::string> {
 protected:
  HotCalls() { add_random_wrenches(random, state); }
  const PluginInfo& info() const { return build_registry().find_solver(GetParam()); }

  Random random{5};
  std::shared_ptr<const Model> model = build(random_robot(9, Shape::tree, 5));
  State state = random_state(model, random);
  std::vector<double> in = random_values(random, 9, 4);
};
INSTANTIATE_TEST_SUITE_P(Solvers, HotCalls, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

TEST(AllocationCounter, CountsThisProgram) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  long before = allocations();
  const auto owned = std::make_unique<double[]>(10);
  EXPECT_EQ(allocations() - before, 1);
  before = allocations();
  std::unique_ptr<void, decltype(&std::free)> block(std::malloc(100), std::free);
  EXPECT_EQ(allocations() - before, 1);
  before = allocations();
  ::operator delete(::operator new(64, std::align_val_t(64)), std::align_val_t(64));
  EXPECT_EQ(allocations() - before, 1);
}

// Making a plugin allocates, inside the plugin's own file: the counter sees it.
TEST_P(HotCalls, CounterSeesThePlugin) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  EXPECT_GT(RawSolver(info(), model->view()).allocations_of_setup(), 0);
}

TEST_P(HotCalls, PluginsDoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  const RawSolver solver(info(), model->view());
  std::vector<double> work(solver.work_doubles()), out(729);
  const torsor_state view = state.view();
  for (const Quantity quantity : all_quantities) {
    if (!solver.offers(quantity)) continue;
    const long before = allocations();
    const torsor_status status = solver.call(quantity, view, in.data(), work.data(), out.data());
    EXPECT_EQ(allocations() - before, 0) << name(quantity);
    EXPECT_EQ(status, TORSOR_OK) << name(quantity);
  }
}

// What the host derives, too, from the first call on.
TEST_P(HotCalls, TheHostDoesNotAllocate) {
  Solver solver = build_registry().solver(GetParam(), model);
  expect_no_allocation(solver, state, random_values(random, 9, 3), in);
}

// The same bits whatever the work area holds and whatever was asked before; nothing beyond the work area or
// the result is written, nothing of the state is changed.
TEST_P(HotCalls, ArePureFunctions) {
  const RawSolver solver(info(), model->view());
  State other = random_state(model, random);
  const torsor_state view = state.view();
  const State as_it_was = state;
  constexpr double guard = 12345.678, nan = std::numeric_limits<double>::quiet_NaN();
  const size_t guards = 16, n_work = solver.work_doubles();
  for (const Quantity quantity : all_quantities) {
    if (!solver.offers(quantity)) continue;
    const size_t n_out = solver.out_size(quantity);
    std::vector<std::vector<double>> results;
    for (const double filling : {nan, 0.0, 1e300, -std::numeric_limits<double>::infinity()}) {
      std::vector<double> work(n_work + guards, guard), out(n_out + guards, guard), elsewhere(n_out);
      ASSERT_EQ(solver.call(quantity, other.view(), in.data(), work.data(), elsewhere.data()), TORSOR_OK);
      std::fill_n(work.begin(), n_work, filling);
      std::fill_n(out.begin(), n_out, nan);
      ASSERT_EQ(solver.call(quantity, view, in.data(), work.data(), out.data()), TORSOR_OK);
      for (size_t k = 0; k < guards; ++k) {
        EXPECT_EQ(work[n_work + k], guard) << name(quantity) << " writes beyond its work area";
        EXPECT_EQ(out[n_out + k], guard) << name(quantity) << " writes beyond its result";
      }
      EXPECT_NE(std::memcmp(out.data(), elsewhere.data(), sizeof(double) * n_out), 0) << name(quantity);
      results.push_back(out);
    }
    for (const auto& result : results)
      EXPECT_EQ(std::memcmp(result.data(), results[0].data(), sizeof(double) * n_out), 0) << name(quantity);
  }
  EXPECT_EQ(state.v, as_it_was.v);
  EXPECT_EQ(std::memcmp(view.X_PB, as_it_was.view().X_PB, sizeof(double) * 12 * size_t(model->n_body)), 0);
  EXPECT_EQ(std::memcmp(view.F_B, as_it_was.view().F_B, sizeof(double) * 6 * size_t(model->n_body)), 0);
}

// Through the host: two solvers of one model, asked in different order, give the same bits.
TEST_P(HotCalls, DoNotDependOnWhatWasAskedBefore) {
  Asked a(GetParam(), model), b(GetParam(), model);
  const Vector tau = to_vector(in);
  const Vector forward = a.forward(state, tau);
  const Matrix C = a.coriolis_matrix(state), M = a.mass_matrix(state), Minv = a.inverse_mass_matrix(state);
  const Vector inverse = a.inverse(state, tau);
  EXPECT_EQ(b.inverse(state, tau), inverse);
  EXPECT_EQ(b.inverse_mass_matrix(state), Minv);
  EXPECT_EQ(b.mass_matrix(state), M);
  EXPECT_EQ(b.coriolis_matrix(state), C);
  EXPECT_EQ(b.forward(state, tau), forward);
  EXPECT_EQ(a.forward(state, tau), forward);
}

}  // namespace
}  // namespace torsor::test
