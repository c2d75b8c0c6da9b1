#pragma once
// Draws parts of diagrams (curves, areas, grid) and detects mouse gestures.

#include <imgui.h>

#include <span>

#include "editor/plot/plot.hpp"

namespace torsor::editor {

ImVec2 top_left(const Plot& plot);
ImVec2 bottom_right(const Plot& plot);
// Draws straight lines between successive points, with a width in pixels.
void draw_pieces(ImDrawList* draw, std::span<const ImVec2> points, ImU32 ink, int width);
void draw_curve(ImDrawList* draw, const Plot& plot, const PlotCurve& curve, float alpha, int width);
void draw_area(ImDrawList* draw, const Plot& plot, const PlotArea& area);
std::string unit_label(const char* unit);
void draw_grid(ImDrawList* draw, const Plot& plot);
int curve_width();  // width of a curve in pixels
// Adds the invisible button of a diagram and draws its grid. Clips to the diagram; the caller must
// call PopClipRect() of the returned list.
ImDrawList* begin_diagram(const char* id, const Plot& plot);
// Returns the mouse gestures on the last ImGui item, the button of begin_diagram(). Draws the box
// of a right drag.
PlotGesture gesture_of(ImDrawList* draw, const Plot& plot);

}  // namespace torsor::editor
