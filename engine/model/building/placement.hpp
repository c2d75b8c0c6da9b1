#pragma once
// Placement of joints by screws and DH rows, for the builder and for writers of robot files.

#include "torsor/model/builder.hpp"

namespace torsor {

// The constant frames of a joint: X_PL(q) = X_PJ X_J(q) X_JL. The joint moves along the z axis of
// J.
struct JointFrames {
  Pose<double> X_PJ, X_JL;
};

// Returns the frames of the joint of a link. X_RP: pose of the parent link in the base frame of the
// robot at the neutral q, the identity for a link at the base. Throws Error if the axis has no
// direction.
JointFrames joint_frames(const LinkDescription& link, const Pose<double>& X_RP);

// Returns X_JL^-1 X_J(q) X_JL: the pose of a link that its joint has moved by q, in the frame L of
// the link at the neutral q. q: [n_q] of the joint. The placement must be a screw that is not at
// home, and the joint not universal. Throws Error as joint_frames().
Pose<double> motion_of_link(const LinkDescription& link, const double* q);

}  // namespace torsor
