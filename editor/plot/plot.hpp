#pragma once
// Draws a diagram over time into the current ImGui window: axes, grid, curves and marks. Detects
// mouse gestures.

#include <imgui.h>

#include <optional>
#include <span>

#include "editor/plot/stack.hpp"

namespace torsor::editor {

struct PlotCurve {
  ImVec4 color;
  PlotLine line;
};

struct PlotArea {
  ImVec4 color;
  std::vector<StackBand> bands;
};

struct Plot {
  const char* unit;      // unit of the values
  Axis time{}, value{};  // in pixels of the screen; value points upwards
  Ticks time_ticks{}, value_ticks{};
  bool value_fitted = true;  // true: dragging does not change the range of values
  bool time_labels = true;   // true: the time axis has labels

  // Times in s.
  double present = 0;              // current time
  std::optional<double> cursor{};  // time at the mouse in any plot
  std::vector<double> edits{};
  std::optional<std::pair<double, double>> measured{};  // times of the cursors A and B

  std::span<const PlotArea> areas{};  // drawn below the curves
  std::span<const PlotCurve> curves{};
  int strong = -1;  // index of the highlighted curve, or -1
};

// The result of the mouse gestures in this frame.
struct PlotGesture {
  std::optional<Range> time, value;  // new visible ranges
  bool fit = false;                  // true: show everything
  std::optional<double> cursor;      // s, time at the mouse
  std::optional<double> go;          // s, new current time
  // s, times of the two cursors; equal times remove the cursors.
  std::optional<std::pair<double, double>> measured;
};
inline constexpr const char* plot_gestures =
    "Wheel: zoom time; Ctrl+wheel: zoom values\nDrag: pan\nRight drag: zoom to a box\n"
    "Double-click: fit all\nShift+click or Shift+drag: go to that time\n"
    "Ctrl+drag: two cursors with their differences in the legend; Ctrl+click: remove them";

// Return the space for labels in pixels: the width of the labels of values and of the unit, and the
// height of the labels of time.
float value_label_width(const Ticks& ticks, const char* unit);
float time_label_height();
// Return the number of ticks that fit on an axis of this length, at least 2 for time and 3 for
// values.
int time_tick_room(float pixels);
int value_tick_room(float pixels);

// Draws a diagram. id is its ImGui id.
PlotGesture draw_plot(const char* id, const Plot& plot);

}  // namespace torsor::editor
