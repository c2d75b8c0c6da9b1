#pragma once
// Snapshots compared to the bit.

#include <bit>
#include <cstdint>
#include <vector>

#include "torsor/simulation/simulation.hpp"

namespace torsor::test {

inline std::vector<uint64_t> bits(const Snapshot& state) {
  std::vector<uint64_t> out = {uint64_t(state.step)};
  for (const std::vector<double>& part :
       {state.q, state.v, {state.dissipated, state.supplied, state.energy_zero}})
    for (const double value : part) out.push_back(std::bit_cast<uint64_t>(value));
  return out;
}

}  // namespace torsor::test
