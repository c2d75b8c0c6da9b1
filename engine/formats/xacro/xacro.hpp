#pragma once
// Reads .xacro files, macros in XML from which the program `xacro` of ROS makes URDF files.

#include <filesystem>
#include <string>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/xacro/program.hpp"

namespace torsor {

// Reads a robot from a .xacro file: runs `xacro FILE`, and reads its output as URDF. Messages name
// the .xacro file, with the lines of the output, and say "after expansion". Throws Error if
// options.run_programs is false, if the program is not installed or fails, and as read_urdf().
RobotDescription read_xacro(const std::filesystem::path& file, const RobotFileOptions& options);

// Returns the output of `xacro FILE`. Throws Error if there is none.
std::string expand_xacro(const std::filesystem::path& file, const ProgramLimits& limits = {});

}  // namespace torsor
