#include "editor/app/fonts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>
#include <filesystem>

namespace torsor::editor {

std::string load_fonts(float scale) {
  // Characters of names and units: Latin, Greek, superscripts and subscripts, arrows, mathematical
  // symbols.
  static constexpr ImWchar ranges[] = {0x20,   0x17f,  0x370,  0x3ff,  0x1d40, 0x1d6a, 0x2010,
                                       0x2027, 0x2070, 0x209f, 0x2190, 0x21ff, 0x2200, 0x22ff,
                                       0x25a0, 0x25ff, 0x307,  0x308,  0};
  constexpr const char* file = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    ImFontConfig config;
    config.OversampleH = 3;
    if (atlas.AddFontFromFileTTF(file, std::round(14 * scale), &config, ranges)) {
      constexpr const char* fixed = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";
      if (std::filesystem::exists(fixed, ignored))
        atlas.AddFontFromFileTTF(fixed, std::round(13 * scale), &config, ranges);
      atlas.Build();
      return "";
    }
  }
  ImFontConfig config;
  config.SizePixels = std::round(13 * scale);
  atlas.AddFontDefault(&config);
  atlas.Build();
  return fmt::format("{}: the font cannot be read; install fonts-dejavu-core", file);
}

ImFont* fixed_font() {
  return ImGui::GetIO().Fonts->Fonts.back();
}

}  // namespace torsor::editor
