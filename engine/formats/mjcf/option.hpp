#pragma once
// <option> and its <flag>: the gravity, and parts of the file that are switched off.

#include "torsor/formats/mjcf/files.hpp"

namespace torsor::mjcf {

// The parts of a file that a <flag> can switch off. False: the reader leaves the part out, and
// notes it.
struct Flags {
  bool equality = true, frictionloss = true, limit = true, contact = true;
  bool spring = true, damper = true, actuation = true;
  bool clampctrl = true;     // the ranges of the inputs of actuators
  bool filterparent = true;  // the colliders of a body do not collide with those of its parent
};

// Reads all <flag> elements. A later value replaces an earlier one. `constraint` stands for the
// first four flags, and `passive` for spring and damper.
Flags read_flags(Files& files, bool collisions);
// Reads the gravity, for those who use it: a scene has its own gravity.
void read_gravity(const Files& files, RobotDescription& robot);

// Notes a part that a flag switches off. what: such as "<connect>".
void note_switched_off(Files& files, const XMLElement& xml, const std::string& what);

}  // namespace torsor::mjcf
