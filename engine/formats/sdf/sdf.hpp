#pragma once
// The SDF reader: reads a model or a world from SDF 1.4 to 1.12.

#include "torsor/formats/robot_file.hpp"

namespace torsor {

// Reads a robot: the model of a file, or all models of its first <world>. Names of nested models,
// and of the models of a world, are scoped: "MODEL::NAME". A link that no joint connects to the
// world, and whose model is not static, gets a floating joint at its pose in the file. Joints that
// close loops become closures. RobotDescription::gravity_W is that of the world. Elements and
// attributes that are not used cause warnings. Throws Error with file:line if the file, or a file
// that it includes, is not valid.
RobotDescription read_sdf(const std::filesystem::path& file, const RobotFileOptions& options);

}  // namespace torsor
