#pragma once
// The URDF reader: one robot from an XML file, with every joint type of URDF.

#include "torsor/formats/robot_file.hpp"

namespace torsor {

// Reads a robot, with the shapes and colours of its <visual> elements. For meshes it stores the
// file names. Floating and planar joints have no motors. Elements and attributes that it does not
// use cause warnings. Throws Error with file:line.
RobotDescription read_urdf(const std::filesystem::path& file, const RobotFileOptions& options);

}  // namespace torsor
