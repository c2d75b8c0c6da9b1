#pragma once

#include <imgui.h>

#include <string>

namespace torsor::editor {

// Makes the font of the interface at a scale. Returns why it is not the one meant, or "".
std::string load_fonts(float scale);
// Whose letters are all of one width, where it is there.
ImFont* fixed_font();

}  // namespace torsor::editor
