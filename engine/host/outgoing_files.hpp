#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "torsor/loading/plugin_source.hpp"

namespace torsor {

class Registry;

// Plugin files that were replaced by others and are not unloaded yet. Code that stays loaded wastes
// memory, and may share its global data with the code that replaced it.
class OutgoingFiles {
 public:
  // Adds the files that the registry `before` uses and `after` does not.
  void add(const Registry& before, const Registry& after);
  // Returns a sentence for each file that stayed loaded after its last object was destroyed. Each
  // file is reported once.
  std::vector<std::string> warnings();

 private:
  struct File {
    std::filesystem::path path;
    std::shared_ptr<const PluginSource::Unloading> unloading;
  };
  std::vector<File> files_;
};

}  // namespace torsor
