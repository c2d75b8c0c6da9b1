#include "torsor/contact/broad_phase.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

btVector3 bullet_corner(const Vec3<double>& v) {
  return {v.x, v.y, v.z};
}
int index_of(const btDbvtNode* leaf) {
  return leaf->dataAsInt;
}

// The pairs of leaves that two trees report.
struct Collector final : btDbvt::ICollide {
  std::span<const AxisBox> boxes;
  std::vector<std::pair<int, int>> pairs;

  void Process(const btDbvtNode* a, const btDbvtNode* b) override {
    const int i = index_of(a), j = index_of(b);
    // The boxes in the trees are larger, so that they change less often.
    if (boxes[size_t(i)].overlaps(boxes[size_t(j)])) pairs.push_back(std::minmax(i, j));
  }
};

}  // namespace

struct BroadPhase::Trees {
  std::vector<bool> is_static;
  std::vector<btDbvtNode*> leaves;
  btDbvt moving, fixed;
  Collector found;
};

BroadPhase::BroadPhase(std::vector<bool> is_static) : trees_(std::make_unique<Trees>()) {
  trees_->leaves.resize(is_static.size());
  trees_->is_static = std::move(is_static);
}
BroadPhase::~BroadPhase() = default;
BroadPhase::BroadPhase(BroadPhase&&) noexcept = default;

std::span<const std::pair<int, int>> BroadPhase::overlaps(std::span<const AxisBox> boxes) {
  Trees& trees = *trees_;
  // A box in a tree is larger than the given one by this part of its size. It is made smaller when
  // it is too large.
  constexpr double slack = 0.1, too_large = 2;
  for (size_t k = 0; k < boxes.size(); ++k) {
    const auto& [low, high] = boxes[k];
    btDbvtVolume volume = btDbvtVolume::FromMM(bullet_corner(low), bullet_corner(high));
    btDbvt& tree = trees.is_static[k] ? trees.fixed : trees.moving;
    btDbvtNode*& leaf = trees.leaves[k];
    if (!leaf) {
      leaf = tree.insert(volume, nullptr);
      leaf->dataAsInt = int(k);
    } else if (leaf->volume.Lengths().length() > too_large * volume.Lengths().length()) {
      tree.update(leaf, volume);
    } else {
      tree.update(leaf, volume, slack * norm(high - low));
    }
  }
  trees.found.boxes = boxes;
  trees.found.pairs.clear();
  trees.moving.collideTTpersistentStack(trees.moving.m_root, trees.moving.m_root, trees.found);
  trees.moving.collideTTpersistentStack(trees.moving.m_root, trees.fixed.m_root, trees.found);
  std::ranges::sort(trees.found.pairs);
  return trees.found.pairs;
}

}  // namespace torsor
