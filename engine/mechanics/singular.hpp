#pragma once
// The message for a singular mass matrix.

#include <string>

#include "torsor/model/model.hpp"

namespace torsor {

// Returns a message that names the joint and the link of a body at which M is singular, and what to
// do. If the link has an inertia about the joint, only an error can make M singular there. The
// message then lists the possible errors.
std::string explain_singular(const Model& model, int body);

}  // namespace torsor
