#pragma once
// The URDF reader: reads one robot from an XML file. It supports all joint types of URDF.

#include "torsor/formats/robot_file.hpp"

namespace torsor {

// Reads a robot, including the shapes and colours of its <visual> elements. Of a mesh, only the
// file name is stored. Floating and planar joints in the file have no motors. Elements and
// attributes that are not used cause warnings. Throws Error with file:line if the file is not
// valid.
RobotDescription read_urdf(const std::filesystem::path& file, const RobotFileOptions& options);
// Reads a robot from a text, as the content of the file.
RobotDescription read_urdf_text(const std::filesystem::path& file, const std::string& text,
                                const RobotFileOptions& options);

}  // namespace torsor
