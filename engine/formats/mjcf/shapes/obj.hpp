#pragma once
// Reads the triangles of OBJ files as MuJoCo does.

#include <filesystem>

#include "torsor/shapes/triangles.hpp"

namespace torsor::mjcf {

// Returns the vertices, rounded to single precision, and the triangles of the first group with
// faces. MuJoCo ignores other groups. A quadrangle is divided along its shorter diagonal. A file
// without faces has no triangles. Throws Error, in one sentence, if a line is malformed.
Triangles read_obj(const std::filesystem::path& file);

}  // namespace torsor::mjcf
