#pragma once
// Closures with friction, springs, limits or motors (ClosureDescription::joint). Only the builder
// uses this header.
//
// The body of frame B is cut into two halves with half of its inertia each. The first half keeps
// the joints of the body. The second half is a new body, which a joint of the closure's kind
// connects to the body of A. A weld between both halves replaces the closure. Both halves move
// alike, so that the motion is that of the mechanism before the cut, and the joint has a
// coordinate. If B is the world, or if half of its body has no inertia along the motion of the
// joint, the body of A is cut instead. The coordinate of a spherical, planar or universal joint
// then is the motion of A relative to B. The rest position of the spring of a spherical closure is
// that of B relative to A in both cases.

#include <utility>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor {

// Replaces the closures with a joint. robots: with their poses in the world. closures: those of the
// model, whose frames are "ROBOT.frame" if there are several robots. tree: the model of the robots,
// whose closures are those with a joint, in the order of the robots, then of `closures`. Throws
// Error for a kind without a joint, and if neither body can be cut.
void cut_joints(std::vector<std::pair<RobotDescription, Pose<double>>>& robots,
                std::vector<ClosureDescription>& closures, const Model& tree);

}  // namespace torsor
