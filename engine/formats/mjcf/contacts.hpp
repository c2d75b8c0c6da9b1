#pragma once
// Rules for pairs of colliders: bit masks of geoms, excluded bodies and pairs of geoms.

#include "torsor/formats/mjcf/tree.hpp"

namespace torsor::mjcf {

// Adds the rules to a robot:
// - two geoms do not collide if (contype_1 & conaffinity_2) | (contype_2 & conaffinity_1) is 0
// - <exclude> of two bodies, or of a body and the world
// - <pair> of two geoms, with its friction
void read_contacts(Files& files, const Classes& classes, const Tree& tree, RobotDescription& robot);

}  // namespace torsor::mjcf
