#pragma once
// Finds the characters on the screen from the triangles that ImGui drew.

#include <imgui.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torsor::editor::test {

struct DrawnCharacter {
  unsigned code;
  ImVec2 low, high;  // corners on the screen
  bool cut_off;      // true if it exceeds its clipping rectangle on the left or right
};

// Returns the characters of the last frame in all ImGui windows whose names contain `window`, in
// the order of drawing. Spaces are not drawn.
inline std::vector<DrawnCharacter> drawn_characters(std::string_view window) {
  // Codes of characters by their upper left corners in the font atlas.
  std::map<std::pair<float, float>, unsigned> codes;
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
    for (const ImFontGlyph& glyph : font->Glyphs)
      if (glyph.Visible) codes[{glyph.U0, glyph.V0}] = glyph.Codepoint;
  std::vector<DrawnCharacter> out;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (const ImDrawList* list : std::span(data.CmdLists, size_t(data.CmdListsCount))) {
    const std::string_view owner = list->_OwnerName ? list->_OwnerName : "";
    if (owner.find(window) == std::string_view::npos) continue;
    for (const ImDrawCmd& command : list->CmdBuffer)
      for (unsigned k = command.IdxOffset; k + 3 <= command.IdxOffset + command.ElemCount; k += 3) {
        const auto corner = [&](unsigned n) {
          return list->VtxBuffer[int(command.VtxOffset + list->IdxBuffer[int(k + n)])];
        };
        const ImDrawVert low = corner(0), right = corner(1), high = corner(2);
        const auto code = codes.find({low.uv.x, low.uv.y});
        // The first triangle of a character connects its upper left, upper right and lower right
        // corners.
        if (code == codes.end() || right.uv.y != low.uv.y || right.uv.x == low.uv.x) continue;
        const bool cut_off = low.pos.x < command.ClipRect.x || high.pos.x > command.ClipRect.z;
        out.push_back({code->second, low.pos, high.pos, cut_off});
      }
  }
  return out;
}

// Returns the first characters that spell an ASCII text without spaces, or an empty span.
inline std::span<const DrawnCharacter> find_drawn(const std::vector<DrawnCharacter>& all,
                                                  std::string_view text) {
  const auto is = [](const DrawnCharacter& each, char c) { return each.code == unsigned(c); };
  const auto found = std::ranges::search(all, text, is);
  return {found.begin(), found.end()};
}

}  // namespace torsor::editor::test
