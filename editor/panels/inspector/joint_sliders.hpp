#pragma once
// Draws sliders that edit positions, velocities and torques of joints, with undo and redo.

#include "torsor/model/model.hpp"

namespace torsor::editor {

class Editor;

// Draws the choice of the edited quantity (position, velocity or torque), and one slider for each
// of `count` dof from `first` on.
void draw_joint_sliders(Editor& editor, int first, int count);
// Draws sliders for the position, velocity and torque of all dof of a joint.
void draw_joint_sliders(Editor& editor, const Joint& joint);

}  // namespace torsor::editor
