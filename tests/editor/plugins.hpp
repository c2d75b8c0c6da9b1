#pragma once

#include "torsor/host/registry.hpp"
#include "torsor/symbolic/generated_solver.hpp"

namespace torsor::editor::test {

// Returns the plugins of this build.
inline const Registry& shipped_plugins() {
  static const Registry registry = [] {
    Registry plugins({TORSOR_PLUGIN_DIR});
    symbolic::add_generated_solver(plugins);
    return plugins;
  }();
  return registry;
}

}  // namespace torsor::editor::test
