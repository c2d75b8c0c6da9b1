#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "torsor/loading/plugin_source.hpp"

namespace torsor {

class Registry;

// Keeps track of plugin files that other files have replaced but that are not unloaded yet. Code
// that stays loaded wastes memory. It may also share its global data with the code that has
// replaced it.
class OutgoingFiles {
 public:
  // Adds the files that `before` uses and `after` does not use.
  void add(const Registry& before, const Registry& after);
  // Returns one sentence per file that stayed loaded although all its objects have been destroyed.
  // Reports each file only once.
  std::vector<std::string> warnings();

 private:
  struct File {
    std::filesystem::path path;
    std::shared_ptr<const PluginSource::Unloading> unloading;
  };
  std::vector<File> files_;
};

}  // namespace torsor
