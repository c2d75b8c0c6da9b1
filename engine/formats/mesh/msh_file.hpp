#pragma once
// Reads MSH files, the binary meshes of MuJoCo.

#include "torsor/formats/mesh/mesh_file.hpp"

namespace torsor {

// Maximum number of triangles of a file. Graphics drivers accept this number, but it takes minutes
// until such a file is visible.
inline constexpr size_t most_triangles = 5'000'000;

// Returns a new value of Surface::id.
uint64_t next_surface_id();

// Reads a file of the numbers of vertices, normals, texture coordinates and triangles (32 bit),
// followed by 3, 3 and 2 floats and 3 indices of each of them. If there are no triangles, the
// result has none. Throws Error, in one sentence, if the file is malformed.
Surface read_msh(const std::filesystem::path& file);

}  // namespace torsor
