#pragma once

#include "torsor/host/registry.hpp"

namespace torsor::editor::test {

// Returns the plugins of this build.
inline const Registry& shipped_plugins() {
  static const Registry registry({TORSOR_PLUGIN_DIR});
  return registry;
}

}  // namespace torsor::editor::test
