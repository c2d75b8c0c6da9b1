#pragma once
// Widgets, colours and text functions that several panels share.

#include <imgui.h>

#include <string>
#include <string_view>

namespace torsor::editor {

// Returns a length on the screen, given at scale 1.
float scaled(float units);

// Colours of the current theme in addition to ImGui's own.
enum class Shade { accent, dim, good, warning, error, positive, negative, axis_x, axis_y, axis_z };
ImVec4 color(Shade shade);
ImU32 color_u32(Shade shade, float alpha = 1);
// Returns the colour of the k-th curve of a plot.
ImVec4 curve_color(int k);

void apply_theme(bool dark, float scale);
bool theme_is_dark();

// Begins a modal window in the centre, with this size at scale 1. Height 0 fits the content. Call
// it in every frame, whether the window is shown or not. Returns whether it is drawn. Only then
// call ImGui::EndPopup().
bool begin_overlay(const char* title, bool& shown, float width, float height);

// Returns whether a string contains a part, regardless of case.
bool contains(std::string_view text, std::string_view part);

void dim_text(const std::string& text);
// Draws "name   value unit" as a row of a table with two columns.
void value_row(const char* name, const std::string& value, const char* unit = "");
void tooltip(const std::string& text);  // for the last item
// Returns the width of a button with this label.
float button_width(const char* label);
// Continues the line after a gap if an item of this width fits, else begins the next line.
void continue_line(float width, float gap);
// Returns the string, cut off with "..." if it is wider than `width`.
std::string shortened(const std::string& text, float width);
// Draws a string, cut off with "..." at a width. The tooltip shows the complete string.
void clipped_text(const std::string& text, float width);

// Returns the string with line breaks, so that no line is wider than the width in pixels. Lines
// break at spaces. Only a word that is wider than a line is split.
std::string wrap_at_spaces(std::string_view text, float width);
// Draws a string with the line breaks of wrap_at_spaces(). Width 0: up to the right edge of the
// content.
void draw_wrapped_text(std::string_view text, float width = 0);
// Draws FILE:LINE with the line breaks of wrap_at_spaces(). A click copies the string.
void draw_place(std::string_view place, float width = 0);

}  // namespace torsor::editor
