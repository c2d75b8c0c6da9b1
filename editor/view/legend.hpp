#pragma once
// Draws the legend of the symbols, in the lower right corner of the picture.

#include <imgui.h>

#include "editor/view/view.hpp"

namespace torsor::editor {

// Draws the symbol of a centre of mass: a disc with black and white quarters.
void draw_center_of_mass(ImDrawList& draw, ImVec2 at, float radius);
constexpr float link_mark = 3.5f, robot_mark = 6.5f;  // radii at scale 1, for a link and a robot

// Draws the legend, unless it is switched off or would cover too much of the picture.
void draw_legend(ImDrawList& draw, const ViewState& view, const Model& model, ImVec2 at,
                 ImVec2 size);

}  // namespace torsor::editor
