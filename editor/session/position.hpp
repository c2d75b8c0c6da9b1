#pragma once
// Positions that can be shown and set one by one, one per velocity coordinate. A quaternion is
// shown as its rotation vector (rx, ry, rz) in radians.

#include "torsor/model/model.hpp"

namespace torsor::editor {

struct Position {
  std::string name;  // "joint1", "base.x", "base.rx"
  std::string_view unit;
  int coordinate;  // entry of q; -1 of a rotation vector
};
std::vector<Position> positions(const Model& model);  // [n_v]
// Returns, for each velocity coordinate, the index in positions() of what it moves. In a planar or
// floating joint, omega about x turns rx and v along x moves x: twists are angular first, but q has
// the origin first.
std::vector<int> moved_positions(const Model& model);  // [n_v]

// Return or set the position at an index of positions().
double position(const Model& model, std::span<const double> q, int place);
void set_position(const Model& model, std::span<double> q, int place, double value);

}  // namespace torsor::editor
