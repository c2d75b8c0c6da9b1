#include "editor/widgets/widgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cmath>

namespace torsor::editor {

namespace {

bool dark_theme = true;
float ui_scale = 1;

ImVec4 hex(unsigned rgb, float alpha = 1) {
  return {float(rgb >> 16 & 255) / 255, float(rgb >> 8 & 255) / 255, float(rgb & 255) / 255, alpha};
}

}  // namespace

float scaled(float units) {
  return units * ui_scale;
}
bool theme_is_dark() {
  return dark_theme;
}

ImVec4 color(Shade shade) {
  switch (shade) {
    case Shade::accent:
      return dark_theme ? hex(0x5aa9e6) : hex(0x1f6fb5);
    case Shade::dim:
      return dark_theme ? hex(0x8b94a0) : hex(0x6a7280);
    case Shade::good:
      return dark_theme ? hex(0x6cc47c) : hex(0x23823a);
    case Shade::warning:
      return dark_theme ? hex(0xe5b454) : hex(0xa86a00);
    case Shade::error:
      return dark_theme ? hex(0xf0716b) : hex(0xc0302a);
    case Shade::positive:
      return dark_theme ? hex(0xe07b53) : hex(0xd0552a);
    case Shade::negative:
      return dark_theme ? hex(0x4f8fd0) : hex(0x2f6fb8);
    case Shade::axis_x:
      return hex(0xd9534f);
    case Shade::axis_y:
      return hex(0x4fa85a);
    case Shade::axis_z:
      return hex(0x4a86d8);
  }
  return {};
}

ImU32 color_u32(Shade shade, float alpha) {
  ImVec4 c = color(shade);
  c.w *= alpha;
  return ImGui::ColorConvertFloat4ToU32(c);
}

// The colours are based on the palette of Okabe and Ito, which colour-blind people can distinguish.
ImVec4 curve_color(int k) {
  static constexpr unsigned on_dark[] = {0x56b4e9, 0xe69f00, 0x2fbf8f, 0xf0e442,
                                         0xe07850, 0xcc79a7, 0x9aa4ff, 0xc8ccd2};
  static constexpr unsigned on_light[] = {0x0072b2, 0xc77b00, 0x009e73, 0x8f8500,
                                          0xd55e00, 0xb0558a, 0x4b52c8, 0x40464e};
  constexpr int n = int(std::size(on_dark));
  return hex(dark_theme ? on_dark[k % n] : on_light[k % n]);
}

void apply_theme(bool dark, float scale) {
  dark_theme = dark;
  ui_scale = scale;
  ImGuiStyle style;
  dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  ImVec4* c = style.Colors;
  const auto set = [&](ImGuiCol index, unsigned on_dark, unsigned on_light, float alpha = 1) {
    c[index] = hex(dark ? on_dark : on_light, alpha);
  };
  set(ImGuiCol_Text, 0xdde2e8, 0x20262e);
  set(ImGuiCol_TextDisabled, 0x8b94a0, 0x6a7280);
  set(ImGuiCol_WindowBg, 0x1d2127, 0xf6f7f9);
  set(ImGuiCol_ChildBg, 0x1d2127, 0xf6f7f9, 0);
  set(ImGuiCol_PopupBg, 0x23282f, 0xffffff);
  set(ImGuiCol_Border, 0x343b45, 0xcdd3db);
  set(ImGuiCol_FrameBg, 0x2a3038, 0xe6e9ee);
  set(ImGuiCol_FrameBgHovered, 0x343c46, 0xd9dee6);
  set(ImGuiCol_FrameBgActive, 0x3d4752, 0xccd4df);
  set(ImGuiCol_TitleBg, 0x262b32, 0xe3e7ec);
  set(ImGuiCol_TitleBgActive, 0x262b32, 0xe3e7ec);
  set(ImGuiCol_TitleBgCollapsed, 0x262b32, 0xe3e7ec);
  set(ImGuiCol_MenuBarBg, 0x15181c, 0xdde1e7);
  set(ImGuiCol_ScrollbarBg, 0x1d2127, 0xf0f2f5, 0);
  set(ImGuiCol_ScrollbarGrab, 0x3d4651, 0xc3cad4);
  set(ImGuiCol_CheckMark, 0x5aa9e6, 0x1f6fb5);
  // The grab of a slider is translucent, because it covers the number.
  set(ImGuiCol_SliderGrab, 0x4f94cc, 0x4d8fca, 0.5f);
  set(ImGuiCol_SliderGrabActive, 0x6cb6f0, 0x1f6fb5, 0.5f);
  set(ImGuiCol_Button, 0x2f3742, 0xdfe4eb);
  set(ImGuiCol_ButtonHovered, 0x3c4755, 0xcfd8e3);
  set(ImGuiCol_ButtonActive, 0x47586b, 0xb9c9dc);
  set(ImGuiCol_Header, 0x31485f, 0xc7dcf0);
  set(ImGuiCol_HeaderHovered, 0x334a61, 0xd3e3f3);
  set(ImGuiCol_HeaderActive, 0x3a5672, 0xb9d4ec);
  set(ImGuiCol_Separator, 0x343b45, 0xcdd3db);
  set(ImGuiCol_SeparatorHovered, 0x5aa9e6, 0x1f6fb5);
  set(ImGuiCol_SeparatorActive, 0x5aa9e6, 0x1f6fb5);
  set(ImGuiCol_TableHeaderBg, 0x262b32, 0xe3e7ec);
  set(ImGuiCol_TableBorderLight, 0x2b313a, 0xdfe3e9);
  set(ImGuiCol_TableBorderStrong, 0x343b45, 0xcdd3db);
  set(ImGuiCol_TextSelectedBg, 0x31587c, 0xb9d4ec);
  set(ImGuiCol_ModalWindowDimBg, 0x000000, 0x20262e, 0.35f);
  style.WindowRounding = 0;
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.ScrollbarRounding = 4;
  style.PopupRounding = 4;
  style.WindowPadding = {8, 6};
  style.FramePadding = {6, 3};
  style.ItemSpacing = {6, 4};
  style.ItemInnerSpacing = {5, 4};
  style.CellPadding = {4, 2};
  style.ScrollbarSize = 11;
  style.IndentSpacing = 14;
  style.WindowTitleAlign = {0, 0.5f};
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.ScaleAllSizes(scale);
  style.WindowBorderSize = 1;
  style.WindowMinSize = {1, 1};
  ImGui::GetStyle() = style;
}

bool begin_overlay(const char* title, bool& shown, float width, float height) {
  if (shown && !ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  if (!ImGui::IsPopupOpen(title)) return false;
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(scaled(width), size.x * 0.95f), std::min(scaled(height), size.y * 0.9f)});
  return ImGui::BeginPopupModal(title, &shown,
                                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

void dim_text(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

namespace {

// Returns the end of the first line of a paragraph: a space, or the end of the paragraph. In a word
// that is too wide, it is the first character that does not fit. A line has at least one character.
const char* end_of_line(const char* begin, const char* end, float width) {
  const char* fit = begin;
  // ImGui stops at widths equal to the limit, but a line may be exactly `width` wide.
  const float limit = std::nextafter(width, FLT_MAX);
  ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), limit, 0, begin, end, &fit);
  if (fit == end) return end;
  for (const char* space = fit; space > begin; --space)
    if (*space == ' ') return space;
  if (fit == begin) ++fit;
  // Move to the beginning of the next UTF-8 character.
  while (fit < end && (*fit & 0xc0) == 0x80) ++fit;
  return fit;
}

}  // namespace

// This function replaces ImGui's line breaks, which can be inside numbers, after the decimal point.
std::string wrap_at_spaces(std::string_view text, float width) {
  std::string out;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    const char* paragraph = std::find(at, end, '\n');
    const char* line = end_of_line(at, paragraph, width);
    out.append(at, line);
    at = std::find_if(line, paragraph, [](char c) { return c != ' '; });
    if (at == end) break;
    out += '\n';
    if (at == paragraph) ++at;
  }
  return out;
}

