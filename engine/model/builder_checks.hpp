#pragma once
// Checks of a description: names, numbers and inertias. Used by the builder only.

#include <string>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error "source: text", or "text" if the source is empty.
[[noreturn]] void fail_at(const std::string& source, const std::string& text);

// Returns "file:line" of the link's joint.
const std::string& joint_source(const LinkDescription& link);
// Throws Error "source: joint 'NAME': text".
[[noreturn]] void fail_joint(const LinkDescription& link, const std::string& text);

// Throws Error if a name does not fit on one line of a recording.
void check_name(const char* what, const std::string& name, const std::string& source);

bool is_finite(const Vec3<double>& a);
bool is_finite(const Pose<double>& X);

// Checks the numbers of a link's joint, inertia and visuals. Throws Error. robot.nonphysical
// determines if an inertia that no body has is an error or a warning.
void check_link(const RobotDescription& robot, const LinkDescription& link,
                std::vector<std::string>& warnings);

}  // namespace torsor
