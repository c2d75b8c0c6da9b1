#pragma once
// Adds closures to a model. Only the builder uses this header.

#include "torsor/model/builder.hpp"

namespace torsor {

// Adds the closures of a robot whose links and frames are in the model. prefix: of the names of the
// robot in the model. Throws Error for an unknown frame, for two frames of one body, and for an
// axis or a number that the kind cannot have.
void add_closures(const std::vector<ClosureDescription>& closures, const std::string& prefix,
                  Model& model);

}  // namespace torsor
