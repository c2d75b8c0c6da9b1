#pragma once
// Shapes and colours of links, for display. The dynamics do not use them.

#include <optional>
#include <string>

#include "torsor/shapes/shape.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor {

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

// Returns the reason, with the numbers, why a colour cannot be drawn, or nullopt if it can.
std::optional<std::string> defect(const Color& color);

}  // namespace torsor
