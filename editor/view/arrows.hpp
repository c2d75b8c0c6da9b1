#pragma once
// Adds arrows for vectors in the world: straight arrows for forces and velocities, curved arrows
// (right-hand rule) for moments and angular velocities.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// Adds a straight arrow. direction is a unit vector. length and thickness, the radius of the shaft,
// are in m. Returns a position for a label, at the tip.
Vec3<double> add_arrow(Drawing& drawing, const Vec3<double>& from, const Vec3<double>& direction,
                       double length, double thickness, const Color& color);
// Adds a curved arrow: three quarters of a circle about the axis, a unit vector. radius is in m,
// pixels is the width of the line. Returns a position for a label, at the start of the arc.
Vec3<double> add_turn(Drawing& drawing, const Vec3<double>& center, const Vec3<double>& axis,
                      double radius, double pixels, const Color& color);

}  // namespace torsor::editor
