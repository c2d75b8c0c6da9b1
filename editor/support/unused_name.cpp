#include "editor/support/unused_name.hpp"

#include <fmt/format.h>

namespace torsor::editor {

namespace fs = std::filesystem;

fs::path unused_name(const fs::path& file, std::initializer_list<const char*> also) {
  const auto is_taken = [&](fs::path name) {
    std::error_code ignored;
    if (fs::exists(name, ignored)) return true;
    for (const char* extension : also)
      if (fs::exists(name.replace_extension(extension), ignored)) return true;
    return false;
  };
  fs::path name = file;
  for (int k = 2; is_taken(name); ++k)
    name = file.parent_path() /
           fmt::format("{}-{}{}", file.stem().string(), k, file.extension().string());
  return name;
}

}  // namespace torsor::editor
