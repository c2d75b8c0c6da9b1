#pragma once
// Shapes of links, in their frame V. Lengths are in metres. All shapes except meshes have the
// centre of their bounding box at the origin of V.

#include <optional>
#include <string>
#include <variant>

#include "torsor/spatial/vec3.hpp"

namespace torsor {

struct Box {
  Vec3<double> size;  // lengths of the edges along x, y and z
};
struct Cylinder {
  double radius, length;  // length along z
};
struct Sphere {
  double radius;
};
// A cylinder along z with a half sphere at each end.
struct Capsule {
  double radius, length;  // length of the cylinder, without the half spheres
};
// A cone along z. Its base is at z = -length / 2, and its apex at z = length / 2.
struct Cone {
  double radius, length;  // radius of the base
};
struct Ellipsoid {
  Vec3<double> radii;  // semi-axes along x, y and z
};
// A mesh of triangles in a file, in the frame V. The file is read only when it is needed. This code
// does not check that it exists.
struct MeshFile {
  std::string file;             // path, or file:// or package:// URL, as in the description
  Vec3<double> scale{1, 1, 1};  // along the axes of V
  // "file:line" of the description. A relative path is relative to the folder of that file.
  std::string source = "";
};
using Shape = std::variant<Box, Cylinder, Sphere, Capsule, Cone, Ellipsoid, MeshFile>;

// Return half the edge lengths of the smallest box around a shape, in m, and the volume of the
// shape, in m^3. The box is centred at the origin of V and has the axes of V. Both results are NaN
// for a mesh.
Vec3<double> half_size(const Shape& shape);
double volume(const Shape& shape);

// Returns the reason, with the numbers, why a shape is not possible, or nullopt if it is.
std::optional<std::string> defect(const Shape& shape);

}  // namespace torsor
