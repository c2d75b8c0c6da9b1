#pragma once
// Joints of closures that have friction, springs or a motor: the wrench that they transmit, and
// their coordinates at the start.

#include <span>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Returns the wrench of the first frame of a closure on the second one, through its joint: at the
// origin of the second frame, in the axes of the first one. closure: one with `cut`. vdot [n_v]:
// the accelerations. weld: the wrench of A on B of the weld between both halves, at the origin of B
// in the axes of A. The joint carries a half of a body, whose equations of Newton and Euler are
//   F_joint - F_weld = I A - ad(V)^T I V
// with gravity in A.
Wrench<double> cut_joint_wrench(const State& state, std::span<const double> vdot,
                                const Closure& closure, const Wrench<double>& weld);

// Changes the coordinates of the joint of a closure with `cut` so that both halves of the body come
// nearest to each other, by the method of Gauss and Newton. All other coordinates of the state
// stay. index: of the closure in Model::closures.
void fit_cut_joint(State& state, size_t index);

}  // namespace torsor
