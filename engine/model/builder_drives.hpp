#pragma once
// Checks drives, mimicry and transmissions and adds them to the model. Used by the builder only.

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error for a drive with impossible values, or one that a joint of this kind cannot have.
void check_drives(const LinkDescription& link);

// Adds the mimicry of a robot to model.mimics. prefix: that of the robot's names in the model.
// Throws Error if a joint mimics one that does not exist or has several dof, or if joints mimic
// each other in a cycle.
void add_mimics(const RobotDescription& robot, const std::string& prefix, Model& model);

// Adds the rotors of elastic joints to model.elastic_rotors.
void add_elastic_rotors(const RobotDescription& robot, const std::string& prefix, Model& model);

// Adds the transmissions of a robot to model.transmissions and their armature to the diagonal.
// Throws Error for a joint that does not exist, is passive or has a motor already, and for a
// singular Jacobian.
void add_transmissions(const RobotDescription& robot, const std::string& prefix, Model& model);

}  // namespace torsor
