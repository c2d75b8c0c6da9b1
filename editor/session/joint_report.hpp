#pragma once
// Describes what acts on a joint besides the rigid bodies: motors, springs, friction, stops.

#include <string>
#include <vector>

#include "editor/session/probe.hpp"

namespace torsor::editor {

struct Line {
  std::string name, value, unit, help;
};

// Returns the armature, damping, motor, springs, friction, stops and mimicry of a joint; empty if
// it has none of these. Names of a joint of several degrees of freedom end with the dof: "Damping
// (wx)".
std::vector<Line> joint_report(const Simulation& simulation, const JointForces& forces,
                               const Joint& joint);

// Returns how many frictions stick and slide and how many stops are reached, with their names in
// the help. The value is empty if no friction can stick and there are no stops.
Line mode_report(const Simulation& simulation);

}  // namespace torsor::editor
