#pragma once
// The first load of a plugin file. The loader trusts the file: a damaged one can end the process,
// in the loader or in code that runs during loading. So an unknown file is first loaded in a child
// process.

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "torsor/loading/plugin_image.hpp"

namespace torsor {

class FirstLoads {
 public:
  enum class Tried { if_unknown, always };

  // Returns for each file why it cannot be loaded, as a clause whose subject is the file, or "" if
  // it can be loaded.
  // Unknown files are loaded one after the other in a child process. If the child ends at a file, a
  // new child starts with that file. If this child ends at the file too, the file cannot be loaded.
  // Each child ends after 5 s.
  // The child is forked and runs only the loader and the code of the file. These only need locks
  // that fork() leaves free (glibc: malloc, stdio, the loader), so any thread may call this.
  std::vector<std::string> check(std::span<const std::shared_ptr<PluginImage>> images, Tried tried);

 private:
  std::mutex mutex_;                             // guards the member below
  std::map<std::string, std::string> outcomes_;  // by SHA-256
};

}  // namespace torsor
