#pragma once

#include <imgui.h>

#include <string>

namespace torsor::editor {

// Loads the fonts of the interface at a scale. Returns why the intended font is not used, or "".
std::string load_fonts(float scale);
// Returns the monospaced font, if there is one.
ImFont* fixed_font();

}  // namespace torsor::editor
