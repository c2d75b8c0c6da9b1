// Tests of batches of states: every solver, with and without lanes, against its own results for
// single states. Those are compared with laws, other solvers and references elsewhere.

#include <gmock/gmock.h>

#include <limits>

#include "conformance/random_case.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/batch/batch_solver.hpp"

namespace torsor::test {
namespace {

constexpr size_t n_states = 21;  // not a multiple of any number of lanes

std::vector<Quantity> quantities_of_batches() {
  std::vector<Quantity> out;
  for (const Quantity quantity : all_quantities)
    if (indices(quantity) <= 2) out.push_back(quantity);
  return out;
}

class Batches : public RandomRobot {
 protected:
  Batches() {
    state.set_world_motion({random.vector(1), random.vector(1)},
                           {random.vector(1), random.vector(1)});
    batch.set_world(state);
    batch.add_wrenches();
    for (size_t k = 0; k < n_states; ++k) {
      states.push_back(state);
      states.back().set_q(random_position(random, *model, 3));
      states.back().v = random_values(random, model->n_v, 2);
      add_random_wrenches(random, states.back());
      given.push_back(random_values(random, model->n_v, 5));
      put(k, k);
    }
  }
  // Puts the state and the input with index `from` to the place k of the batch.
  void put(size_t k, size_t from) {
    batch.set(k, states[from]);
    for (size_t i = 0; i < size_t(model->n_v); ++i) inputs[i * batch.stride() + k] = given[from][i];
  }
  Vector at(const std::vector<double>& result, size_t k) const {
    Vector out(Eigen::Index(result.size() / batch.stride()));
    for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = result[size_t(i) * batch.stride() + k];
    return out;
  }
  std::vector<double> evaluate(Quantity quantity) {
    std::vector<double> out(entries(quantity, size_t(model->n_v)) * batch.stride(), -1);
    const BatchStatus status = solver_of_batch.evaluate(quantity, batch, inputs.data(), out.data());
    EXPECT_TRUE(status) << name(quantity) << ": " << solver.solver().explain(status.status);
    return out;
  }
  double allowed(Quantity quantity, size_t k) {
    if (quantity != Quantity::forward && quantity != Quantity::inverse_mass_matrix)
      return agreement;
    return std::max(agreement, 10 * condition(solver.mass_matrix(states[k])) *
                                   std::numeric_limits<double>::epsilon());
  }

