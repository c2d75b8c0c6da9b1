#pragma once
// Widgets, colours and text functions that several panels share.

#include <imgui.h>

#include <string>
#include <string_view>

namespace torsor::editor {

// Converts a length at scale 1 to pixels at the current scale.
float scaled(float units);

// Colours of the theme in addition to those of ImGui.
enum class Shade { accent, dim, good, warning, error, positive, negative, axis_x, axis_y, axis_z };
ImVec4 color(Shade shade);
ImU32 color_u32(Shade shade, float alpha = 1);
// Returns the colour of the k-th curve of a plot. The colours repeat.
ImVec4 curve_color(int k);

void apply_theme(bool dark, float scale);
bool theme_is_dark();

// Begins a modal window in the centre. width and height are at scale 1; height 0 fits the content.
// Must be called in every frame, even if the window is not shown. Returns whether the window is
// drawn; only then must the caller call ImGui::EndPopup().
bool begin_overlay(const char* title, bool& shown, float width, float height);

// Returns whether a string contains a substring, regardless of the case of ASCII letters.
bool contains(std::string_view text, std::string_view part);

void dim_text(const std::string& text);
// Draws "name   value unit" as a row of a table with two columns.
void value_row(const char* name, const std::string& value, const char* unit = "");
void tooltip(const std::string& text);  // shows a tooltip if the mouse is on the last item
// Returns the width of a button with this label.
float button_width(const char* label);
// Places the next item on the same line after a gap if an item of this width fits, otherwise on the
// next line.
void continue_line(float width, float gap);
// Returns the string. If it is wider than `width` pixels, replaces its end with "...".
std::string shortened(const std::string& text, float width);
// Draws a string as shortened() returns it. If it is shortened, a tooltip shows the complete
// string.
void clipped_text(const std::string& text, float width);

// Returns the string with line breaks such that no line is wider than `width` pixels. Lines break
// at spaces. Only a word that is wider than a line is split.
std::string wrap_at_spaces(std::string_view text, float width);
// Draws a string with the line breaks of wrap_at_spaces(). Width 0: up to the right edge of the
// content area.
void draw_wrapped_text(std::string_view text, float width = 0);
// Draws FILE:LINE with the line breaks of wrap_at_spaces(). A click copies FILE:LINE to the
// clipboard.
void draw_place(std::string_view place, float width = 0);

}  // namespace torsor::editor
