#pragma once
// Reading robots completely, and writing them as files, for the commands import and export and for
// the window.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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
  // The start of a scene: the coordinates of the robot's joints [n_q], by the names of the joints.
  // Empty for other sources.
  std::unordered_map<std::string, std::vector<double>> start = {};
  std::unordered_set<std::string> held = {};  // joints that keep them when loops are closed
};
// Reads a robot with its <collision> shapes. If their meshes cannot be read, leaves the shapes out
// and reports this as a loss. Throws Error if the file is not valid, and if a scene does not have
// the robot.
ReadRobot read_whole_robot(const RobotSource& source);

// Returns the robot as files of a format. out: the robot file, to which other files are relative.
// origin: the first comment of the file. plugins: those with the solver newton_euler, which closes
// the loops of the robot from the start of the scene, if the format needs a position with closed
// loops. Null: it has none.
ExportedRobot converted(const ReadRobot& read, const Registry* plugins, const RobotTarget& format,
                        const std::filesystem::path& out, const std::string& origin);

// Throws Error if the files would describe another mechanism. file: the source, for the message.
// permission: how the user can allow this, for example "--lossy".
void require_same_mechanism(const ExportedRobot& exported, const RobotTarget& format,
                            const std::filesystem::path& file, std::string_view permission);

// Returns the paths of the files of a robot, next to `out`. Throws Error if one of them is a file
// that was read.
std::vector<std::filesystem::path> output_paths(const ExportedRobot& robot, const ReadRobot& read,
                                                const std::filesystem::path& out);
// Returns those of the files that exist.
std::vector<std::filesystem::path> existing(std::vector<std::filesystem::path> files);

// Writes the files of a robot to output_paths(), and returns these. Existing files are replaced.
// Throws Error as output_paths(), and if a file cannot be written. All files are checked before the
// first one is written. If the disk is full, new files are removed again. The robot file is written
// last, so that it does not name files that are missing.
std::vector<std::filesystem::path> write_robot(const ExportedRobot& robot, const ReadRobot& read,
                                               const std::filesystem::path& out);

// Returns the number of differences and one line for each of them.
std::string report_text(const ExportedRobot& robot);

}  // namespace torsor::cli
