#pragma once
// Positions that can be shown and set individually, one per velocity coordinate. A quaternion is
// shown as its rotation vector (rx, ry, rz) in radians.

#include "torsor/model/model.hpp"

namespace torsor::editor {

struct Position {
  std::string name;  // "joint1", "base.x", "base.rx"
  std::string_view unit;
  int coordinate;  // index in q, or -1 for a component of a rotation vector
};
std::vector<Position> positions(const Model& model);  // [n_v]
// Returns, for each velocity coordinate, the index in positions() of the position that it changes.
// In a planar or floating joint, omega about x changes rx, and v along x changes x. The orders
// differ: a twist begins with the angular velocity, but q begins with the position of the origin.
std::vector<int> moved_positions(const Model& model);  // [n_v]

// Return or set the position at an index of positions().
double position(const Model& model, std::span<const double> q, int place);
void set_position(const Model& model, std::span<double> q, int place, double value);

}  // namespace torsor::editor
