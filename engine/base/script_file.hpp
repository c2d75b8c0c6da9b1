#pragma once

#include <filesystem>

namespace torsor {

// Returns true if the extension of the file name is that of a Lua script: a scene, a robot, a
// module or a plugin.
inline bool is_script(const std::filesystem::path& file) {
  return file.extension() == ".lua";
}

}  // namespace torsor
