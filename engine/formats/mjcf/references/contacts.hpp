#pragma once
// <contact>, the masks and the friction of geoms, which become rules for pairs of colliders.

#include "torsor/formats/mjcf/tree/tree.hpp"

namespace torsor::mjcf {

// Adds the rules of a robot, if it has colliders:
// - pairs that the masks of bits or <exclude> exclude, or that <pair> adds
// - pairs whose material differs from that of combine() (model/collider.hpp)
// - pairs of bodies that a joint or closure connects, if MuJoCo tests them and the engine does not
// An unknown name is an error. If there are no colliders, it is noted in `files`.
void read_contacts(Files& files, const Classes& classes, const Flags& flags,
                   const RobotFileOptions& options, Tree& tree, RobotDescription& robot);

}  // namespace torsor::mjcf
