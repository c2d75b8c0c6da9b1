#pragma once

#include <vector>

#include "editor/view/solid.hpp"

namespace torsor::editor {

// Returns the triangles of a unit mesh, counter-clockwise seen from outside. Each corner has 6
// floats: position and normal. Empty for Mesh::surface.
std::vector<float> triangles(Mesh mesh);

}  // namespace torsor::editor
