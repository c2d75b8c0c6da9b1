#pragma once
// The MJCF reader: reads one robot from an XML file of MuJoCo, and the files that it includes.

#include "torsor/formats/robot_file.hpp"

namespace torsor {

// Reads a robot. q of each joint is qpos of MuJoCo, and the dof have the same order; v of a free
// joint is the body-fixed twist instead. Elements and attributes that are not used cause warnings.
// Throws Error with file:line if a file is not valid.
RobotDescription read_mjcf(const std::filesystem::path& file, const RobotFileOptions& options);

}  // namespace torsor
