#pragma once
// The plugins of this build, loaded once per test program.

#include "torsor/host/registry.hpp"

namespace torsor::test {

inline std::shared_ptr<const Registry> shipped_plugins() {
  static const auto registry =
      std::make_shared<const Registry>(std::vector<std::filesystem::path>{TORSOR_PLUGIN_DIR});
  return registry;
}

}  // namespace torsor::test
