#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace torsor::editor {

// RGB rows from the top, [3 width height]. Throws Error where the file cannot be written.
void write_png(const std::filesystem::path& file, int width, int height, const std::vector<uint8_t>& rgb);

}  // namespace torsor::editor
