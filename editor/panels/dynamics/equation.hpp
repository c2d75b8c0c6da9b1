#pragma once

#include <string_view>

namespace torsor::editor {

// Draws an equation of a trace, such as "wd_i = R^T wd_p + S_i vdot_i", in mathematical notation:
// Greek letters, dots, subscripts and superscripts. "w" is an angular velocity, and "rate" is the
// letter w of the rates of constraints. Lines break between words at the edge of the
// window.
void draw_equation(std::string_view text);

}  // namespace torsor::editor
