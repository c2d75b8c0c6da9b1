#pragma once
// Phase portraits: one signal over another during a run.

#include "editor/plot/plot.hpp"

namespace torsor::editor {

struct PhasePoint {
  double time, x, y;
};
// Returns the points of y over x to draw. There are as few points as possible such that straight
// lines between them stay close to the samples.
std::vector<PhasePoint> phase_points(const std::vector<double>& time, const Series& x,
                                     const Series& y, const SampleRange& samples,
                                     const Axis& x_axis, const Axis& y_axis);

struct PhaseCurve {
  ImVec4 color;
  std::vector<PhasePoint> points;
  // Current state and cursor on the screen.
  std::optional<ImVec2> present, cursor;
};

// Extends one of the ranges so that both axes have the same scale.
void make_equal(Axis& x, Axis& y);

// Draws a phase portrait. The time axis of `plot` is the x axis. In the gesture, `time` is a range
// of x, and `cursor` and `go` are times of the point at the mouse.
PlotGesture draw_phase(const char* id, const Plot& plot, std::span<const PhaseCurve> curves);

}  // namespace torsor::editor
