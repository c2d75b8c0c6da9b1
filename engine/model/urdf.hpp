#pragma once
// URDF import: one robot from an XML file (joints of one degree of freedom, and fixed).

#include <filesystem>

#include "torsor/model/builder.hpp"

namespace torsor {

struct UrdfOptions {
  bool strict = false;      // an inertia that no body has is an error, not a warning
  bool com_frames = false;  // RobotDescription::com_frames
};

// Reads the file, shapes and colours of its <visual> too, but no meshes. Throws Error with file:line for what is wrong. What was read and left unused is in
// warnings.
RobotDescription read_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});

}  // namespace torsor
