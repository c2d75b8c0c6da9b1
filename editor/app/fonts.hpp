#pragma once

#include <imgui.h>

#include <string>

namespace torsor::editor {

// Loads the fonts of the interface at a scale. Returns the reason why the intended font is not
// used, or "".
std::string load_fonts(float scale);
// Returns the monospaced font, or null if there is none.
ImFont* fixed_font();

}  // namespace torsor::editor