  StateBatch batch{model, n_states};
  std::vector<State> states;
  std::vector<std::vector<double>> given;
  std::vector<double> inputs = std::vector<double>(size_t(model->n_v) * batch.stride());
  BatchSolver solver_of_batch{solver.solver()};
};
TORSOR_ON_RANDOM_ROBOTS(Batches);

TEST_P(Batches, EqualSingleStates) {
  for (const Quantity quantity : quantities_of_batches()) {
    const std::vector<double> all = evaluate(quantity);
    for (size_t k = 0; k < n_states; ++k) {
      Vector one(Eigen::Index(entries(quantity, size_t(model->n_v))));
      ASSERT_TRUE(solver.solver().evaluate(quantity, states[k], given[k].data(), one.data()));
      EXPECT_TRUE(close(at(all, k), one, one.norm(), allowed(quantity, k)))
          << name(quantity) << " of state " << k;
    }
  }
}

TEST_P(Batches, PartialsEqualThoseOfSingleStates) {
  if (!solver.solver().has_partials()) return;
  const size_t n = size_t(model->n_v), size = n * n;
  std::vector<std::vector<double>> all(5, std::vector<double>(size * batch.stride()));
  ASSERT_TRUE(
      solver_of_batch.inverse_partials(batch, inputs.data(), {all[0].data(), all[1].data()}));
  ASSERT_TRUE(solver_of_batch.forward_partials(batch, inputs.data(),
                                               {all[2].data(), all[3].data(), all[4].data()}));
  for (size_t k = 0; k < n_states; ++k) {
    std::vector<Vector> one(5, Vector(Eigen::Index(size)));
    ASSERT_TRUE(solver.solver().inverse_partials(states[k], given[k].data(),
                                                 {one[0].data(), one[1].data()}));
    ASSERT_TRUE(solver.solver().forward_partials(states[k], given[k].data(),
                                                 {one[2].data(), one[3].data(), one[4].data()}));
    for (size_t r = 0; r < one.size(); ++r)
      EXPECT_TRUE(close(at(all[r], k), one[r], one[r].norm(),
                        r < 2 ? agreement : allowed(Quantity::forward, k)))
          << "matrix " << r << " of state " << k;
  }
}

TEST_P(Batches, RatesEqualThoseOfSingleStates) {
  const int order = solver.solver().max_rate_order();
  if (order < 0) return;
  const size_t count = size_t(order + 1) * size_t(model->n_v);
  for (const bool at_rest : {true, false}) {
    if (at_rest) batch.set_world(random_state(model, random));
    std::vector<double> vdot = random_values(random, int(count * batch.stride()), 2),
                        all(vdot.size());
    ASSERT_TRUE(solver_of_batch.rates(batch, order, vdot.data(), all.data()));
    for (size_t k = 0; k < n_states; ++k) {
      State state(model);
      batch.get(k, state);
      const Vector motion = at(vdot, k);
      Vector one(motion.size());
      ASSERT_TRUE(solver.solver().rates(state, {order, motion.data()}, one.data()));
      EXPECT_TRUE(close(at(all, k), one, one.norm(), agreement)) << "state " << k;
    }
    batch.set_world(state);
  }
}

// A state has the same bits at any place of a batch, next to any other states.
TEST_P(Batches, AStateDoesNotDependOnItsPlace) {
  for (const Quantity quantity : quantities_of_batches()) {
    for (size_t k = 0; k < n_states; ++k) put(k, k);
    const std::vector<double> all = evaluate(quantity);
    for (size_t k = 0; k < n_states; ++k) put(k, (5 * k + 3) % n_states);
    const std::vector<double> moved = evaluate(quantity);
    for (size_t k = 0; k < n_states; ++k)
      EXPECT_EQ(at(moved, k), at(all, (5 * k + 3) % n_states)) << name(quantity);
  }
}

// A state that cannot be computed does not affect its neighbours.
TEST_P(Batches, AFailedStateIsNamedAndTheOthersAreComputed) {
  const std::vector<double> all = evaluate(Quantity::inverse);
  inputs[9] = std::numeric_limits<double>::infinity();
  std::vector<double> out(all.size());
  const BatchStatus status =
      solver_of_batch.evaluate(Quantity::inverse, batch, inputs.data(), out.data());
  EXPECT_EQ(status.failed, 1u);
  EXPECT_EQ(status.state, 9u);
  EXPECT_THAT(solver.solver().explain(status.status), testing::HasSubstr("not a finite number"));
  for (size_t k = 0; k < n_states; ++k) {
    if (k == 9)
      EXPECT_TRUE(at(out, k).array().isNaN().all());
    else
      EXPECT_EQ(at(out, k), at(all, k));
  }
}

TEST_P(Batches, DoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call and keeps the first result";
#endif
  std::vector<double> out(size_t(model->n_v) * size_t(model->n_v) * batch.stride());
  const long before = allocations();
  bool good = true;
  for (const Quantity quantity : all_quantities)
    if (indices(quantity) <= 2)
      good &= bool(solver_of_batch.evaluate(quantity, batch, inputs.data(), out.data()));
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(good);
}

// Solvers in lanes do not write the entries of M of different branches. They are zero in the batch,
// and are not taken from the results of another quantity.
TEST(BatchesOfShippedSolvers, HaveZerosOfBranchesInTheMassMatrix) {
  const auto model = build(random_robot(12, Shape::tree, 3, Kinds::every));
  const size_t n = size_t(model->n_v);
  Solver solver = build_registry().solver("newton_euler", model);
  BatchSolver of_batch(solver);
  StateBatch batch(model, n_states);
  Random random(4);
  for (size_t k = 0; k < n_states; ++k) batch.set(k, random_state(model, random));
  std::vector<double> out(n * n * batch.stride());
  ASSERT_TRUE(of_batch.evaluate(Quantity::coriolis_matrix, batch, nullptr, out.data()));
  std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
  ASSERT_TRUE(of_batch.evaluate(Quantity::mass_matrix, batch, nullptr, out.data()));
  State state(model);
  Vector one(Eigen::Index(n * n)), in_batch(Eigen::Index(n * n));
  for (size_t k = 0; k < n_states; ++k) {
    batch.get(k, state);
    ASSERT_TRUE(solver.evaluate(Quantity::mass_matrix, state, nullptr, one.data()));
    for (size_t i = 0; i < n * n; ++i) in_batch[Eigen::Index(i)] = out[i * batch.stride() + k];
    EXPECT_TRUE(close(in_batch, one, one.norm(), agreement)) << "state " << k;
  }
}

TEST(BatchesOfShippedSolvers, AreInLanes) {
  const auto model = build(random_robot(5, Shape::tree, 3, Kinds::every));
  const auto lanes = [&](const char* id, std::vector<Quantity> expected) {
    Solver solver = build_registry().solver(id, model);
    const BatchSolver batch(solver);
    EXPECT_GT(batch.lanes(), 1u) << id;
    for (const Quantity quantity : expected) EXPECT_TRUE(batch.is_in_lanes(quantity)) << id;
  };
  lanes("newton_euler", {Quantity::inverse, Quantity::mass_matrix, Quantity::coriolis_matrix,
                         Quantity::gravity, Quantity::bias});
  lanes("articulated_body", {Quantity::inverse, Quantity::forward, Quantity::inverse_mass_matrix,
                             Quantity::gravity, Quantity::bias});
}

}  // namespace
}  // namespace torsor::test
