#pragma once
// The shapes of links, for display. The dynamics do not use them.

#include <optional>
#include <string>
#include <variant>

#include "torsor/spatial/pose.hpp"

namespace torsor {

// Shapes in their frame V, in metres. All but a mesh have their centre at the origin of V.
struct Box {
  Vec3<double> size;  // lengths of its edges along x, y and z
};
struct Cylinder {
  double radius, length;  // along z
};
struct Sphere {
  double radius;
};
// Triangles of a file, in the frame V. The file is read only when it is drawn: this code does not
// check that it exists.
struct MeshFile {
  std::string file;             // path, or file:// or package:// URL, as in the description
  Vec3<double> scale{1, 1, 1};  // along the axes of V
  // "file:line" of the description. A relative path begins in the folder of that file.
  std::string source = "";
};
using Shape = std::variant<Box, Cylinder, Sphere, MeshFile>;

struct Color {
  double r, g, b, a;  // 0 to 1; a = 1 is opaque
};

struct VisualDescription {
  Pose<double> X_LV = Pose<double>::identity();  // in the frame of the link as the user gave it
  Shape shape;
  std::optional<Color> color;  // if there is none, the renderer chooses
};

struct Visual {
  int link;           // an index of Model::links
  Pose<double> X_FV;  // in the link's frame of the model, which com_frames moves
  Shape shape;
  std::optional<Color> color;
};

// Return half the edges of the smallest box around a shape, in m, and its volume, in m^3. The box
// has the axes of V and the same centre. Both are NaN for a mesh.
Vec3<double> half_size(const Shape& shape);
double volume(const Shape& shape);

// Return why a shape or colour cannot be drawn, with the numbers, or nullopt if it can.
std::optional<std::string> defect(const Shape& shape);
std::optional<std::string> defect(const Color& color);

}  // namespace torsor
