#pragma once
// Describes what acts on a joint in addition to the rigid bodies: motors, springs, friction, stops.

#include <string>
#include <vector>

#include "editor/probe/probe.hpp"

namespace torsor {
class Simulation;
struct Joint;
}  // namespace torsor

namespace torsor::editor {

struct Line {
  std::string name, value, unit, help;
};

// Returns the prescribed motion, armature, damping, motor, springs, friction, stops, mimicry and
// constraint force of a joint. The list is empty if it has none of these. For a joint with several
// dof, each name ends with the dof: "Damping (wx)".
std::vector<Line> joint_report(const Simulation& simulation, const JointForces& forces,
                               const Joint& joint);

// Returns how many friction elements stick or slip, and how many stops are reached. The help lists
// each of them. The value is empty if no friction can stick and there are no stops.
Line mode_report(const Simulation& simulation);

}  // namespace torsor::editor
