#pragma once
// The constant limits of the results of a control, and the gains of its motors' amplifiers.

#include "torsor/control/control.hpp"

namespace torsor {

// Returns the beginning of an error message about a control: its place, or "".
std::string at_source(const Control& control);

// Returns max_torque of the control, or infinity, [n_v of the robot]. 0 for dof without a motor.
// Throws Error for a control that has max_torque and returns inputs.
std::vector<double> limits_of(const Model& model, const Control& control);

// Returns K_T K_a of each motor of the robot, and 0 for dof without a motor. Throws Error for a
// motor without these constants.
std::vector<double> gains_of(const Model& model, const Control& control);

// Returns the smaller of the given limits and the constant limits of the motors. Larger torques, or
// inputs, have no further effect.
std::vector<double> useful_limits(const Model& model, const Control& control,
                                  std::vector<double> limits);

}  // namespace torsor
