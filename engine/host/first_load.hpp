#pragma once
// The first load of a plugin file. The loader trusts what a file says of itself: one that is damaged can end the process, in the
// loader or in code that runs while it is loaded. So a file that is not known is loaded in a child process before.

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "torsor/host/plugin_image.hpp"

namespace torsor {

class FirstLoads {
 public:
  enum class Tried { if_unknown, always };

  // Returns for each file why it cannot be loaded, as a clause whose subject is the file; "" if it can. Files that are not known are
  // loaded and unloaded in one child process. A file at which that ends is tried again in a new child, together with those that
  // follow; if it is the first there and ends that one too, it cannot be loaded. A child ends after 5 s. It is forked: it runs only
  // the loader and what the file brings, which need no lock but those that fork() leaves free (glibc: malloc, stdio, the loader).
  // Any thread may call this.
  std::vector<std::string> check(std::span<const std::shared_ptr<PluginImage>> images, Tried tried);

 private:
  std::mutex mutex_;                             // of what follows
  std::map<std::string, std::string> outcomes_;  // by SHA-256
};

}  // namespace torsor
