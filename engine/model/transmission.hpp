#pragma once
// Motors and the joints that they move. A motor's torque tau_m and rate are those of its shaft: a
// motor of a joint of its own turns at N v and gives the joint N tau_m; motors of a coupled
// transmission move their joints together,
//   v = J_qm v_m,  tau = J_qm^-T tau_m KHALIL 7.31-7.33
// Motors are counted as columns are: motor k of a transmission is that of its joint k.

#include <span>

#include "torsor/model/model.hpp"

namespace torsor {

// The motor of a column, its own or that of its transmission.
const Motor& motor_of_column(const Model& model, int column);

// Adds what the motors with torques motor_tau give their joints to tau, [n_v] each.
void add_motor_torques(const Model& model, std::span<const double> motor_tau,
                       std::span<double> tau);
// The torques of the motors, [n_v], that give their joints tau.
void motor_torques(const Model& model, std::span<const double> tau, std::span<double> motor_tau);

}  // namespace torsor
