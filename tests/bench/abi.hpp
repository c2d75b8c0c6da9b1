#pragma once
// The cost of the plugin boundary: the same inverse dynamics linked in, through the plugin's table,
// and through the host.

#include "bench/robots.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::bench {

// Times of a call in ns: medians over alternating blocks of calls.
struct AbiCost {
  double linked, table, host;
};
// Measures the three. Throws Error if newton_euler is not in a file, or if the results are not
// equal to the bit.
AbiCost abi_cost(const Robot& robot, const Registry& registry);

}  // namespace torsor::bench
