#pragma once
// The shapes of links, for display. The dynamics do not use them.

#include <optional>
#include <string>
#include <variant>

#include "torsor/spatial/pose.hpp"

namespace torsor {

// Shapes in their frame V. Lengths are in metres. All shapes except meshes are centred at the
// origin of V.
struct Box {
  Vec3<double> size;  // lengths of the edges along x, y and z
};
struct Cylinder {
  double radius, length;  // length along z
};
struct Sphere {
  double radius;
};
// A mesh of triangles in a file, in the frame V. The file is read only when it is drawn. This code
// does not check that it exists.
struct MeshFile {
  std::string file;             // path, or file:// or package:// URL, as in the description
  Vec3<double> scale{1, 1, 1};  // along the axes of V
  // "file:line" of the description. A relative path is relative to the folder of that file.
  std::string source = "";
};
using Shape = std::variant<Box, Cylinder, Sphere, MeshFile>;

struct Color {
  double r, g, b, a;  // 0 to 1; a = 1 is opaque
};

struct VisualDescription {
  Pose<double> X_LV = Pose<double>::identity();  // pose in the described link frame L
  Shape shape;
  std::optional<Color> color;  // nullopt: the renderer selects a colour
};

struct Visual {
  int link;           // an index of Model::links
  Pose<double> X_FV;  // pose in the model's link frame, which com_frames moves to the COM
  Shape shape;
  std::optional<Color> color;
};

// Return half the edge lengths of the smallest box around a shape, in m, and the volume of the
// shape, in m^3. The box is centred at the origin of V and has the axes of V. Both results are NaN
// for a mesh.
Vec3<double> half_size(const Shape& shape);
double volume(const Shape& shape);

// Return the reason, with the numbers, why a shape or colour cannot be drawn, or nullopt if it can.
std::optional<std::string> defect(const Shape& shape);
std::optional<std::string> defect(const Color& color);

}  // namespace torsor
