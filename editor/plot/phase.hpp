#pragma once
// A phase portrait: signals over another one, as a run goes along.

#include "editor/plot/plot.hpp"

namespace torsor::editor {

struct PhasePoint {
  double time, x, y;
};
// What is to be drawn of y over x: so few points that straight pieces between them stay close to
// the samples.
std::vector<PhasePoint> phase_points(const std::vector<double>& time, const Series& x,
                                     const Series& y, const SampleRange& samples,
                                     const Axis& x_axis, const Axis& y_axis);

struct PhaseCurve {
  ImVec4 color;
  std::vector<PhasePoint> points;
  // Where the run stands and where the cursor is, on the screen.
  std::optional<ImVec2> present, cursor;
};

// Shows as much of one of the ranges as it takes for a unit to be as long on both axes.
void make_equal(Axis& x, Axis& y);

// plot: its axis of time is that of x. time of the gesture is a range of x; cursor and go are times
// of the point that the mouse is at.
PlotGesture draw_phase(const char* id, const Plot& plot, std::span<const PhaseCurve> curves);

}  // namespace torsor::editor
