#pragma once
// What a description may hold: names, numbers and inertias. For the builder alone.

#include <string>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error: "source: text", or the text where there is no source.
[[noreturn]] void fail_at(const std::string& source, const std::string& text);

// "file:line" of its joint.
const std::string& joint_source(const LinkDescription& link);
// Throws Error: "source: joint 'NAME': text".
[[noreturn]] void fail_joint(const LinkDescription& link, const std::string& text);

// Throws Error where a name could not stand on one line of a recording.
void check_name(const char* what, const std::string& name, const std::string& source);

bool is_finite(const Vec3<double>& a);
bool is_finite(const Pose<double>& X);

// Its joint's, inertia's and visuals' numbers, and its inertia as a body by the robot's policy, which may be to
// warn. Throws Error.
void check_link(const RobotDescription& robot, const LinkDescription& link,
                std::vector<std::string>& warnings);

}  // namespace torsor
