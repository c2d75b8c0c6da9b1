#pragma once
// Units of the entries of a table. An argument is true if the row or column is for an angle, false
// if it is for a length.

#include <string>

namespace torsor::editor {

std::string inertia_unit(bool row_turns, bool column_turns);        // for M: kg m^2, kg m, kg
std::string coriolis_unit(bool row_turns, bool column_turns);       // for C and dM/dt
std::string coriolis_rate_unit(bool row_turns, bool column_turns);  // for dC/dt
std::string torque_unit(bool row_turns, bool);
std::string torque_rate_unit(bool row_turns, bool);
std::string torque_second_rate_unit(bool row_turns, bool);
std::string power_unit(bool, bool);
std::string jacobian_unit(bool row_turns, bool column_turns);
std::string stiffness_unit(bool row_turns, bool column_turns);      // for d tau/dq
std::string damping_unit(bool row_turns, bool column_turns);        // for d tau/dv
std::string acceleration_per_q(bool row_turns, bool column_turns);  // for d vdot/dq
std::string acceleration_per_v(bool row_turns, bool column_turns);  // for d vdot/dv

}  // namespace torsor::editor
