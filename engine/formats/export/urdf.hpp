#pragma once
// Writes URDF files.

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

// Writes the robot, and its closures as ROBOT.closures.xml next to it (formats/urdf/closures.hpp).
Written write_urdf(const RobotDescription& robot, const Target& target);

// Returns the text of the file of closures of a robot, whose placements are plain.
std::string closures_text(const RobotDescription& robot, Ledger& ledger, const Target& target);

}  // namespace torsor::exporting
