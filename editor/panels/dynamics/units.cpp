#include "editor/panels/dynamics/units.hpp"

namespace torsor::editor {

namespace {

// Of kg times metres to a power from -1 to 2.
std::string mass_and_length(int power) {
  static constexpr const char* units[] = {"kg/m", "kg", "kg m", "kg m^2"};
  return units[power + 1];
}
// One of four, by what the row and the column are about.
std::string one_of(bool row_turns, bool column_turns, const char* angle_angle,
                   const char* angle_length, const char* length_angle, const char* length_length) {
  if (row_turns) return column_turns ? angle_angle : angle_length;
  return column_turns ? length_angle : length_length;
}

}  // namespace

std::string inertia_unit(bool row_turns, bool column_turns) {
  return mass_and_length(int(row_turns) + int(column_turns));
}
std::string inverse_inertia_unit(bool row_turns, bool column_turns) {
  const std::string inertia = inertia_unit(row_turns, column_turns);
  return inertia == "kg" ? "1/kg" : "1/(" + inertia + ")";
}
std::string coriolis_unit(bool row_turns, bool column_turns) {
  return inertia_unit(row_turns, column_turns) + "/s";
}
std::string coriolis_rate_unit(bool row_turns, bool column_turns) {
  return inertia_unit(row_turns, column_turns) + "/s^2";
}
std::string torque_unit(bool row_turns, bool) {
  return row_turns ? "N m" : "N";
}
std::string torque_rate_unit(bool row_turns, bool) {
  return row_turns ? "N m/s" : "N/s";
}
std::string torque_second_rate_unit(bool row_turns, bool) {
  return row_turns ? "N m/s^2" : "N/s^2";
}
std::string acceleration_unit(bool row_turns, bool) {
  return row_turns ? "rad/s^2" : "m/s^2";
}
std::string power_unit(bool, bool) {
  return "W";
}
std::string jacobian_unit(bool row_turns, bool column_turns) {
  return one_of(row_turns, column_turns, "1", "rad/m", "m/rad", "1");
}
// C_ij = sum_k G_ijk v_k: a v_k in m/s takes a metre.
std::string christoffel_unit_of_angle(bool row_turns, bool column_turns) {
  return inertia_unit(row_turns, column_turns);
}
std::string christoffel_unit_of_length(bool row_turns, bool column_turns) {
  return mass_and_length(int(row_turns) + int(column_turns) - 1);
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
