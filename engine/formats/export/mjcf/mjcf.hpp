#pragma once
// Writes MJCF files, the format of MuJoCo.

#include "torsor/formats/export/parts.hpp"

namespace torsor::exporting {

Written write_mjcf(const RobotDescription& robot, const Target& target);

}  // namespace torsor::exporting
