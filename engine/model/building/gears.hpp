#pragma once
// Gears, racks and cables: linear conditions on joint coordinates. Only the builder uses this
// header.

#include "torsor/model/builder.hpp"

namespace torsor {

// Returns the closure of a gear, rack or cable. prefix: of the names of the robot in the model.
// Throws Error for coordinates that do not exist or that the kind cannot couple, and for a carrier
// that does not fit.
Closure between_joints(const ClosureDescription& closure, const std::string& prefix,
                       const Model& model);

// Throws Error if linear conditions, together with the mimic joints, contradict each other: if they
// keep a joint from moving, or if no position meets their offsets. Conditions that follow from
// others are allowed.
void check_gears(const Model& model);

}  // namespace torsor
