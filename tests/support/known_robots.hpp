#pragma once
// Robots of the literature, built from the numbers of the reference tables.

#include "support/reference.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::test {

enum class RxParameters {
  standard,  // masses, first moments and inertias of every link, rotor inertias of all six joints
  base  // the 40 grouped ones that the dynamics can tell apart: massless links with first moments
};
// The Staeubli RX-90 of KHALIL from rx90.json: modified DH rows, links "link1".., joints
// "joint1"...
RobotDescription rx90(const Json& table, RxParameters parameters);

// The KUKA iiwa of MK from iiwa_second_order.json, inertias of its table about the COM; links
// "link1".., joints "joint1"...
RobotDescription iiwa(const Json& table);

// RCFS's chain of point masses at the ends of massless rods in the x-y plane, in relative angles:
// joint 1 is absolute from +x. Its family is "planar_n_link". Gravity is to be (0, -g, 0). Links
// "link1".. with the frame "tip1".. at the mass, joints "joint1"...
RobotDescription planar_n_link(const Vector& length, const Vector& mass);

}  // namespace torsor::test
