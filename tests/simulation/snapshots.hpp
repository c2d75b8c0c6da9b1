#pragma once
// Snapshots compared to the bit.

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

}  // namespace torsor::test
