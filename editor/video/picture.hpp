#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace torsor::editor {

// An image with 8 bits per channel, such as a frame of a video.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // rows from the top, [3 width height]
};

// Returns the picture scaled to the given size, with black bars that preserve its aspect ratio. A
// picture that is larger by at most one row and one column is cropped instead.
Picture fitted(Picture picture, int width, int height);

// Throws Error unless the file name ends in .png. The argument `what` is the option's name in
// messages.
void require_png(const char* what, const std::filesystem::path& file);
// Writes a PNG file and creates its folder. Throws Error if the file cannot be written.
void write_png(const std::filesystem::path& file, const Picture& picture);

}  // namespace torsor::editor
