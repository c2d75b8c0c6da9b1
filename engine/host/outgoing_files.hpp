#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "torsor/host/plugin_source.hpp"

namespace torsor {

class Registry;

// Files of plugins whose place others have taken, until the loader has let them go: code that stays is memory that is lost, and
// what is global in it may be shared with the code that came after it.
class OutgoingFiles {
 public:
  // Those that the registry before holds and the one after does not.
  void add(const Registry& before, const Registry& after);
  // Those that the loader kept when the last of their objects had gone, each once.
  std::vector<std::filesystem::path> stayed();

 private:
  struct File {
    std::filesystem::path path;
    std::shared_ptr<const PluginSource::Unloading> unloading;
  };
  std::vector<File> files_;
};

}  // namespace torsor
