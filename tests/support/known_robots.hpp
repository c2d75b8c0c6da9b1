#pragma once
// Robots of the literature, built from the numbers of the reference tables.

#include "support/reference.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::test {

enum class RxParameters {
  standard,  // masses, first moments and inertias of every link, rotor inertias of all six joints
  // The 40 base parameters, which are all that the dynamics depends on. Links have first moments
  // without mass.
  base
};
// Returns the Staeubli RX-90 of KHALIL from rx90.json, in modified DH rows. Links are "link1"..,
// joints "joint1"...
RobotDescription rx90(const Json& table, RxParameters parameters);

// Returns the KUKA iiwa of MK from iiwa_second_order.json, whose inertias are about the COM. Links
// are "link1".., joints "joint1"...
RobotDescription iiwa(const Json& table);

// Returns the chain of RCFS: point masses at the ends of massless rods in the x-y plane. Joint
// angles are relative, and the first is from +x. The family is "planar_n_link", so gravity must be
// (0, -g, 0). Links are "link1".., with the frames "tip1".. at the masses, and joints "joint1"...
RobotDescription planar_n_link(const Vector& length, const Vector& mass);

}  // namespace torsor::test
