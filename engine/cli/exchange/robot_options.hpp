#pragma once
// The options that the commands import and export share.

#include "torsor/cli/exchange/robot_writing.hpp"
#include "torsor/cli/options/robot_file.hpp"

namespace torsor::cli {

// Adds --force.
void add_force_flag(CLI::App& command, bool& force);
// Returns the source that the options describe. plugins must outlive it. Throws Error if an option
// does not apply to the file.
RobotSource robot_source(const RobotOptions& options, const Registry& plugins);
// Writes the files of a robot, and prints their names and the report. force: replaces existing
// files. Throws Error as write_robot(), and if a file exists.
void write_and_print(const ExportedRobot& robot, const ReadRobot& read,
                     const std::filesystem::path& out, bool force);

}  // namespace torsor::cli
