#pragma once
// Sliders that edit positions, velocities and torques of joints, with undo and redo.

#include "torsor/model/model.hpp"

namespace torsor::editor {

class Editor;

// One of count columns each from the first on, with the choice of what they set.
void draw_joint_sliders(Editor& editor, int first, int count);
// All of a joint.
void draw_joint_sliders(Editor& editor, const Joint& joint);

}  // namespace torsor::editor
