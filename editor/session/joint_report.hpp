#pragma once
// Everything besides rigid bodies that acts at a joint, in numbers and words.

#include <string>
#include <vector>

#include "editor/session/probe.hpp"

namespace torsor::editor {

struct Line {
  std::string name, value, unit, help;
};

// Returns lines about armature, damping, motor, springs, friction, stops and mimicry of a joint;
// none if it has none of these. For a joint of several dof, names begin with that of the dof: "wx
// friction".
std::vector<Line> joint_report(const Simulation& simulation, const JointForces& forces, const Joint& joint);

// Returns how many joints stick, slip or touch a stop, with their names in the help. The value is
// empty if no friction can stick and there are no stops.
Line mode_report(const Simulation& simulation);

}  // namespace torsor::editor