void draw_wrapped_text(std::string_view text, float width) {
  if (width <= 0) width = ImGui::GetContentRegionAvail().x;
  ImGui::TextUnformatted(wrap_at_spaces(text, width).c_str());
}

void draw_place(std::string_view place, float width) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::accent));
  draw_wrapped_text(place, width);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  tooltip("Click to copy");
  if (ImGui::IsItemClicked()) ImGui::SetClipboardText(std::string(place).c_str());
}

void value_row(const char* name, const std::string& value, const char* unit) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  dim_text(name);
  ImGui::TableNextColumn();
  const auto width = [](const char* text) { return ImGui::CalcTextSize(text).x; };
  const float space = *unit ? width(" ") : 0;
  if (width(value.c_str()) + space + width(unit) > ImGui::GetContentRegionAvail().x)
    return draw_wrapped_text(*unit ? fmt::format("{} {}", value, unit) : value);
  ImGui::TextUnformatted(value.c_str());
  if (*unit) {
    ImGui::SameLine(0, space);
    dim_text(unit);
  }
}

void tooltip(const std::string& text) {
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  draw_wrapped_text(text, scaled(420));
  ImGui::EndTooltip();
}

float button_width(const char* label) {
  return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void continue_line(float width, float gap) {
  ImGui::SameLine(0, gap);
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

std::string shortened(const std::string& text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  const float dots = ImGui::CalcTextSize("...").x;
  size_t length = text.size();
  while (length > 0 && ImGui::CalcTextSize(text.c_str(), text.c_str() + length).x + dots > width) {
    --length;
    // Go back to the beginning of a UTF-8 character.
    while (length > 0 && (text[length] & 0xc0) == 0x80) --length;
  }
  return text.substr(0, length) + "...";
}

void clipped_text(const std::string& text, float width) {
  const std::string shown = shortened(text, width);
  ImGui::TextUnformatted(shown.c_str());
  if (shown != text) tooltip(text);
}

}  // namespace torsor::editor
