#pragma once

#include <vector>

#include "editor/view/solid.hpp"

namespace torsor::editor {

// Triangles of a mesh that is the same for all solids, counter-clockwise from outside: position and
// normal of each corner, 6 floats.
std::vector<float> triangles(Mesh mesh);

}  // namespace torsor::editor
