#pragma once
// URDF import: one robot from an XML file (every joint type of URDF).

#include <filesystem>

#include "torsor/model/builder.hpp"

namespace torsor {

struct UrdfOptions {
  bool strict = false;         // an inertia that no body has is an error, not a warning
  bool com_frames = false;     // RobotDescription::com_frames
  bool floating_base = false;  // the root link is not fixed in the world: a floating joint carries it
};
inline constexpr std::string_view floating_base_joint = "floating_base";  // its columns are the first

// Reads the file, shapes and colours of its <visual> too, of meshes their names. Throws Error with file:line for what is wrong. What was read and left unused is in
// warnings.
RobotDescription read_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});

}  // namespace torsor
