#include "torsor/loading/plugin_variant.hpp"

#include <algorithm>
#include <system_error>

#include "torsor/base/processor.hpp"

namespace torsor {

namespace fs = std::filesystem;

fs::path best_variant(const fs::path& file) {
  std::error_code ignored;
  for (size_t level = processor_level(); level > 0; --level)
    if (fs::path variant = file.parent_path() / processor_levels()[level] / file.filename();
        fs::exists(variant, ignored))
      return variant;
  return file;
}

std::string level_of_file(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return contains_variants(folder) ? folder.filename().string() : "";
}

bool contains_variants(const fs::path& folder) {
  const auto levels = processor_levels();
  return levels.size() > 1 && std::ranges::count(levels.subspan(1), folder.filename().string()) > 0;
}

std::vector<fs::path> variants_alone(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!contains_variants(folder)) return out;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (const fs::path& file = entry.path(); file.extension() == ".so")
      if (!fs::exists(fs::symlink_status(folder.parent_path() / file.filename(), ignored)))
        out.push_back(file);
  std::ranges::sort(out);
  return out;
}

}  // namespace torsor
