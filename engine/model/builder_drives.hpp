#pragma once
// Drives and mimicry of joints, checked and put into columns. For the builder alone.

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error where a joint has a drive that there is none of, or that its kind cannot have.
void check_drives(const LinkDescription& link);

// Fills model.mimics with those of a robot whose names start with prefix in the model. Throws Error where one mimics what is not
// there, what has no coordinate of its own, or itself in a circle.
void add_mimics(const RobotDescription& robot, const std::string& prefix, Model& model);

// Fills model.elastic_rotors with those of the robot.
void add_elastic_rotors(const RobotDescription& robot, const std::string& prefix, Model& model);

// Fills model.transmissions with those of the robot, and puts their armature on its diagonal. Throws Error for joints that are not
// there, have an actuator already or none of their own, and for a Jacobian that has no inverse.
void add_transmissions(const RobotDescription& robot, const std::string& prefix, Model& model);

}  // namespace torsor
