#pragma once
// Replacement of universal joints. Only the builder uses this header.

#include "torsor/model/builder.hpp"

namespace torsor {

// Returns the robot with each universal joint (JointDescription::second_axis) replaced by two
// revolute joints and a massless link. Throws Error if the kind of a universal joint is not
// revolute, or if the joint is placed by a DH row, has limits, or has parallel axes.
RobotDescription without_universal_joints(const RobotDescription& robot);

}  // namespace torsor
