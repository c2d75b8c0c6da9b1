#pragma once
// The source of plugins: a file of machine code, or functions of a script.

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// A source of plugins. Objects made by a source must keep a reference to it.
struct PluginSource {
  std::filesystem::path path;
  std::string sha256;  // of the file's bytes
  const torsor_entry* entry;
  // [setup] Creates a plugin object of one of the entry's descriptors. Returns null on failure and
  // reports the reason to the host.
  std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create;
  std::shared_ptr<const void> owner;  // owner of the entry and of its code
  // Files that it was made of, including files read to make it. If empty, it belongs to the files
  // of a scene.
  std::vector<std::filesystem::path> files;
  // true: the loader still has a file of machine code. Atomic, because any thread may destroy the
  // last object of the file.
  struct Unloading {
    enum class State { loaded, gone, stayed };
    std::atomic<State> state = State::loaded;
  };
  std::shared_ptr<const Unloading> unloading;  // null: a script
};

}  // namespace torsor
