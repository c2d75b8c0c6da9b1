#pragma once
// Parts of diagrams: strokes, areas, grid and mouse gestures.

#include <imgui.h>

#include <span>

#include "editor/plot/plot.hpp"

namespace torsor::editor {

ImVec2 top_left(const Plot& plot);
ImVec2 bottom_right(const Plot& plot);
// Draws a line through points, with a width in pixels.
void draw_pieces(ImDrawList* draw, std::span<const ImVec2> points, ImU32 ink, int width);
void draw_curve(ImDrawList* draw, const Plot& plot, const PlotCurve& curve, float alpha, int width);
void draw_area(ImDrawList* draw, const Plot& plot, const PlotArea& area);
std::string unit_label(const char* unit);
void draw_grid(ImDrawList* draw, const Plot& plot);
int curve_width();  // pixels
// Draws the button and grid of a diagram. Clips to the diagram until PopClipRect().
ImDrawList* begin_diagram(const char* id, const Plot& plot);
// Returns the gestures on the last item, the invisible button over the diagram.
PlotGesture gesture_of(ImDrawList* draw, const Plot& plot);

}  // namespace torsor::editor
