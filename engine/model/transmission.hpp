#pragma once
// Conversion between the torques of motors and joints. The torque tau_m and the rate v_m of a motor
// are those of its shaft. The motor of a single joint turns at N v and exerts N tau_m on the joint.
// The motors of a coupled transmission move their joints together (KHALIL 7.31-7.33):
//   v = J_qm v_m,  tau = J_qm^-T tau_m
// Motors have the same indices as dof: motor k of a transmission has the index of the
// transmission's joint k.

#include <span>

#include "torsor/model/model.hpp"

namespace torsor {

// Returns the motor with the index of a dof: the motor of its joint, or a motor of its
// transmission.
const Motor& motor_of_dof(const Model& model, int dof);

// Adds to tau [n_v] the joint torques that result from the motor torques motor_tau [n_v].
void add_motor_torques(const Model& model, std::span<const double> motor_tau,
                       std::span<double> tau);
// Computes the motor torques motor_tau [n_v] that exert tau [n_v] on the joints.
void motor_torques(const Model& model, std::span<const double> tau, std::span<double> motor_tau);

}  // namespace torsor
