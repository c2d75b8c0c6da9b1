#pragma once
// Actuators and keyframes of MJCF, which become ActuatorDescription and NamedState.

#include "torsor/formats/mjcf/tree/tree.hpp"

namespace torsor::mjcf {

// The objects that a reader of actuators needs. They must outlive it.
struct ActuatorContext {
  Files& files;
  const Classes& classes;
  const Compilers& compilers;
  const Flags& flags;
};
// The actuators of MuJoCo, in its order: copies of <replicate> come last.
struct Actuators {
  size_t count() const { return xml.size(); }
  std::vector<const XMLElement*> xml;
  std::vector<size_t> added;  // indices of those that were added to the robot
};
// Adds the actuators of joints to a robot, and those of sites on free bodies. Noted in `files` are
// those of tendons and other sites and bodies, those with an activation that integrates, and those
// whose torques at the dof depend on q. Sets two properties of the joints:
// - the effort limit of a joint with one dof, if the force of all its actuators is limited
// - passive drives: dof without an actuator have no motor, if the file has actuators and none was
//   left out. If a flag switches all off, no dof has one.
Actuators read_actuators(ActuatorContext context, Tree& tree, RobotDescription& robot);

// Adds the state "qpos0", the pose of the file, and the <key> elements to the states of a robot.
// A <key> without a name is named key<N>, with its number in the file, from 0. A <key> of an
// attached model has the values of qpos0, and inputs of 0, outside of the model. It is noted in
// `files` if a part of the model is not attached, or if <replicate> copies a part. actuators:
// result of read_actuators().
void read_keyframes(Files& files, const Tree& tree, const Actuators& actuators,
                    RobotDescription& robot);

}  // namespace torsor::mjcf
