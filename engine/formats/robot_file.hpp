#pragma once
// Robot files: the formats that are read, chosen by the extension of the file's name. A new format
// is a folder here with its reader, and a row of the table in robot_file.cpp.

#include <filesystem>
#include <string>
#include <string_view>

#include "torsor/model/builder.hpp"

namespace torsor {

struct RobotFileOptions {
  // true: these are errors instead of warnings:
  //   - an inertia that no rigid body can have
  //   - unknown elements and attributes, and unsupported ones that affect the motion
  //   - a coupling to a joint that does not exist or does not have one degree of freedom
  //   - a robot without a name
  bool strict = false;
  bool com_frames = false;  // RobotDescription::com_frames
  // true: a floating joint carries the root link. false: the root link is fixed in the world.
  bool floating_base = false;
  bool base_motors = false;  // the floating joint has a motor for each dof
  std::string name = "";     // name of the robot; "": the one in the file
};
// Name of the floating joint that carries the root link. Its degrees of freedom come first. If a
// joint of the file has this name, a number is appended, as in floating_base_2.
inline constexpr std::string_view floating_base_joint = "floating_base";

struct RobotFormat {
  std::string_view name;       // in messages: "URDF"
  std::string_view extension;  // ".urdf"
  RobotDescription (*read)(const std::filesystem::path& file, const RobotFileOptions& options);
};
// Returns the format of a file by its extension, or nullptr if no format has this extension.
const RobotFormat* robot_format(const std::filesystem::path& file);
// Returns the extensions for a message: ".urdf", or ".urdf or .xml".
std::string robot_extensions();

// Throws Error unless the file has the extension of a known format. For a .xacro file, the message
// says how to expand it. expected: text for the message, such as "a robot is a .urdf or a .lua
// file".
void require_robot_extension(const std::filesystem::path& file, std::string_view expected);
// Reads a robot. Unused elements and attributes of the file become warnings. Throws Error with
// file:line for an invalid file, and Error for an unknown extension.
RobotDescription read_robot_file(const std::filesystem::path& file,
                                 const RobotFileOptions& options = {});

}  // namespace torsor
