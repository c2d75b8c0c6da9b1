#pragma once
// Checks whether a plugin file can be loaded without ending the process. The dynamic loader does
// not verify files. A damaged file can end the process, in the loader or in code that runs during
// loading. Therefore an unknown file is first loaded in a child process.

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

  // Returns one string per file: "" if the file can be loaded, otherwise the reason as a clause
  // whose subject is the file.
  //
  // A child process loads the unknown files in turn. If the child ends at a file, a second child
  // begins with this file. If the second child ends at it too, the file counts as not loadable.
  // Each child is ended after 5 s. Thread-safe: the child created by fork() runs only the loader
  // and the code of the files. They use only locks that are free after fork() (in glibc: malloc,
  // stdio and the loader).
  std::vector<std::string> check(std::span<const std::shared_ptr<PluginImage>> images, Tried tried);

 private:
  std::mutex mutex_;                             // guards outcomes_
  std::map<std::string, std::string> outcomes_;  // keys: SHA-256 of the file
};

}  // namespace torsor
