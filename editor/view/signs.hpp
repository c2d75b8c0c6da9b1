#pragma once
// Draws wrenches and twists as arrows with their values.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// Draws wrenches BY the environment ON links. Wrenches of the load that are fixed in a frame are
// drawn at that frame. The remaining wrench on a link, without a pull, is drawn on its line of
// action at the point nearest to the centre of mass.
void draw_applied(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);
// Draws the spring by which a user pulls a link, and its force.
void draw_pull(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);
// Draws the joint wrenches at the axes of the joints.
void draw_reactions(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                    Drawing& drawing);
// Draws the twists of the child links of joints: the angular velocity, and the velocity of the link
// frame's origin.
void draw_twists(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);

}  // namespace torsor::editor
