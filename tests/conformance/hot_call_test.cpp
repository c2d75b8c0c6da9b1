// Tests of hot calls: they do not allocate, depend only on their arguments, and write only to their
// work area and result.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>

#include "conformance/flat_tree.hpp"
#include "conformance/raw_solver.hpp"
#include "conformance/solvers.hpp"
#include "support/hot_calls.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

RobotDescription robot_for(const std::string& id) {
  return build_registry().find<Solver>(id).family.empty()
             ? random_robot(9, Shape::tree, 5, Kinds::every)
             : random_planar_chain(9, 5);
}

class HotCalls : public testing::TestWithParam<std::string> {
 protected:
  HotCalls() { add_random_wrenches(random, state); }
  PluginInfo info() const { return build_registry().find<Solver>(GetParam()); }

  Random random{5};
  std::shared_ptr<const Model> model = build(robot_for(GetParam()));
  State state = random_state(model, random);
  std::vector<double> in = random_values(random, model->n_v, 4);
};
INSTANTIATE_TEST_SUITE_P(Solvers, HotCalls, testing::ValuesIn(solver_ids("planar_n_link")),
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

// Checks that the counter also counts allocations by the plugin's code: creating the plugin
// allocates.
TEST_P(HotCalls, CounterCountsThePlugin) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  EXPECT_GT(RawSolver(info(), model->view()).allocations_of_setup(), 0);
}

// Checks that quantities derived by the host do not allocate either, not even in the first call.
TEST_P(HotCalls, TheHostDoesNotAllocate) {
  Solver solver = build_registry().solver(GetParam(), model);
  expect_no_allocation(solver, state, random_position(random, *model, 3), in);
}

// Checks that two solvers of one model give the same bits if their quantities are evaluated in
// another order.
TEST_P(HotCalls, DoNotDependOnPreviousCalls) {
  TestSolver a(GetParam(), model), b(GetParam(), model);
  const Vector tau = to_vector(in);
  const Vector forward = a.forward(state, tau);
  const Matrix C = a.coriolis_matrix(state), M = a.mass_matrix(state),
               Minv = a.inverse_mass_matrix(state);
  const Vector inverse = a.inverse(state, tau);
  EXPECT_EQ(b.inverse(state, tau), inverse);
  EXPECT_EQ(b.inverse_mass_matrix(state), Minv);
  EXPECT_EQ(b.mass_matrix(state), M);
  EXPECT_EQ(b.coriolis_matrix(state), C);
  EXPECT_EQ(b.forward(state, tau), forward);
  EXPECT_EQ(a.forward(state, tau), forward);
}

// Returns each plugin with the mechanisms to test: a robot of its family (false) and, for solvers
// of any tree, general joints (true).
std::vector<std::tuple<std::string, bool>> plugin_cases() {
  std::vector<std::tuple<std::string, bool>> cases;
  for (const std::string& id : solver_ids("planar_n_link")) cases.emplace_back(id, false);
  for (const std::string& id : solver_ids()) cases.emplace_back(id, true);
  return cases;
}

// Fixture for direct calls of a plugin, with a robot from the ModelBuilder or with the general
// joints of flat_tree.hpp.
class PluginCalls : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  PluginCalls() {
    add_random_wrenches(random, robot_state);
    for (Pose<double>& X : tree_elsewhere.X_PB) X = random.pose(1);
    tree_elsewhere.v = random_values(random, tree.n_v(), 2);
  }
  bool general() const { return std::get<1>(GetParam()); }

  Random random{5};
  std::shared_ptr<const Model> robot = build(robot_for(std::get<0>(GetParam())));
  State robot_state = random_state(robot, random), robot_elsewhere = random_state(robot, random);
  FlatTree tree = general_tree(random), tree_elsewhere = tree;

  torsor_state here() const { return general() ? tree.state() : robot_state.view(); }
  torsor_state elsewhere() const {
    return general() ? tree_elsewhere.state() : robot_elsewhere.view();
  }
  const torsor_model model = general() ? tree.model() : robot->view();
  const std::vector<double> in = random_values(random, model.n_v, 4);
  const RawSolver solver{build_registry().find<Solver>(std::get<0>(GetParam())), model};
};
INSTANTIATE_TEST_SUITE_P(Solvers, PluginCalls, testing::ValuesIn(plugin_cases()),
                         [](const auto& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) ? "_general_joints" : "_robot");
                         });

