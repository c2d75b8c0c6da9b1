#pragma once
// Error message for a singular mass matrix.

#include <string>

#include "torsor/model/model.hpp"

namespace torsor {

// Returns a message for a mass matrix M that is singular at the joint of a body. It names the joint
// and its link, and what to do. If the link itself has an inertia about the joint, M can be
// singular only because of an error. The message then lists the possible errors.
std::string explain_singular(const Model& model, int body);

}  // namespace torsor
