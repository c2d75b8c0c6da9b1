#pragma once
// The first load of a plugin file. The loader trusts what a file says of itself: one that is
// damaged can end the process, in the loader or in code that runs while it is loaded. So a file
// that is not known is loaded in a child process before.

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

  // Returns for each file why it cannot be loaded, as a clause whose subject is the file; "" if it
  // can. Unknown files are loaded one after the other in a child process. If the child ends at a
  // file, a new child starts with that file. If that child ends at it too, the file cannot be
  // loaded. A child ends after 5 s. It is forked, and runs only the loader and the code of the
  // file. These need no lock but those that fork() leaves free (glibc: malloc, stdio, the loader).
  // Any thread may call this.
  std::vector<std::string> check(std::span<const std::shared_ptr<PluginImage>> images, Tried tried);

 private:
  std::mutex mutex_;                             // of what follows
  std::map<std::string, std::string> outcomes_;  // by SHA-256
};

}  // namespace torsor
