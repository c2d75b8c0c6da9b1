#pragma once
// The screws of all joints in the world: the columns of all spatial Jacobians.

#include <span>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Computes the screw of each dof in the world frame, S_W [n_v] = Ad(X_WB) S_B, and X_WB [n_body].
// V_WB_W is the sum of S_W v of the dof on the path from the world to the body (MK 15-17). Does not
// allocate.
void joint_screws(const State& state, std::span<Pose<double>> X_WB, std::span<Twist<double>> S_W);

// Computes their time derivatives Sdot_W [n_v] at v of the state, and V_WB_W [n_body]. Does not
// allocate.
void joint_screw_rates(const State& state, std::span<const Twist<double>> S_W,
                       std::span<Twist<double>> V_WB_W, std::span<Twist<double>> Sdot_W);

}  // namespace torsor
