#pragma once
// Reads the motion and the torques of a robot from a recording, for identification.

#include "torsor/identification/measured_positions.hpp"
#include "torsor/recording/recording.hpp"

namespace torsor {

struct MeasuredRun {
  std::vector<double> time;  // [samples] s
  MeasuredMotion motion;
  // How v and vdot follow from q, if they were not recorded or not to be used.
  std::optional<FilteredMotion> filtered;
};

struct MeasuredRunOptions {
  bool only_positions = false;  // true: v and vdot of the recording are not used
  Cutoffs cutoffs = {};
  bool motor_signals = false;  // true: tau contains signals of motors, in any unit
  // Name of the control whose measured positions, ROBOT.CONTROL.q_measured, are used; "": q
  std::string measured_by = {};
};

// Reads q, v, vdot and tau of all joints. Without v or vdot, or with measured_by, filters and
// differentiates q. The motion is then that of `filtered`, without the samples near its ends.
// `name` is the name of the recording in messages. Throws Error if q or tau is missing, if a column
// has another unit than runs record, if a value is not finite, and the errors of
// filter_positions().
MeasuredRun read_measured_run(const Recording& recording, const Model& model,
                              const std::string& name, const MeasuredRunOptions& options = {});

}  // namespace torsor
