#pragma once
// Arrows for vectors in the world: straight arrows for forces and velocities, curved arrows
// (right-hand rule) for moments and angular velocities.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// Adds a straight arrow. direction has length 1; thickness is the radius of the shaft in m. Returns
// the position of a label.
Vec3<double> add_arrow(Drawing& drawing, const Vec3<double>& from, const Vec3<double>& direction,
                       double length, double thickness, const Color& color);
// Adds a curved arrow: three quarters of a circle about the axis. Returns the position of a label.
Vec3<double> add_turn(Drawing& drawing, const Vec3<double>& center, const Vec3<double>& axis,
                      double radius, double pixels, const Color& color);

}  // namespace torsor::editor
