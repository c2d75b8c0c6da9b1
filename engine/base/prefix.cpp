#include "torsor/base/prefix.hpp"

#include <cstdlib>

namespace torsor {

std::filesystem::path prefix() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
}

std::filesystem::path default_script_folder() {
  if (const char* folder = std::getenv("TORSOR_SCRIPTS"); folder && *folder) return folder;
  return prefix() / "share/torsor/scripts";
}

namespace {

// Returns the folder of Torsor within a folder of the user. variable: environment variable with the
// user's folder. below_home: path of the user's folder below $HOME if the variable is not set.
std::filesystem::path user_folder(const char* variable, const char* below_home) {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::filesystem::path(text ? text : "");
  };
  const std::filesystem::path folder = value(variable), home = value("HOME");
  if (folder.is_absolute()) return folder / "torsor";
  return home.is_absolute() ? home / below_home / "torsor" : std::filesystem::path();
}

}  // namespace

std::filesystem::path user_cache_folder() {
  return user_folder("XDG_CACHE_HOME", ".cache");
}
std::filesystem::path user_data_folder() {
  return user_folder("XDG_DATA_HOME", ".local/share");
}

}  // namespace torsor
