#pragma once
// Universal joints. For the builder alone.

#include "torsor/model/builder.hpp"

namespace torsor {

// The robot with two revolute joints and a massless link in place of each universal joint
// (JointDescription::second_axis). Throws Error where such a joint is not revolute, is placed by a
// DH row, has limits, or its axes are parallel.
RobotDescription without_universal_joints(const RobotDescription& robot);

}  // namespace torsor
