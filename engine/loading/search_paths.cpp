#include "torsor/loading/search_paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "torsor/base/prefix.hpp"

namespace torsor {

namespace fs = std::filesystem;

std::vector<fs::path> environment_plugin_paths() {
  std::vector<fs::path> paths;
  const char* variable = std::getenv("TORSOR_PLUGIN_PATH");
  for (std::string_view rest = variable ? variable : ""; !rest.empty();) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) paths.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return paths;
}

fs::path own_plugin_path() {
  const fs::path data = user_data_folder();
  return data.empty() ? data : data / "plugins";
}

fs::path built_in_plugin_path() {
  return prefix() / "lib" / "torsor" / "plugins";
}

std::vector<fs::path> default_plugin_paths() {
  std::vector<fs::path> paths = environment_plugin_paths();
  std::error_code error;
  for (const fs::path& folder : {own_plugin_path(), built_in_plugin_path()})
    if (fs::is_directory(folder, error)) paths.push_back(folder);
  if (paths.empty()) paths.push_back(built_in_plugin_path());
  return paths;
}

}  // namespace torsor
