#pragma once
// Fills in missing joint positions and velocities. Mimic joints, and rotors that are bodies, follow
// the joints that move them.

#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::lua {

// Sets the entries of these joints to NaN, which marks a missing value: q [n_q], v [n_v].
void mark_unsaid(const Model& model, std::vector<double>& q, std::vector<double>& v);
// Replaces each NaN by the value that follows from the other joints.
void fill_unsaid(const Model& model, std::vector<double>& q, std::vector<double>& v);

}  // namespace torsor::lua
