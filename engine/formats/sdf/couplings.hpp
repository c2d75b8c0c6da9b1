#pragma once
// Reads the couplings of joints from an SDF file: <mimic> and joints of the type gearbox.

#include <vector>

#include "torsor/formats/sdf/tree.hpp"

namespace torsor::sdf {

// Sets Mimic of the axes of joints. loader: takes those that refer to a joint that does not exist,
// is not in the tree or does not have the axis. Their joints move independently.
void read_mimics(std::vector<Joint>& joints, const Tree& tree, const Frames& frames, bool strict,
                 Loader& loader, RobotDescription& robot);

// Adds the gears of gearbox joints to the closures of a robot. With theta_1 and theta_2, the angles
// from the reference body to the parent and to the child about the two axes:
//   theta_2 = -gearbox_ratio theta_1
// loader: takes gearboxes whose angles are not those of one revolute joint each.
void read_gearboxes(const std::vector<Joint>& joints, const Tree& tree, Frames& frames,
                    Loader& loader, RobotDescription& robot);

}  // namespace torsor::sdf
