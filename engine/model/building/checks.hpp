#pragma once
// Checks of a robot description: names, numbers and inertias. Only the builder uses this header.

#include <string>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error "source: text", or "text" if the source is empty.
[[noreturn]] void fail_at(const std::string& source, const std::string& text);

// Returns the "file:line" at which the link's joint is described.
const std::string& joint_source(const LinkDescription& link);
// Throws Error "source: joint 'NAME': text".
[[noreturn]] void fail_joint(const LinkDescription& link, const std::string& text);

// Throws Error if a name cannot be written on one line of a recording.
void check_name(const char* what, const std::string& name, const std::string& source);

bool is_finite(const Vec3<double>& a);
bool is_finite(const Pose<double>& X);

// Throws Error if the numbers of a link's joint, inertia, visuals or collisions are invalid. For an
// inertia that no rigid body has, robot.nonphysical selects between an error and a warning.
void check_link(const RobotDescription& robot, const LinkDescription& link,
                std::vector<std::string>& warnings);

}  // namespace torsor
