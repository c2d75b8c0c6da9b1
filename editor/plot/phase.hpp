#pragma once
// Phase portraits: one signal over another during a run.

#include "editor/plot/plot.hpp"

namespace torsor::editor {

struct PhasePoint {
  double time, x, y;
};
// Returns points of y over x such that the straight lines between them are close to the samples on
// the screen. Skips samples that are not finite. Uses few points.
std::vector<PhasePoint> phase_points(const std::vector<double>& time, const Series& x,
                                     const Series& y, const SampleRange& samples,
                                     const Axis& x_axis, const Axis& y_axis);

struct PhaseCurve {
  ImVec4 color;
  std::vector<PhasePoint> points;
  // Pixels of the current state and of the state at the cursor.
  std::optional<ImVec2> present, cursor;
};

// Extends the range of one axis so that both axes have the same scale in pixels.
void make_equal(Axis& x, Axis& y);

// Draws a phase portrait. Plot::time is the x axis. In the returned gesture, `time` is a range of
// x, and `cursor` and `go` are the time of the point at the mouse.
PlotGesture draw_phase(const char* id, const Plot& plot, std::span<const PhaseCurve> curves);

}  // namespace torsor::editor
