#pragma once
// Reading robots completely, and writing them as files, for the commands import and export.

#include "torsor/cli/options/robot_file.hpp"
#include "torsor/formats/export/export.hpp"

namespace torsor::cli {

// A robot with everything that its file has, and what the reader has not used.
struct ReadRobot {
  RobotDescription robot;
  std::vector<exporting::Loss> losses;
};
// Reads a robot with its <collision> shapes. If their meshes cannot be read, leaves the shapes out
// and reports this as a loss. Throws Error as read_robot_description().
ReadRobot read_whole_robot(RobotOptions options, const Registry& plugins);

struct WriteOptions {
  std::string source;  // the file that was read, which must not be replaced
  std::string out;
  bool force = false;  // replace existing files
};
// Adds --force.
void add_force_flag(CLI::App& command, bool& force);
// Writes the robot, and prints the names of the files and the report. Throws Error if a file exists
// or cannot be written.
void write_robot(const ExportedRobot& robot, const WriteOptions& options);

}  // namespace torsor::cli
