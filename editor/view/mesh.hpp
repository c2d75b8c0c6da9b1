#pragma once

#include <vector>

#include "editor/view/solid.hpp"

namespace torsor::editor {

// Returns the triangles of a unit mesh, counter-clockwise from outside: position and normal of each
// corner, 6 floats.
std::vector<float> triangles(Mesh mesh);

}  // namespace torsor::editor
