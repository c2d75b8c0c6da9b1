#pragma once
// Reads poses from a URDF file.

#include "torsor/formats/xml/element.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor::urdf {

// Returns the pose in the <origin> of an element. The rotation is R = Rz(yaw) Ry(pitch) Rx(roll).
Pose<double> read_origin(const xml::Element& element);

}  // namespace torsor::urdf
