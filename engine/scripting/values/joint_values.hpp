#pragma once
// Positions and velocities of joints of which some are not said: joints that mimic others, and
// rotors that are bodies, follow what moves them.

#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::lua {

// Makes the entries of these NaN, which stands for what is not said: q [n_q], v [n_v].
void mark_unsaid(const Model& model, std::vector<double>& q, std::vector<double>& v);
// Puts those that still are where they follow to.
void fill_unsaid(const Model& model, std::vector<double>& q, std::vector<double>& v);

}  // namespace torsor::lua
