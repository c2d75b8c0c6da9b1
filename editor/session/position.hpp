#pragma once
// Positions as one number for each column, to be shown and set one by one: the coordinates of a joint, where a quaternion is
// its rotation vector (rx, ry, rz) in radians.

#include "torsor/model/model.hpp"

namespace torsor::editor {

struct Position {
  std::string name;  // "joint1", "base.x", "base.rx"
  std::string_view unit;
};
std::vector<Position> positions(const Model& model);  // [n_v]

double position(const Model& model, std::span<const double> q, int column);
void set_position(const Model& model, std::span<double> q, int column, double value);

}  // namespace torsor::editor
