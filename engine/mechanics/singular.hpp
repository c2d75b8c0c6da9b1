#pragma once
// The message for a singular mass matrix.

#include <string>

#include "torsor/model/model.hpp"

namespace torsor {

// Returns a message that names the joint and the link of a body at which M is singular, and what to
// do. If the link has an inertia about the joint, M is singular there only by a fault, and the
// message lists the possible ones.
std::string explain_singular(const Model& model, int body);

}  // namespace torsor
