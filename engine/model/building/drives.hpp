#pragma once
// Checks drives, mimic joints and transmissions and adds them to the model. Only the builder uses
// this header.

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error if a drive has impossible values, or if a joint of this kind cannot have it.
void check_drives(const LinkDescription& link);

// Adds the mimic relations of a robot to model.mimics. prefix: the prefix of the robot's names in
// the model. Throws Error if a joint mimics a joint that does not exist or has several dof, or if
// joints mimic each other in a cycle.
void add_mimics(const RobotDescription& robot, const std::string& prefix, Model& model);

// Adds the springs between elastic joints and their rotor bodies to model.elastic_rotors.
void add_elastic_rotors(const RobotDescription& robot, const std::string& prefix, Model& model);

// Returns the robot with its stiffness matrices written into the drives of their joints. The drives
// get the diagonal entries. Throws Error for a matrix that is not symmetric positive definite, and
// for a joint that cannot be elastic.
RobotDescription with_stiffnesses(const RobotDescription& robot);

// Adds the entries off the diagonal of the robot's stiffness matrices to model.stiffness_couplings.
void add_stiffness_couplings(const RobotDescription& robot, const std::string& prefix,
                             Model& model);

// Adds the transmissions of a robot to model.transmissions, and the diagonal of a constant
// armature to model.armature. Throws Error for a joint that does not exist, is passive or already
// has a motor, and for a singular Jacobian.
void add_transmissions(const RobotDescription& robot, const std::string& prefix, Model& model);

}  // namespace torsor
