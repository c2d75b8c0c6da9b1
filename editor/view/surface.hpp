#pragma once
// Triangles out of files: STL, OBJ and DAE (COLLADA), read by assimp.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "torsor/host/trust.hpp"
#include "torsor/model/visual.hpp"

namespace torsor::editor {

// Those of one colour, in the frame of the file; metres, or whatever its user scales.
struct Surface {
  std::vector<float> vertices;    // position and normal of each: 6 floats
  std::vector<uint32_t> corners;  // of the triangles, by the numbers of vertices
  std::optional<Color> color;     // that the file says
  Vec3<double> low{}, high{};     // corners of the box about it, along the axes of the file
  uint64_t id = 0;                // no other surface of this program has it
};

// Folders whose meshes may be read: that of the scene, that above the folder of a mesh's
// description (packages have urdf/ and meshes/ side by side), those of ROS_PACKAGE_PATH and
// AMENT_PREFIX_PATH, those with a package.xml, and what the permission allows.
struct MeshAccess {
  std::filesystem::path folder = {};  // of the scene; "" is the present one
  Permission permission = {};
};

// The file that a description names. package://NAME/REST is looked for in the folder of the
// description and in those above it, then by ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. Throws Error
// that says where it was looked for, or that the file may not be read.
std::filesystem::path find_mesh(const MeshFile& mesh, const MeshAccess& access = {});

// Files of materials are read only from the folder of the mesh and below it.
//
// All triangles of a file, in the coordinates in which it has them: nothing is turned for an axis
// that it calls up (as RViz has it), but COLLADA's unit counts. Throws Error, in one sentence, for
// a file that is empty, too large, or broken.
std::vector<Surface> read_mesh(const std::filesystem::path& file);

}  // namespace torsor::editor
