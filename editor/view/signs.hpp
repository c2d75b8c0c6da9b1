#pragma once
// Signs of what acts and moves: arrows of wrenches and twists, with their numbers.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// Wrenches BY the environment ON links, by the state: those of the load that are fixed in a frame
// at that frame, and of each link what else acts on it but a pull on its line of action, where that
// is nearest to its centre of mass.
void draw_applied(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);
// The spring by which a user pulls a link, with its force.
void draw_pull(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);
// In each joint, where its axis is.
void draw_reactions(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                    Drawing& drawing);
// Of the links that joints carry: angular velocity, and velocity of the origin of the link's frame.
void draw_twists(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);

}  // namespace torsor::editor
