#pragma once
// Where plugins come from: a file of machine code, or functions of a script.

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// Whoever holds something made by a source holds the source too.
struct PluginSource {
  std::filesystem::path path;
  std::string sha256;  // of the file's bytes
  const torsor_entry* entry;
  // [setup] An object of one of the entry's descriptors; null on failure, with a report to the
  // host.
  std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create;
  std::shared_ptr<const void> owner;  // of the entry, and of the code behind it
  // That it was made of, and that were read to make it; none: it goes with what a scene was made
  // of.
  std::vector<std::filesystem::path> files;
  // Whether the loader still has a file of machine code, whose last object may have gone on any
  // thread.
  struct Unloading {
    enum class State { loaded, gone, stayed };
    std::atomic<State> state = State::loaded;
  };
  std::shared_ptr<const Unloading> unloading;  // null: a script
};

}  // namespace torsor
