#pragma once
// Describes the forces on a joint in addition to the rigid bodies: motors, springs, friction,
// stops.

#include <string>
#include <vector>

#include "editor/probe/probe.hpp"

namespace torsor::editor {

struct Line {
  std::string name, value, unit, help;
};

// Returns the armature, damping, motor, springs, friction, stops and mimicry of a joint, or an
// empty list if it has none of these. Names for a joint with several dof end with the dof: "Damping
// (wx)".
std::vector<Line> joint_report(const Simulation& simulation, const JointForces& forces,
                               const Joint& joint);

// Returns how many frictions stick or slip and how many stops are reached. The help lists their
// names. The value is empty if no friction can stick and there are no stops.
Line mode_report(const Simulation& simulation);

}  // namespace torsor::editor
