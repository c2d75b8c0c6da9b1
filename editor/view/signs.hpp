#pragma once
// Draws wrenches and twists as arrows with their values, contacts, and outlines of collision
// shapes.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

// Draws the wrenches applied to links by the environment. Each wrench that the load defines in a
// frame is drawn at the origin of that frame. The rest of the wrench on a body, except for the
// pull, is drawn on its line of action, at the point nearest to the centre of mass.
void draw_applied(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);
// Draws the spring with which a user pulls a link, and its force.
void draw_pull(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);
// Draws the joint wrenches (DrawingInput::joint_wrenches) at the origins of the joints.
void draw_reactions(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                    Drawing& drawing);
// Draws the wrenches of A on B of closures (DrawingInput::closure_wrenches) at the origins of B.
// Only the highlighted closure has labels if there are more than eight.
void draw_closure_wrenches(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                           Drawing& drawing);
// Draws the points of contacts as dots with their normals. Points with a force also have an arrow
// and the friction cone of half angle atan mu, up to the height of the normal force. The tip of the
// arrow is in the disc of the cone, and at its rim if the point slides. Normals and forces are
// those on the second body, or on the first one if the second is fixed in the world. Links become
// translucent, because the forces point into them. Contacts of the highlighted link have labels.
void draw_contacts(const DrawingInput& input, Drawing& drawing);
// Draws the outlines of the collision shapes. Those of the highlighted link are emphasised.
void draw_colliders(const DrawingInput& input, std::span<const Pose<double>> X_WB,
                    Drawing& drawing);
// Draws the twists of the child links of joints: the angular velocity, and the velocity of the link
// frame's origin.
void draw_twists(const DrawingInput& input, std::span<const Pose<double>> X_WB, Drawing& drawing);

}  // namespace torsor::editor
