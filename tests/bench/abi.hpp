#pragma once
// The cost of the plugin interface: the same inverse dynamics linked into the program, called
// through the plugin's table, and called through the host.

#include <memory>

#include "bench/robots.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor::bench {

// Returns an object of a plugin, created as the host does.
std::unique_ptr<Plugin> make_plugin(const PluginInfo& info);

// Time per call in ns: linked in, through the table, through the host. Each is a median over many
// blocks of calls; the three are measured alternately.
struct AbiCost {
  double linked, table, host;
};
// Measures the three times. Throws Error if there is no plugin newton_euler, if its file cannot be
// loaded, or if the three results differ in any bit.
AbiCost abi_cost(const Robot& robot, const Registry& registry);

}  // namespace torsor::bench
