#include "torsor/base/prefix.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

namespace torsor {

std::filesystem::path own_file() {
  std::error_code failed;
  Dl_info symbol{};
  link_map* object = nullptr;
  // The loader stores the name of a library, and "" for the program.
  if (dladdr1(reinterpret_cast<void*>(&own_file), &symbol, reinterpret_cast<void**>(&object),
              RTLD_DL_LINKMAP) != 0 &&
      object && *object->l_name)
    return std::filesystem::weakly_canonical(object->l_name, failed);
  return std::filesystem::read_symlink("/proc/self/exe", failed);
}

std::filesystem::path prefix() {
  std::error_code failed;
  const std::filesystem::path folder = own_file().parent_path(), first = folder.parent_path();
  // On Debian, libraries of a package may be in lib/x86_64-linux-gnu.
  const std::filesystem::path second = first.parent_path();
  const bool is_below_lib = first.filename() == "lib" &&
                            !std::filesystem::exists(first / "share/torsor", failed) &&
                            std::filesystem::exists(second / "share/torsor", failed);
  return is_below_lib ? second : first;
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
