#pragma once
// <sensor>. The engine has its own sensors, so these are not used; only their names are checked.

#include "torsor/formats/mjcf/tree/tree.hpp"

namespace torsor::mjcf {

// Notes the sensors that refer to unknown bodies, joints, geoms, sites, tendons or actuators.
void check_sensors(Files& files, const Tree& tree);

}  // namespace torsor::mjcf
