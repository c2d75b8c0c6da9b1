#pragma once
// Writes MJCF files, the format of MuJoCo.

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

Written write_mjcf(const RobotDescription& robot, const Target& target);

// Adds the closures of a robot to the file, as sites and <equality>. bodies: the <body> of each
// link; world: the <worldbody>.
void add_equalities(tinyxml2::XMLElement& root, tinyxml2::XMLElement& world,
                    const std::unordered_map<std::string, tinyxml2::XMLElement*>& bodies,
                    const RobotDescription& robot, Ledger& ledger);

// Sets pos and quat of an element, unless they are those of the identity.
void set_mjcf_pose(tinyxml2::XMLElement& element, const Pose<double>& X);

}  // namespace torsor::exporting
