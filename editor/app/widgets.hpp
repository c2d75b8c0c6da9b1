#pragma once
// Small things that several panels draw alike.

#include <imgui.h>

#include <string>
#include <string_view>

namespace torsor::editor {

// Length on the screen of a number of units at scale 1.
float scaled(float units);

// Colours beyond ImGui's own, in the present theme.
enum class Shade { accent, dim, good, warning, error, positive, negative, axis_x, axis_y, axis_z };
ImVec4 color(Shade shade);
ImU32 color_u32(Shade shade, float alpha = 1);
// Of the k-th curve of a plot.
ImVec4 curve_color(int k);

void apply_theme(bool dark, float scale);
bool theme_is_dark();

// Begins a modal window in the middle, of this size at scale 1; height 0 fits the content. To be called in every frame, shown
// or not. Returns whether it is drawn; only then ImGui::EndPopup() follows.
bool begin_overlay(const char* title, bool& shown, float width, float height);

// Whether a text has a part, be its letters large or small.
bool contains(std::string_view text, std::string_view part);

void dim_text(const std::string& text);
// "name   value unit" in a table of two columns.
void value_row(const char* name, const std::string& value, const char* unit = "");
void tooltip(const std::string& text);  // of the item before
// Ending in "..." where it is wider.
std::string shortened(const std::string& text, float width);
// Text shortened with "..." to a width, its whole in a tooltip.
void clipped_text(const std::string& text, float width);

}  // namespace torsor::editor
