#pragma once
// As many positions as there are columns of v, to be shown and set one by one: the coordinates of a joint, where a quaternion is
// its rotation vector (rx, ry, rz) in radians.

#include "torsor/model/model.hpp"

namespace torsor::editor {

struct Position {
  std::string name;  // "joint1", "base.x", "base.rx"
  std::string_view unit;
  int coordinate;  // entry of q; -1 of a rotation vector
};
std::vector<Position> positions(const Model& model);  // [n_v]
// Of each column of v, the place in positions() of what it moves: its own coordinate, or of a planar or floating joint the like
// one (omega about x turns rx, v along x moves x). Their order is another: twists are angular first, q has the origin first.
std::vector<int> moved_positions(const Model& model);  // [n_v]

// Of the position at a place in positions().
double position(const Model& model, std::span<const double> q, int place);
void set_position(const Model& model, std::span<double> q, int place, double value);

}  // namespace torsor::editor
