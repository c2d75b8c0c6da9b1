#pragma once
// A check that the hot calls of a Solver do not allocate memory. The test program must link
// torsor_allocation_counter.

#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::test {

// Sets a new position q [n_q], then makes each hot call once with the input `in` [n_v]. Checks that
// none fails and none allocates.
inline void expect_no_allocation(Solver& solver, State& state, const std::vector<double>& q,
                                 const std::vector<double>& in) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call and keeps the first result";
#endif
  const size_t n = state.v.size();
  std::vector<double> out(n * n * n), split(4 * n);
  const long before = allocations();
  state.set_q(q);
  bool good = true;
  for (const Quantity quantity : all_quantities)
    good &= bool(solver.evaluate(quantity, state, in.data(), out.data()));
  good &= bool(
      solver.torque_split(state, in.data(), {&split[0], &split[n], &split[2 * n], &split[3 * n]}));
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(good);
}

}  // namespace torsor::test
