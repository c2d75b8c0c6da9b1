#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "torsor/loading/plugin_source.hpp"

namespace torsor {

class Registry;

// Files of plugins whose place others have taken, until the loader has let them go: code that stays
// is memory that is lost, and what is global in it may be shared with the code that came after it.
class OutgoingFiles {
 public:
  // Those that the registry before holds and the one after does not.
  void add(const Registry& before, const Registry& after);
  // A sentence about each that the loader kept when the last of their objects had gone, once.
  std::vector<std::string> warnings();

 private:
  struct File {
    std::filesystem::path path;
    std::shared_ptr<const PluginSource::Unloading> unloading;
  };
  std::vector<File> files_;
};

}  // namespace torsor
