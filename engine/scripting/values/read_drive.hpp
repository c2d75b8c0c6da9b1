#pragma once
// Reads the drive of a joint from its table: friction, motors, springs and stops (model/drive.hpp).

#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// The keys of a drive in a joint's table.
#define TORSOR_DRIVE_KEYS "friction", "elastic", "motor", "spring", "stop", "passive"

// Reads friction, elastic, motor, spring, stop, mimic, passive and motors of a joint's table into
// its description. A joint with several dof takes a list drives = {{..}, ..} with one such table
// per dof. passive and motors then apply to all of them. at_base is true if the link has no parent.
void read_drives(const TableReader& joint, bool at_base, JointDescription& out);

// Reads { joints = {..}, jacobian = {{..}, ..}, motors = {{ rotor_inertia =, friction = }, ..} }.
TransmissionDescription read_transmission(const TableReader& table);

}  // namespace torsor::lua
