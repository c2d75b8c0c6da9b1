#pragma once

#include <string_view>

namespace torsor::editor {

// An equation of a trace, "wd_i = R^T wd_p + S_i vdot_i", set as in print: Greek letters, dots,
// indices below and exponents above the line, broken between words where the window ends.
void draw_equation(std::string_view text);

}  // namespace torsor::editor
