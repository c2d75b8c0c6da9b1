#include "editor/support/named_scene.hpp"

namespace torsor::editor {

std::optional<std::filesystem::path> find_named_scene(const std::filesystem::path& name,
                                                      const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  std::error_code ignored;
  for (const std::filesystem::path& path :
       {name, folder / name, folder / ".." / name, folder / name.filename()})
    if (std::filesystem::is_regular_file(path, ignored)) return path.lexically_normal();
  return std::nullopt;
}

}  // namespace torsor::editor
