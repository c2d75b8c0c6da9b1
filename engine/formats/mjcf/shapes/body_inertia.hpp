#pragma once
// The inertia of a body, from <inertial> or from its geoms.

#include "torsor/formats/mjcf/shapes/geom.hpp"

namespace torsor::mjcf {

// Returns the inertia of a body about the origin of its frame. inertial: its <inertial>, or
// nullptr. X_BF: the pose of the frame in which <inertial> is given. Applies the bounds of
// <compiler> and its balanceinertia.
SpatialInertia<double> body_inertia(const Compiler& compiler, const Values* inertial,
                                    const Pose<double>& X_BF, const std::vector<Geom>& geoms);

// Scales the inertias of all links to a total mass, kg. Does nothing if they have no mass.
void scale_masses(RobotDescription& robot, double total);

}  // namespace torsor::mjcf
