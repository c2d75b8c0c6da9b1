#pragma once
// The constant limits of the results of a control, and the gains of its motors' amplifiers.

#include "torsor/control/control.hpp"

namespace torsor {

// Returns the beginning of an error message about a control: its place, or "".
std::string at_source(const Control& control);

// Returns max_torque of the control, or infinity, [n_v of the robot]. 0 for dof without a motor.
// Throws Error for a control that has max_torque and whose law returns inputs.
std::vector<double> limits_of(const Model& model, const Control& control);

// Returns K_T K_a of each motor of the robot, and 0 for dof without a motor. Throws Error for a
// motor without these constants, unless its dof follows another one (model/rotor_body.hpp).
std::vector<double> gains_of(const Model& model, const Control& control);

// Adds the torques of followers without an amplifier to those of the dof that they follow, by the
// principle of virtual work. followers: those of the model (model/rotor_body.hpp). gains [n_v of
// the robot]: those of gains_of(). tau [n_v of the robot]: the torques at the joints.
void move_to_leaders(const Model& model, const std::vector<Mimicry>& followers,
                     const Control& control, std::span<const double> gains, std::span<double> tau);
// Throws Error if a follower without an amplifier is given an input or a torque of its motor
// [n_v of the robot].
void require_amplifiers(const Model& model, const Control& control, std::span<const double> gains,
                        std::span<const double> given);

// Returns the smaller of the given limits and the constant limits of the motors. Larger torques, or
// inputs, have no further effect.
std::vector<double> useful_limits(const Model& model, const Control& control,
                                  std::vector<double> limits);

}  // namespace torsor
