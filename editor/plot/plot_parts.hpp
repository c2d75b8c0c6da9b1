#pragma once
// What diagrams are made of: strokes, areas, grid, and what the mouse asks of one.

#include <imgui.h>

#include <span>

#include "editor/plot/plot.hpp"

namespace torsor::editor {

ImVec2 top_left(const Plot& plot);
ImVec2 bottom_right(const Plot& plot);
// A line through points, so many pixels wide.
void draw_pieces(ImDrawList* draw, std::span<const ImVec2> points, ImU32 ink, int width);
void draw_curve(ImDrawList* draw, const Plot& plot, const PlotCurve& curve, float alpha, int width);
void draw_area(ImDrawList* draw, const Plot& plot, const PlotArea& area);
std::string unit_label(const char* unit);
void draw_grid(ImDrawList* draw, const Plot& plot);
int curve_width();  // pixels
// The diagram's button and grid; what is drawn until PopClipRect() is clipped to it.
ImDrawList* begin_diagram(const char* id, const Plot& plot);
// Of the item before, the invisible button over the diagram.
PlotGesture gesture_of(ImDrawList* draw, const Plot& plot);

}  // namespace torsor::editor
