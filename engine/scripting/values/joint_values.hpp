#pragma once
// Fills in missing joint positions and velocities. A mimic joint follows the joint that it mimics.
// A rotor that is a body of its own follows its joint.

#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::lua {

// Sets the entries of mimic joints and rotor bodies in q [n_q] and v [n_v] to NaN, which marks them
// as missing.
void mark_missing(const Model& model, std::vector<double>& q, std::vector<double>& v);
// Replaces each NaN in q [n_q] and v [n_v] by the value that follows from the other joints.
void fill_missing(const Model& model, std::vector<double>& q, std::vector<double>& v);

}  // namespace torsor::lua
