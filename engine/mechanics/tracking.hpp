#pragma once
// How far a mechanism is from a reference, joint by joint, without a coordinate that could jump.
//
// A joint that is at X_J and ought to be at X_d, X_e = X_J^-1 X_d, has the error e = log X_e, in
// the basis of its screws, and its velocities V = S v, V_d = S v_d belong to two places of one
// group. Seen from where the joint is,
//   V_r = Ad(X_e) V_d,      A_r = d/dt V_r = Ad(X_e) Vdot_d - ad_V V_r
// (Bullo and Murray 1999): a joint at X_e = 1 that moves with V = V_r and Vdot = A_r stays on the
// reference. On a joint of one degree of freedom e = q_d - q, v_r = v_d, a_r = vdot_d.

#include "torsor/mechanics/state.hpp"

namespace torsor {

struct Tracking {
  std::vector<double> e, v_r, a_r;  // [n_v]
};

// desired: at q_d and v_d, of the same model; vdot_d [n_v]. No allocation where out has its sizes.
void track(const State& at, const State& desired, const double* vdot_d, Tracking& out);

}  // namespace torsor
