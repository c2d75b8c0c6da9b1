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
// In a floating joint, for example, the angular velocity about x changes rx, and the velocity along
// x changes x. The orders differ: v begins with the angular velocity, q with the position of the
// origin.
std::vector<int> moved_positions(const Model& model);  // [n_v]

// position() returns and set_position() sets the position with index `place` in positions().
// q: [n_q].
double position(const Model& model, std::span<const double> q, int place);
void set_position(const Model& model, std::span<double> q, int place, double value);

}  // namespace torsor::editor
