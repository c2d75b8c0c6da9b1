#pragma once
// Arrows for vectors in the world: straight ones for forces and velocities, ones that turn by the
// right hand for moments and angular velocities.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// direction: of length 1; thickness: radius of the shaft, m. Both return where a label stands.
Vec3<double> add_arrow(Drawing& drawing, const Vec3<double>& from, const Vec3<double>& direction,
                       double length, double thickness, const Color& color);
// Three quarters of a circle about the axis.
Vec3<double> add_turn(Drawing& drawing, const Vec3<double>& center, const Vec3<double>& axis,
                      double radius, double pixels, const Color& color);

}  // namespace torsor::editor
