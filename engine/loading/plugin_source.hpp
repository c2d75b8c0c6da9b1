#pragma once
// A source of plugins: a machine-code file, or a Lua script.

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// A source of plugins. Every object that a source has created must keep a reference to the source.
struct PluginSource {
  std::filesystem::path path;
  std::string sha256;  // hash of the file
  const torsor_entry* entry;
  // Creates an object of the plugin with this descriptor, which must be one of `entry`. Returns
  // null on failure, after reporting the reason to the host. Called during setup only.
  std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create;
  std::shared_ptr<const void> owner;  // owns `entry` and its code
  // All files that were read to create this source. If one of them changes, the source must be
  // loaded again. Empty if the source belongs to a scene, whose files are watched anyway.
  std::vector<std::filesystem::path> files;
  // Tells whether the loader has unloaded a machine-code file.
  // - loaded: the file is in use.
  // - gone: the file was unloaded.
  // - stayed: the file is no longer used, but the loader has kept it.
  //
  // Atomic, because any thread may destroy the last object of the file.
  struct Unloading {
    enum class State { loaded, gone, stayed };
    std::atomic<State> state = State::loaded;
  };
  std::shared_ptr<const Unloading> unloading;  // null for a script
};

}  // namespace torsor
