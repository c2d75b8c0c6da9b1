#pragma once
// What links look like: shapes for whoever draws the robot. The dynamics know nothing of them.

#include <optional>
#include <string>
#include <variant>

#include "torsor/spatial/pose.hpp"

namespace torsor {

// Each but the last has its centre at the origin of its frame V; metres.
struct Box {
  Vec3<double> size;  // its edges along x, y and z
};
struct Cylinder {
  double radius, length;  // along z
};
struct Sphere {
  double radius;
};
// Triangles of a file in the frame V. Who draws reads it: nothing here asks whether it is there.
struct MeshFile {
  std::string file;             // as the description names it: a path, file:// or package://
  Vec3<double> scale{1, 1, 1};  // along the axes of V
  std::string source =
      "";  // "file:line" of the description; a relative path begins in the folder of that file
};
using Shape = std::variant<Box, Cylinder, Sphere, MeshFile>;

struct Color {
  double r, g, b, a;  // 0 to 1; a = 1 is opaque
};

struct VisualDescription {
  Pose<double> X_LV = Pose<double>::identity();  // in the frame of the link as the user gave it
  Shape shape;
  std::optional<Color> color;  // none: whoever draws chooses
};

struct Visual {
  int link;           // an index of Model::links
  Pose<double> X_FV;  // in the link's frame of the model, which com_frames moves
  Shape shape;
  std::optional<Color> color;
};

// Of the box about it whose edges are those of its frame, from its centre; and what it holds, in
// m^3. NaN of a mesh.
Vec3<double> half_size(const Shape& shape);
double volume(const Shape& shape);

// Why it cannot be drawn, with the numbers; nothing where it can.
std::optional<std::string> defect(const Shape& shape);
std::optional<std::string> defect(const Color& color);

}  // namespace torsor
