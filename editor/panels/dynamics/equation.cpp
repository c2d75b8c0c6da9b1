#include "editor/panels/dynamics/equation.hpp"

#include <imgui.h>

#include <cctype>
#include <string>
#include <vector>

#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// A part of a word that is on the line, a subscript or a superscript.
struct Run {
  std::string text;
  int level;  // 0: on the line, -1: subscript, 1: superscript
};
using Word = std::vector<Run>;

std::string in_print(std::string_view word) {
  static constexpr struct {
    std::string_view plain, print;
  } letters[] = {{"w", "ω"},    {"wd", "ω̇"},    {"vdot", "v̇"},   {"tau", "τ"}, {"gamma", "γ"},
                 {"beta", "β"}, {"sum", "Σ"},   {"x", "×"},      {".", "·"},   {"phi", "φ"},
                 {"phid", "φ̇"}, {"phidd", "φ̈"}, {"lambda", "λ"}, {"Jd", "J̇"},  {"mu", "μ"},
                 {"rate", "w"}, {">=", "≥"},    {"<=", "≤"},     {"!=", "≠"}};
  for (const auto& [plain, print] : letters)
    if (word == plain) return std::string(print);
  return std::string(word);
}

// Adds a name. A name of two_parts gets a subscript or superscript: "Fe" is F with subscript e.
void add_name(std::string_view name, Word& out) {
  static constexpr struct {
    std::string_view plain, main, part;
    int level;
  } two_parts[] = {{"sw", "s", "ω", -1}, {"sv", "s", "v", -1}, {"Sw", "S", "ω", -1},
                   {"Sv", "S", "v", -1}, {"Fe", "F", "e", -1}, {"Pa", "P", "a", 1},
                   {"ba", "b", "a", 1},  {"Ac", "A", "c", 1}};
  for (const auto& [plain, main, part, level] : two_parts) {
    if (name != plain) continue;
    out.push_back({std::string(main), 0});
    out.push_back({std::string(part), level});
    return;
  }
  out.push_back({in_print(name), 0});
}

Word runs(std::string_view word) {
  Word out;
  if (std::string print = in_print(word); word.size() == 1 || print != word)
    return {{std::move(print), 0}};
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (size_t k = 0; k < word.size();) {
    const int level = word[k] == '_' ? -1 : word[k] == '^' ? 1 : 0;
    if (level != 0) ++k;
    size_t end = k;
    while (end < word.size() && (is_name(word[end]) || (level == 1 && word[end] == '-'))) ++end;
    const bool named = end > k;
    if (!named) end = std::min(k + 1, word.size());
    const std::string_view text = word.substr(k, end - k);
    if (named && level == 0)
      add_name(text, out);
    else
      out.push_back({std::string(text), level});
    k = end;
  }
  return out;
}

float run_width(const Run& run) {
  const float scale = run.level ? 0.72f : 1;
  return scale * ImGui::CalcTextSize(run.text.c_str()).x;
}
float word_width(const Word& word) {
  float width = 0;
  for (const Run& run : word) width += run_width(run);
  return width;
}

std::vector<Word> words(std::string_view text) {
  std::vector<Word> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) out.push_back(runs(text.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

}  // namespace

void draw_equation(std::string_view text) {
  const float space = ImGui::CalcTextSize(" ").x, size = ImGui::GetFontSize(), line = 1.3f * size;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float right = start.x + ImGui::GetContentRegionAvail().x;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImVec2 at = start;
  float widest = 0;
  for (const Word& word : words(text)) {
    if (at.x > start.x && at.x + word_width(word) > right) at = {start.x + scaled(14), at.y + line};
    for (const Run& run : word) {
      const float small = run.level ? 0.72f * size : size;
      const float below = run.level < 0 ? 0.42f * size : run.level > 0 ? -0.1f * size : 0;
      draw.AddText(ImGui::GetFont(), small, {at.x, at.y + below}, ImGui::GetColorU32(ImGuiCol_Text),
                   run.text.c_str());
      at.x += run_width(run);
    }
    widest = std::max(widest, at.x - start.x);
    at.x += space;
  }
  ImGui::Dummy({widest, at.y + line - start.y});
}

}  // namespace torsor::editor
