#pragma once
// One diagram over time, drawn into the present ImGui window: axes, grid, curves, marks; and what
// the mouse asks of it.

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
  const char* unit;      // of the values
  Axis time{}, value{};  // on the screen; value upwards
  Ticks time_ticks{}, value_ticks{};
  bool value_fitted = true;  // dragging leaves it so
  bool time_labels = true;   // below; otherwise the plot below has them

  // s
  double present = 0;              // where the run stands
  std::optional<double> cursor{};  // where the mouse points, here or in another plot
  std::vector<double> edits{};
  std::optional<std::pair<double, double>> measured{};  // between two cursors, A and B

  std::span<const PlotArea> areas{};  // below the curves
  std::span<const PlotCurve> curves{};
  int strong = -1;  // index of the curve that stands out
};

// What the mouse did in the last frame.
struct PlotGesture {
  std::optional<Range> time, value;  // to be shown from now on
  bool fit = false;                  // everything is to be seen
  std::optional<double> cursor;      // s, where it points
  std::optional<double> go;          // s, where the run is to go
  // S, where it puts two cursors; both alike: none.
  std::optional<std::pair<double, double>> measured;
};
inline constexpr const char* plot_gestures =
    "Wheel: zoom time; Ctrl+wheel: zoom values\nDrag: pan\nRight drag: zoom to a box\n"
    "Double-click: fit all\nShift+click or Shift+drag: go to that time\n"
    "Ctrl+drag: two cursors with their differences in the legend; Ctrl+click: remove them";

// Room beside the diagram for its labels and its unit.
float value_label_width(const Ticks& ticks, const char* unit);
float time_label_height();
// How many ticks have room on an axis of so many pixels.
int time_tick_room(float pixels);
int value_tick_room(float pixels);

PlotGesture draw_plot(const char* id, const Plot& plot);

}  // namespace torsor::editor
