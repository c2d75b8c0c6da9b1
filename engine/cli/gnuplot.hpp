#pragma once
// Pictures of recordings, which the program gnuplot draws.

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/simulation/recording.hpp"

namespace torsor::cli {

struct Curve {
  std::string label;
  size_t column;
};

// Curves over one axis; panels stand one above the other, over the same time.
struct Panel {
  std::string axis;  // name and unit
  std::vector<Curve> curves;
};

// Throws Error, naming the option, for another extension than .svg and .png.
void require_picture(const char* option, const std::filesystem::path& out);

// Writes an .svg or a .png. The rows need not be in the order of time. Throws Error for another extension, where gnuplot is missing and where the file cannot be
// written.
void draw(const Recording& recording, const std::vector<Panel>& panels, const std::filesystem::path& out);

}  // namespace torsor::cli
