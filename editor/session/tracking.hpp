#pragma once
// The reference of a control and the motion of its robot, at a moment.

#include "editor/session/probe.hpp"

namespace torsor::editor {

struct Tracked {
  // A column of joints, "joint1", "base.rx", by the position that it moves; or a coordinate of a
  // frame.
  std::string name;
  // Of v, whose are error, rates and torque, where it has another name: "base.wx".
  std::string column = "";
  std::string_view unit, rate_unit;  // of the error, and of its rates
  double reference = 0, actual = 0;  // quaternions as rotation vectors
  double error = 0;                  // from the actual to the reference
  double reference_rate = 0, rate = 0;
  // Torque of the motor at the joint: demanded by this control within its own limit, delivered by
  // all controls and motors, and the limit of both (infinite if there is none). Not for frames.
  double asked = 0, given = 0, limit = 0;
  std::string_view torque_unit;

  bool saturated() const;
};

struct Tracking {
  bool has_reference = false;
  bool of_frame = false;
  std::string frame;             // that follows it; "" where that is not known
  std::vector<Tracked> entries;  // by column of v; of a frame x, y, z, rx, ry, rz
  std::string failure;           // why there are none, or ""
};

// Returns the tracking of a control, by its index in the load.
Tracking tracking(Probe& probe, const Control& control, size_t place);

// Returns the reference at many times, [times][entries]: one number for each row of Tracked. Throws
// Error.
std::vector<std::vector<double>> reference_over(const Model& model, const Control& control,
                                                const std::vector<double>& times);

}  // namespace torsor::editor
