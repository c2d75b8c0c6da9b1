#pragma once
// Motors and the joints that they move. The torque tau_m and the rate v_m of a motor are those of
// its shaft. The motor of a single joint turns at N v and exerts N tau_m on the joint. Motors of a
// coupled transmission move their joints together (KHALIL 7.31-7.33):
//   v = J_qm v_m,  tau = J_qm^-T tau_m
// Motors are numbered as dof: motor k of a transmission has the number of its joint k.

#include <span>

#include "torsor/model/model.hpp"

namespace torsor {

// Returns the motor of a dof: its own, or that of its transmission.
const Motor& motor_of_column(const Model& model, int column);

// Adds to tau the torques at the joints of motors with torques motor_tau. Both are [n_v].
void add_motor_torques(const Model& model, std::span<const double> motor_tau,
                       std::span<double> tau);
// Computes the torques of the motors, [n_v], that exert tau on their joints.
void motor_torques(const Model& model, std::span<const double> tau, std::span<double> motor_tau);

}  // namespace torsor
