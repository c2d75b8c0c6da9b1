#pragma once
// Reads robot files. The extension of the file name determines the format. To add a format, add a
// folder with its reader here, and a row to the table in robot_file.cpp.

#include <filesystem>
#include <string>
#include <string_view>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {

struct RobotFileOptions {
  // If true, the following problems are errors instead of warnings:
  // - an inertia that no rigid body can have
  // - an unknown element or attribute, or an unsupported one that affects the motion
  // - a joint that mimics a joint which does not exist or does not have exactly one dof
  // - a robot without a name
  bool strict = false;
  bool com_frames = false;  // see RobotDescription::com_frames
  // true: a floating joint connects the root link to the world. false: the root link is fixed in
  // the world.
  // In formats that state this themselves, such as SDF, true is an error if no link floats.
  bool floating_base = false;
  bool base_motors = false;  // true: the floating joint has a motor for each dof
  std::string name = "";     // name of the robot; "": the name in the file
  // true: the <collision> shapes become colliders. Reads the files of their meshes.
  bool collisions = false;
  // Access to all files that are read besides the robot file: meshes, included files and closures.
  MeshAccess meshes = {};
  // true: a program may be started to read the file, as xacro for .xacro files. Set it only if the
  // user has named the file.
  bool run_programs = false;
};
// Default name of the floating joint of the root link. Its dof are the first of the robot. If a
// joint in the file already has this name, a number is appended: floating_base_2.
inline constexpr std::string_view floating_base_joint = "floating_base";

struct RobotFormat {
  std::string_view name;       // name in messages, such as "URDF"
  std::string_view extension;  // such as ".urdf"
  RobotDescription (*read)(const std::filesystem::path& file, const RobotFileOptions& options);
};
// Returns the format for the extension of a file name, or nullptr if the extension is unknown.
const RobotFormat* robot_format(const std::filesystem::path& file);
// Returns the known extensions for a message, such as ".urdf, .sdf". format: the name of a format
// whose extensions are returned; "": those of all formats.
std::string robot_extensions(std::string_view format = "");

// Throws Error if the file does not have the extension of a known format. expected: the text of the
// message, such as "a robot is a .urdf or a .lua file".
void require_robot_extension(const std::filesystem::path& file, std::string_view expected);
// Throws Error if the file does not have an extension of the format. call: the function that reads
// this format, such as "torsor.urdf".
void require_robot_format(const std::filesystem::path& file, std::string_view format,
                          std::string_view call);
// Reads a robot. Elements and attributes that are not used cause warnings. Throws Error with
// file:line if the file is not valid, and Error if its extension is unknown.
RobotDescription read_robot_file(const std::filesystem::path& file,
                                 const RobotFileOptions& options = {});

}  // namespace torsor
