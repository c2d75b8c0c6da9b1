#pragma once
// Writes SDF files, the format of Gazebo.

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

Written write_sdf(const RobotDescription& robot, const Target& target);

}  // namespace torsor::exporting
