#pragma once
// What the signs in the picture mean, in its lower right corner.

#include <imgui.h>

#include "editor/view/view.hpp"

namespace torsor::editor {

// The sign of a centre of mass: a disc in quarters, black and white.
void draw_center_of_mass(ImDrawList& draw, ImVec2 at, float radius);
constexpr float link_mark = 3.5f, whole_mark = 6.5f;  // radii at scale 1

// Not where it would hide the robot.
void draw_legend(ImDrawList& draw, const ViewState& view, const Model& model, ImVec2 at,
                 ImVec2 size);

}  // namespace torsor::editor
