#pragma once
// Writes robots as files of other programs, and as Lua modules. To add a format, add a file with
// its writer here, and a row to the table in export.cpp.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "torsor/formats/export/parts.hpp"

namespace torsor {

// A format that robots can be written in.
struct RobotTarget {
  std::string_view name;       // as the user names it, such as "urdf"
  std::string_view extension;  // such as ".urdf"
  std::string_view title;      // in messages, such as "URDF"
  exporting::Written (*write)(const RobotDescription& robot, const exporting::Target& target);
};
std::span<const RobotTarget> robot_targets();
// Returns the target with this name, or nullptr.
const RobotTarget* robot_target(std::string_view name);

// A robot as files, and the differences between the files and the robot.
struct ExportedRobot {
  // Their names begin in the folder of the robot file, which is the first.
  std::vector<exporting::ExportedFile> files;
  std::vector<exporting::Loss> losses;
  // Returns whether a difference changes the mechanism: its mass matrix or its degrees of freedom.
  bool changes_mechanism() const;
  // Returns one line for each difference, which names `most` subjects at most; "" if there is none.
  std::string report(size_t most = 8) const;
};

// Writes a robot in a format. target.file: the path of the robot file, to which names of meshes
// become relative. Throws Error if the robot is not valid.
ExportedRobot export_robot(const RobotDescription& robot, const RobotTarget& format,
                           const exporting::Target& target);

// Returns what the reader of a robot file has not used, as differences between file and robot.
std::vector<exporting::Loss> losses_of_reading(const RobotDescription& robot);

}  // namespace torsor
