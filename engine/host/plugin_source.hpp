#pragma once
// Where plugins come from: a file of machine code, or functions of a script.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// Whoever holds something made by a source holds the source too.
struct PluginSource {
  std::filesystem::path path;
  std::string sha256;  // of the file's bytes
  const torsor_entry* entry;
  // [setup] An object of one of the entry's descriptors; null on failure, with a report to the host.
  std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create;
  std::shared_ptr<const void> owner;  // of the entry, and of the code behind it
};

}  // namespace torsor
