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
// Prints the names of the written files, and the report.
void print_written(const std::vector<std::filesystem::path>& files, const ExportedRobot& robot);

}  // namespace torsor::cli
