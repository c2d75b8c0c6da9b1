#pragma once
// The tracking error of a mechanism relative to a reference, for each joint, without jumps of
// coordinates.
//
// The actual pose of a joint is X_J and its reference is X_d = X_J X_e. The error e is log X_e in
// the basis of the joint's screws. The velocities V = S v and V_d = S v_d belong to different
// points of the joint's group. Expressed at X_J, the reference velocity and acceleration are
//   V_r = Ad(X_e) V_d,      A_r = d/dt V_r = Ad(X_e) Vdot_d - ad_V V_r
// (Bullo and Murray 1999). A joint with X_e = 1, V = V_r and Vdot = A_r stays on the reference. A
// joint of one dof has e = q_d - q, v_r = v_d, a_r = vdot_d.

#include "torsor/mechanics/state.hpp"

namespace torsor {

struct Tracking {
  std::vector<double> e, v_r, a_r;  // [n_v]
};

// Computes the error and the reference rates. at: the actual state. desired: the state of the same
// model at q_d and v_d. vdot_d: [n_v]. Does not allocate if the vectors of `out` already have their
// sizes.
void track(const State& at, const State& desired, const double* vdot_d, Tracking& out);

}  // namespace torsor
