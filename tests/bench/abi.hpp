#pragma once
// What it costs that a solver is a plugin: the same inverse dynamics linked in, through the
// plugin's table, and through the host.

#include "bench/robots.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::bench {

// ns of a call, medians over blocks of calls that take turns.
struct AbiCost {
  double linked, table, host;
};
// Throws Error where newton_euler is no file, and where the three do not give the same bits.
AbiCost abi_cost(const Robot& robot, const Registry& registry);

}  // namespace torsor::bench
