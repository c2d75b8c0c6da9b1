#pragma once
// Pairs of boxes along the axes of the world that overlap, by the trees of boxes of Bullet.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "torsor/spatial/vec3.hpp"

namespace torsor {

struct AxisBox {
  Vec3<double> low, high;  // m

  bool overlaps(const AxisBox& b) const {
    return low.x <= b.high.x && b.low.x <= high.x && low.y <= b.high.y && b.low.y <= high.y &&
           low.z <= b.high.z && b.low.z <= high.z;
  }
};

class BroadPhase {
 public:
  // is_static [n]: boxes that are not tested with each other.
  explicit BroadPhase(std::vector<bool> is_static);
  ~BroadPhase();
  BroadPhase(BroadPhase&&) noexcept;

  // Returns the pairs (i, j), i < j, of boxes [n] that overlap, in ascending order, valid until the
  // next call. The pairs depend only on the boxes, not on earlier calls. Allocates memory only
  // while the number of pairs grows.
  std::span<const std::pair<int, int>> overlaps(std::span<const AxisBox> boxes);

 private:
  struct Trees;
  std::unique_ptr<Trees> trees_;
};

}  // namespace torsor
