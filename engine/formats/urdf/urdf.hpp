#pragma once
// The URDF reader: one robot from an XML file, with every joint type of URDF.

#include <filesystem>

#include "torsor/model/builder.hpp"

namespace torsor {

struct UrdfOptions {
  // Makes these errors instead of warnings: an inertia that no body has, unknown words, words about
  // the motion that are not supported, a <mimic> of a joint that does not exist or does not have
  // one degree of freedom, and a robot without a name.
  bool strict = false;
  bool com_frames = false;  // RobotDescription::com_frames
  // A floating joint carries the root link; else it is fixed in the world.
  bool floating_base = false;
  bool base_motors = false;  // that joint has a motor for each degree of freedom
  std::string name = "";     // name of the robot; "": the one in the file
};
// Name of the floating joint that carries the root link. Its degrees of freedom come first. If a
// joint of the file has this name, a number is appended, as in floating_base_2.
inline constexpr std::string_view floating_base_joint = "floating_base";

// Reads a robot, with the shapes and colours of its <visual> elements; of meshes it keeps the file
// names. Floating and planar joints get no motors. Puts what it did not use in the warnings. Throws
// Error with file:line.
RobotDescription read_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});

// Throws Error unless the name of the file ends in .urdf; names xacro where it is such a file.
// expected: "a robot is a .urdf or a .lua file".
void require_urdf_name(const std::filesystem::path& file, std::string_view expected);

}  // namespace torsor
