#pragma once
// Reads .xacro files, macros in XML from which the program `xacro` of ROS makes URDF files.

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/xacro/program.hpp"

namespace torsor {

// Reads a robot from a .xacro file: runs `xacro FILE`, and reads its output as URDF. Messages name
// the .xacro file, with the lines of the output, and say "after expansion". Runs it a second time
// for the files that it includes, if options.meshes.found_file receives them. Throws Error if
// options.run_programs is false, if the program is not installed or fails, and as read_urdf().
RobotDescription read_xacro(const std::filesystem::path& file, const RobotFileOptions& options);

// Returns the output of `xacro FILE`. Throws Error if there is none.
std::string expand_xacro(const std::filesystem::path& file, const ProgramLimits& limits = {});

// Returns the files that a .xacro file includes, and those that it loads as YAML: the output of
// `xacro --deps FILE`, absolute paths with blanks between them. Throws Error if the program fails.
std::vector<std::filesystem::path> files_of_xacro(const std::filesystem::path& file,
                                                  const ProgramLimits& limits = {});

}  // namespace torsor
