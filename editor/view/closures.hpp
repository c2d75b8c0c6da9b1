#pragma once
// Adds the closures of a mechanism to the 3D view.

#include <span>

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// Draws the kind of each closure at its frame A, and the origin of its frame B:
//   weld                     a box
//   revolute                 an axis with a ring
//   prismatic                an axis with ticks
//   cylindrical              an axis with a ring and ticks
//   screw                    an axis with a helix
//   universal                a cross of the two axes
//   spherical                a ball
//   planar, point_on_plane   a square
//   point_on_line            a line
//   distance                 a rod between the two points
// A line joins the origins if they are apart. All closures are drawn if the toggle is on; otherwise
// only the highlighted one.
void draw_closures(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);

}  // namespace torsor::editor