TEST_P(PluginCalls, DoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  WorkArea work(solver.work_doubles());
  std::vector<double> out(size_t(model.n_v * model.n_v * model.n_v));
  const torsor_state view = here();
  for (const Quantity quantity : all_quantities) {
    if (!solver.offers(quantity)) continue;
    const long before = allocations();
    const torsor_status status = solver.call(quantity, view, in.data(), work.data(), out.data());
    EXPECT_EQ(allocations() - before, 0) << name(quantity);
    EXPECT_EQ(status, TORSOR_OK) << name(quantity);
  }
}

// Checks that results have the same bits for any previous contents of the work area and after any
// previous call. Also checks that nothing beyond the work area and the result is written, and that
// the state is unchanged.
TEST_P(PluginCalls, ArePureFunctions) {
  const torsor_state view = here();
  const size_t n_body = size_t(model.n_body), n_v = size_t(model.n_v);
  const std::vector<double> v(view.v, view.v + n_v), X_PB(view.X_PB, view.X_PB + 12 * n_body),
      F_B(view.F_B, view.F_B + 6 * n_body);
  constexpr double guard = 12345.678, nan = std::numeric_limits<double>::quiet_NaN();
  const size_t guards = 16, n_work = solver.work_doubles();
  for (const Quantity quantity : all_quantities) {
    if (!solver.offers(quantity)) continue;
    const size_t n_out = solver.out_size(quantity);
    std::vector<std::vector<double>> results;
    for (const double filling : {nan, 0.0, 1e300, -std::numeric_limits<double>::infinity()}) {
      WorkArea work(n_work + guards, guard);
      std::vector<double> out(n_out + guards, guard), other(n_out);
      ASSERT_EQ(solver.call(quantity, elsewhere(), in.data(), work.data(), other.data()),
                TORSOR_OK);
      std::fill_n(work.data(), n_work, filling);
      std::fill_n(out.begin(), n_out, nan);
      ASSERT_EQ(solver.call(quantity, view, in.data(), work.data(), out.data()), TORSOR_OK);
      for (size_t k = 0; k < guards; ++k) {
        EXPECT_EQ(work.data()[n_work + k], guard)
            << name(quantity) << " writes beyond its work area";
        EXPECT_EQ(out[n_out + k], guard) << name(quantity) << " writes beyond its result";
      }
      EXPECT_NE(std::memcmp(out.data(), other.data(), sizeof(double) * n_out), 0) << name(quantity);
      results.push_back(out);
    }
    for (const auto& result : results)
      EXPECT_EQ(std::memcmp(result.data(), results[0].data(), sizeof(double) * n_out), 0)
          << name(quantity);
  }
  EXPECT_EQ(std::memcmp(view.v, v.data(), sizeof(double) * v.size()), 0);
  EXPECT_EQ(std::memcmp(view.X_PB, X_PB.data(), sizeof(double) * X_PB.size()), 0);
  EXPECT_EQ(std::memcmp(view.F_B, F_B.data(), sizeof(double) * F_B.size()), 0);
}

// Checks two threads that call one plugin at the same time, each with its own state and work area.
// The results must have the bits of single-threaded calls. Each quantity is called for 30 ms, so
// that threads are also interrupted within a call if they share one core.
TEST_P(PluginCalls, ThreadsAreIndependent) {
  const torsor_state states[] = {here(), elsewhere()};
  for (const Quantity quantity : all_quantities) {
    if (!solver.offers(quantity)) continue;
    const size_t n_out = solver.out_size(quantity);
    std::vector<double> alone[2];
    std::atomic<int> ready{0}, differ{0};
    std::vector<std::thread> threads;
    for (const int side : {0, 1}) {
      WorkArea work(solver.work_doubles());
      alone[side].resize(n_out);
      ASSERT_EQ(solver.call(quantity, states[side], in.data(), work.data(), alone[side].data()),
                TORSOR_OK);
    }
    for (const int side : {0, 1})
      threads.emplace_back([&, side] {
        WorkArea work(solver.work_doubles());
        std::vector<double> out(n_out);
        for (++ready; ready < 2;) std::this_thread::yield();
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
        while (std::chrono::steady_clock::now() < end) {
          const bool good =
              solver.call(quantity, states[side], in.data(), work.data(), out.data()) == TORSOR_OK;
          differ +=
              !good || std::memcmp(out.data(), alone[side].data(), sizeof(double) * n_out) != 0;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(differ, 0) << name(quantity);
  }
}

}  // namespace
}  // namespace torsor::test
