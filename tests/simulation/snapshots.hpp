#pragma once
// Comparison of snapshots to the bit.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "torsor/simulation/simulation.hpp"

namespace torsor::test {

inline std::vector<uint64_t> bits(const Snapshot& state) {
  std::vector<uint64_t> out = {uint64_t(state.step)};
  const auto add = [&](const auto& part) {
    for (const double value : part) out.push_back(std::bit_cast<uint64_t>(value));
  };
  Snapshot::for_each_array(state, add);
  add(std::vector{state.energy_zero, state.next_step});
  return out;
}

// Checks that a simulation that loads a saved state makes the same steps as the original, with the
// same bits. make() returns a simulation at its start.
template <class Make>
void expect_forks_continue(const Make& make) {
  Simulation whole = make();
  for (int k = 0; k < 50; ++k) {
    Simulation fork = make();
    fork.load(whole.save());
    whole.step();
    fork.step();
    ASSERT_EQ(bits(whole.snapshot()), bits(fork.snapshot())) << k;
  }
}

}  // namespace torsor::test
