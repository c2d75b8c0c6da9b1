#pragma once
// Reading robots completely, and writing them as files, for the commands import and export and for
// the window.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "torsor/formats/export/export.hpp"
#include "torsor/scripting/sandbox/script_options.hpp"

namespace torsor::cli {

// A robot file, or a script with a robot or a scene.
struct RobotSource {
  std::filesystem::path file;
  Overrides overrides = {};                    // parameters of a script
  std::string robot = "";                      // name of the robot of a scene; "": its only one
  bool strict = false, floating_base = false;  // of a robot file
  std::map<std::string, std::filesystem::path> packages = {};  // folders of packages, by name
  Permission permission = {};
  const Registry* plugins = nullptr;  // plugins that a script may use
  bool run_programs = false;          // see RobotFileOptions
};

// A robot with everything that its file has.
struct ReadRobot {
  RobotDescription robot;
  std::vector<exporting::Loss> losses;  // what the reader has not used
  // All files that were read, the meshes of visuals included.
  std::vector<std::filesystem::path> files;
};
// Reads a robot with its <collision> shapes. If their meshes cannot be read, leaves the shapes out
// and reports this as a loss. Throws Error if the file is not valid, and if a scene does not have
// the robot.
ReadRobot read_whole_robot(const RobotSource& source);

// Returns the robot as files of a format. out: the robot file, to which other files are relative.
// Throws Error if the format cannot express the mechanism, unless `lossy` is true. origin: the
// first comment of the file.
ExportedRobot converted(const ReadRobot& read, const RobotSource& source, const RobotTarget& format,
                        const std::filesystem::path& out, const std::string& origin, bool lossy);

// Throws Error if the files would describe another mechanism. file: the source, for the message.
void require_same_mechanism(const ExportedRobot& exported, const RobotTarget& format,
                            const std::filesystem::path& file);

// Writes the files of a robot next to `out`, and returns their paths. force: replaces existing
// files. Throws Error if a file exists, if it would replace one of the files that were read, or if
// it cannot be written. All files are checked before the first one is written.
std::vector<std::filesystem::path> write_robot(const ExportedRobot& robot, const ReadRobot& read,
                                               const std::filesystem::path& out, bool force);

// Returns the number of differences and one line for each of them.
std::string report_text(const ExportedRobot& robot);

}  // namespace torsor::cli
