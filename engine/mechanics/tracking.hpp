#pragma once
// The error of a mechanism relative to a reference, joint by joint, without coordinates that jump.
//
// A joint is at X_J and should be at X_d = X_J X_e. Its error e is log X_e in the basis of its
// screws. Its velocities V = S v and V_d = S v_d belong to two points of one group. Seen from X_J,
//   V_r = Ad(X_e) V_d,      A_r = d/dt V_r = Ad(X_e) Vdot_d - ad_V V_r
// (Bullo and Murray 1999). A joint with X_e = 1, V = V_r and Vdot = A_r stays on the reference. A
// joint of one dof has e = q_d - q, v_r = v_d, a_r = vdot_d.

#include "torsor/mechanics/state.hpp"

namespace torsor {

struct Tracking {
  std::vector<double> e, v_r, a_r;  // [n_v]
};

// Computes the error and the reference rates. desired: the state of the same model at q_d and v_d.
// vdot_d: [n_v]. No allocation if the vectors of out already have their sizes.
void track(const State& at, const State& desired, const double* vdot_d, Tracking& out);

}  // namespace torsor
