#pragma once
// Widgets, colours and text functions that several panels share.

#include <imgui.h>

#include <string>
#include <string_view>

namespace torsor::editor {

// Returns a length on the screen, given at scale 1.
float scaled(float units);

// Colours of the present theme in addition to ImGui's own.
enum class Shade { accent, dim, good, warning, error, positive, negative, axis_x, axis_y, axis_z };
ImVec4 color(Shade shade);
ImU32 color_u32(Shade shade, float alpha = 1);
// Returns the colour of the k-th curve of a plot.
ImVec4 curve_color(int k);

void apply_theme(bool dark, float scale);
bool theme_is_dark();

// Begins a modal window in the middle, of this size at scale 1; height 0 fits the content. Must be
// called in every frame, shown or not. Returns whether it is drawn; only then ImGui::EndPopup()
// must follow.
bool begin_overlay(const char* title, bool& shown, float width, float height);

// Returns whether a text contains a part, regardless of case.
bool contains(std::string_view text, std::string_view part);

void dim_text(const std::string& text);
// Draws "name   value unit" as a row of a table with two columns.
void value_row(const char* name, const std::string& value, const char* unit = "");
void tooltip(const std::string& text);  // of the item before
// Returns the width of a button with this label.
float button_width(const char* label);
// Continues the line after a gap if an item of this width fits, else begins the next line.
void continue_line(float width, float gap);
// Returns the text, cut off with "..." if it is wider.
std::string shortened(const std::string& text, float width);
// Draws a text, cut off with "..." at a width. The tooltip shows all of it.
void clipped_text(const std::string& text, float width);

// Returns the text with line breaks, so that no line is wider than the width in pixels. Lines break
// at spaces; only a word that is wider than a line is split.
std::string wrap_at_spaces(std::string_view text, float width);
// Draws a text with these line breaks. Width 0: up to the right edge of the content.
void draw_wrapped_text(std::string_view text, float width = 0);
// Draws FILE:LINE, which a click copies, with these line breaks.
void draw_place(std::string_view place, float width = 0);

}  // namespace torsor::editor
