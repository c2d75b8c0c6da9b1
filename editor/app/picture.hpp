#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace torsor::editor {

struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // rows from the top, [3 width height]
};

// At another size: as large as fits, between black bars. Where it is one row or column too many, that is cut off.
Picture fitted(Picture picture, int width, int height);

// Throws Error where the file cannot be written. Makes its folder.
void write_png(const std::filesystem::path& file, const Picture& picture);

}  // namespace torsor::editor
