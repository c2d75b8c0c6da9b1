#pragma once

#include <string>

namespace torsor::editor {

// Makes the font of the interface at a scale. Returns why it is not the one meant, or "".
std::string load_fonts(float scale);

}  // namespace torsor::editor
