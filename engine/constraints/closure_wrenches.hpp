#pragma once
// The wrenches that closures transmit, and those of the joints of a closed mechanism.
//
// F_A [closures]: the wrench of A on B of each closure, at the origin of B in the axes of A, from
// ClosureRows::write_wrenches(). If the closure has a cut joint, it is the wrench of the weld
// between both halves of the cut body.

#include <span>
#include <vector>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Returns the wrench of each closure, [closures]: F_A, or the wrench through the cut joint
// (cut_joint_wrench()). vdot: [n_v].
std::vector<Wrench<double>> transmitted_wrenches(const State& state, std::span<const double> vdot,
                                                 std::vector<Wrench<double>> F_A);

// Returns the wrenches of all closures on the bodies, [n_body], at the body origins in body axes.
// Linear conditions exert forces along joints, but no wrenches on bodies.
std::vector<Wrench<double>> wrenches_on_bodies(const State& state,
                                               std::span<const Wrench<double>> F_A);

// Returns joint_wrenches() with the wrenches of the closures on the bodies, [n_body].
std::vector<Wrench<double>> joint_wrenches(const State& state, std::span<const double> vdot,
                                           std::span<const Wrench<double>> F_A);

}  // namespace torsor
