#pragma once
// Reads triangles from mesh files: STL, OBJ and DAE (COLLADA), with assimp.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "torsor/host/trust.hpp"
#include "torsor/model/visual.hpp"

namespace torsor::editor {

// Triangles of one colour, in the frame of the file. The caller scales them to metres.
struct Surface {
  std::vector<float> vertices;    // position and normal of each vertex: 6 floats
  std::vector<uint32_t> corners;  // vertex indices of the triangles
  std::optional<Color> color;     // colour in the file
  Vec3<double> low{}, high{};     // corners of the bounding box, along the axes of the file
  uint64_t id = 0;                // unique in this program
};

// The folders whose meshes may be read:
// - the folder of the scene
// - the parent of the folder of the robot file that names the mesh (packages have urdf/ and meshes/
// side by side)
// - the folders in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH
// - folders with a package.xml
// - folders that the permission allows
struct MeshAccess {
  std::filesystem::path folder = {};  // folder of the scene; "": the current folder
  Permission permission = {};
};

// Returns the file that a description names. package://NAME/REST is searched in the folder of the
// description, its parents, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. Throws Error if the file is not
// found, with the searched places, or if it may not be read.
std::filesystem::path find_mesh(const MeshFile& mesh, const MeshAccess& access = {});

// Returns all triangles of a file in the coordinates of the file. An up axis in the file is
// ignored, as in RViz. A COLLADA unit is applied. Material files are read only from the folder of
// the mesh and below. Throws Error, in one sentence, for a file that is empty, too large, or
// malformed.
std::vector<Surface> read_mesh(const std::filesystem::path& file);

}  // namespace torsor::editor
