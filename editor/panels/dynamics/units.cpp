#include "editor/panels/dynamics/units.hpp"

#include <array>

#include "torsor/handles/quantity.hpp"

namespace torsor::editor {

namespace {

// Selects one of four units: row and column are each for an angle or for a length.
std::string one_of(bool row_turns, bool column_turns, const char* angle_angle,
                   const char* angle_length, const char* length_angle, const char* length_length) {
  if (row_turns) return column_turns ? angle_angle : angle_length;
  return column_turns ? length_angle : length_length;
}

}  // namespace

std::string inertia_unit(bool row_turns, bool column_turns) {
  return unit_of_inertia(std::array{row_turns, column_turns});
}
std::string coriolis_unit(bool row_turns, bool column_turns) {
  return unit_of_coriolis(std::array{row_turns, column_turns});
}
std::string coriolis_rate_unit(bool row_turns, bool column_turns) {
  return inertia_unit(row_turns, column_turns) + "/s^2";
}
std::string torque_unit(bool row_turns, bool) {
  return unit_of_torque(std::array{row_turns});
}
std::string torque_rate_unit(bool row_turns, bool) {
  return row_turns ? "N m/s" : "N/s";
}
std::string torque_second_rate_unit(bool row_turns, bool) {
  return row_turns ? "N m/s^2" : "N/s^2";
}
std::string power_unit(bool, bool) {
  return "W";
}
std::string jacobian_unit(bool row_turns, bool column_turns) {
  return one_of(row_turns, column_turns, "1", "rad/m", "m/rad", "1");
}
std::string stiffness_unit(bool row_turns, bool column_turns) {
  return one_of(row_turns, column_turns, "N m/rad", "N", "N/rad", "N/m");
}
std::string damping_unit(bool row_turns, bool column_turns) {
  return one_of(row_turns, column_turns, "N m s/rad", "N s", "N s/rad", "N s/m");
}
std::string acceleration_per_q(bool row_turns, bool column_turns) {
  return one_of(row_turns, column_turns, "1/s^2", "rad/(m s^2)", "m/(rad s^2)", "1/s^2");
}
std::string acceleration_per_v(bool row_turns, bool column_turns) {
  return one_of(row_turns, column_turns, "1/s", "rad/(m s)", "m/(rad s)", "1/s");
}

}  // namespace torsor::editor
