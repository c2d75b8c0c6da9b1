#pragma once
// What moves and holds a joint beside the rigid bodies, in numbers and words.

#include <string>
#include <vector>

#include "editor/session/probe.hpp"

namespace torsor::editor {

struct Line {
  std::string name, value, unit, help;
};

// Of its armature and damping, its motor, its springs, frictions, stops and what it mimics: nothing where it has
// none of these. Names of a joint of several columns begin with that of the column, as "wx friction".
std::vector<Line> joint_report(const Simulation& simulation, const JointForces& forces, const Joint& joint);

// How many frictions hold and slide and how many stops are touched, with their names in the help; an empty value where no
// friction can hold and there are no stops.
Line mode_report(const Simulation& simulation);

}  // namespace torsor::editor
