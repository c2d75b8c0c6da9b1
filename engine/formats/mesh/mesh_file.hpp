#pragma once
// Reads triangles from mesh files: STL, OBJ and DAE (COLLADA), with assimp, and MSH (MuJoCo).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "torsor/formats/packages/named_file.hpp"
#include "torsor/model/visual.hpp"
#include "torsor/shapes/triangles.hpp"

namespace torsor {

// Triangles of one colour, in the coordinates of a mesh file. MeshFile::scale converts them to
// metres.
struct Surface {
  std::vector<float> vertices;    // position and normal of each vertex: 6 floats
  std::vector<uint32_t> corners;  // vertex indices, three per triangle
  std::optional<Color> color;     // colour in the file
  Vec3<double> low{}, high{};     // corners of the bounding box, along the axes of the file
  uint64_t id = 0;                // unique in this process
};

// Returns the path of a mesh file of a description (packages/named_file.hpp). Throws Error if the
// file is not found or may not be read.
std::filesystem::path find_mesh(const MeshFile& mesh, const MeshAccess& access = {});

// Returns all triangles of a file in the coordinates of the file. Ignores an up axis in the file,
// as RViz does. Applies the unit of COLLADA. Reads material files only from the folder of the mesh
// and below. Throws Error, in one sentence, if the format is unknown or the file is empty, too
// large or malformed.
std::vector<Surface> read_mesh(const std::filesystem::path& file);

// Returns the triangles of all surfaces of a file, scaled along the axes of the file.
Triangles triangles_of(const std::vector<Surface>& surfaces, const Vec3<double>& scale);

}  // namespace torsor
