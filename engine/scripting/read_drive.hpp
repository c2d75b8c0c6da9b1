#pragma once
// What acts at a joint beside the rigid bodies, as a link's joint table says it (model/drive.hpp).

#include "torsor/model/builder.hpp"
#include "torsor/scripting/table_reader.hpp"

namespace torsor::lua {

// The keys of a drive, for tables that may hold one.
#define TORSOR_DRIVE_KEYS "friction", "elastic", "motor", "spring", "stop", "passive"

// Puts friction, elastic, motor, spring, stop, passive and mimic of a joint's table into its description, or, of a joint of
// several columns, the list drives = {{..}, ..} of such tables, one for each column.
void read_drives(const TableReader& joint, JointDescription& out);

// { joints = {..}, jacobian = {{..}, ..}, motors = {{ rotor_inertia =, friction = }, ..} }
TransmissionDescription read_transmission(const TableReader& table);

}  // namespace torsor::lua
