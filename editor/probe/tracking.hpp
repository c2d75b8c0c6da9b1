#pragma once
// The reference of a control and the motion of its robot, at one state.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/plugin/parameter.hpp"

namespace torsor {
struct Control;
}  // namespace torsor

namespace torsor::editor {

class Probe;

struct Tracked {
  // Name of the position that a dof changes ("joint1", "base.rx"), or of a coordinate of a frame.
  std::string name;
  // Name of the velocity coordinate ("base.wx") if it differs from `name`, else "". error, rates
  // and torques belong to this coordinate.
  std::string column = "";
  std::string_view unit, rate_unit;  // of position and error; of the rates
  double reference = 0, actual = 0;  // components of rotation vectors for quaternions
  double error = 0;                  // from actual to reference
  double reference_rate = 0, rate = 0;
  // Torques at the joint. requested: demanded by this control, within its own limit. motor_torque:
  // sum of all controls and motors. limit: the smaller limit of control and motor, infinite if
  // there is none. Not used for frames.
  double requested = 0, motor_torque = 0, limit = 0;
  std::string_view torque_unit;

  bool saturated() const;
};

// Returns the frame that follows a reference for a frame, according to the settings of the
// controller: the parameter "frame", or the only parameter that is one frame. Returns "" if no
// parameter is one frame, or if there are several and none has this name. The name of the frame
// refers to the controller's model.
std::string followed_frame(std::span<const torsor_param> rows,
                           const std::vector<Setting>& settings);

struct Tracking {
  bool has_reference = false;
  bool of_frame = false;
  std::string frame;             // frame that follows the reference, or "" if unknown
  std::vector<Tracked> entries;  // by dof; for a frame x, y, z, rx, ry, rz
  std::string failure;           // reason why there are no entries, or ""
};

// Returns the tracking of a control. place: index of the control in the load.
Tracking tracking(Probe& probe, const Control& control, size_t place);

// Returns the reference at many times, [times][entries], with one number for each Tracked entry.
// Throws Error if the reference cannot be evaluated.
std::vector<std::vector<double>> reference_over(const Model& model, const Control& control,
                                                const std::vector<double>& times);

}  // namespace torsor::editor
