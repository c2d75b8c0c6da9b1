#pragma once
// Actuators and keyframes of MJCF, which become ActuatorDescription and NamedState.

#include "torsor/formats/mjcf/tree.hpp"

namespace torsor::mjcf {

// Adds the actuators of joints to a robot. Those of tendons, sites and bodies, and those with an
// activation that integrates, are noted in `files`. Sets two properties of the joints:
// - the effort limit of a joint with one dof, if the force of all its actuators is limited
// - passive drives: joints without an actuator have no motor, if all actuators of the file are of
//   joints and there is one at least
// Returns the index in the file of each actuator that was added.
std::vector<size_t> read_actuators(Files& files, const Classes& classes, const Compiler& compiler,
                                   const Tree& tree, RobotDescription& robot);

// Adds the state "qpos0", the pose of the file, and the <key> elements to the states of a robot.
// A <key> without a name is named key<N>, with its number in the file, from 0. actuators: result of
// read_actuators().
void read_keyframes(Files& files, const Tree& tree, const std::vector<size_t>& actuators,
                    RobotDescription& robot);

}  // namespace torsor::mjcf
