#include "torsor/formats/export/loop_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/formats/export/rewrites.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

constexpr LoopType loop_types[] = {
    {ClosureKind::weld, "fixed", 0},          {ClosureKind::revolute, "revolute", 1},
    {ClosureKind::prismatic, "prismatic", 1}, {ClosureKind::screw, "screw", 1},
    {ClosureKind::universal, "universal", 2}, {ClosureKind::spherical, "ball", 0},
};

bool is_near(double x, double y) {
  constexpr double closed = 1e-9;  // m and rad: a loop counts as closed (largest_loop_error)
  return std::abs(x - y) <= closed;
}
bool is_near_zero(const Vec3<double>& x) {
  return is_near(x.x, 0) && is_near(x.y, 0) && is_near(x.z, 0);
}
bool is_near_identity(const Mat3<double>& R) {
  for (int k = 0; k < 9; ++k)
    if (!is_near(R.m[k], k % 4 == 0 ? 1 : 0)) return false;
  return true;
}

}  // namespace

const LoopType* loop_type(ClosureKind kind) {
  const auto found = std::ranges::find(loop_types, kind, &LoopType::kind);
  return found == std::end(loop_types) ? nullptr : found;
}

LoopGeometry::LoopGeometry(const RobotDescription& robot) : X_R_(poses_at_zero(robot)) {
  const size_t world = robot.links.size();
  for (size_t i = 0; i < world; ++i) links_.emplace(robot.links[i].name, i);
  for (const FrameDescription& frame : robot.frames) frames_.emplace(frame.name, &frame);
  constexpr size_t unknown = std::numeric_limits<size_t>::max();
  trees_.assign(world, unknown);
  for (size_t i = 0; i < world; ++i) {
    std::vector<size_t> path{i};  // to the root, or to a link whose tree is known
    while (trees_[path.back()] == unknown && !robot.links[path.back()].parent.empty())
      path.push_back(links_.at(robot.links[path.back()].parent));
    const bool floats = traits(robot.links[path.back()].joint.kind).n_v == 6;
    const size_t known = trees_[path.back()];
    const size_t tree = known != unknown ? known : floats ? path.back() : world;
    for (const size_t k : path) trees_[k] = tree;
  }
  trees_.push_back(world);
}

size_t LoopGeometry::link_of(const std::string& name) const {
  if (name == "world") return trees_.size() - 1;
  const auto frame = frames_.find(name);
  return links_.at(frame == frames_.end() ? name : frame->second->link);
}

Pose<double> LoopGeometry::pose_in_link(const std::string& name) const {
  const auto frame = frames_.find(name);
  return frame == frames_.end() ? Pose<double>::identity() : frame->second->X_LF;
}

Pose<double> LoopGeometry::pose_of(const std::string& name) const {
  if (name == "world") return Pose<double>::identity();
  const auto frame = frames_.find(name);
  return frame == frames_.end() ? X_R_.at(name)
                                : X_R_.at(frame->second->link) * frame->second->X_LF;
}

LoopEnds LoopGeometry::ends(const ClosureDescription& closure) const {
  const auto end = [&](size_t k) {
    const Vec3<double>& axis = closure.axes[k];
    return pose_of(closure.frames[k]) * closure.origins[k] *
           Pose<double>{rotation_z_to((1 / norm(axis)) * axis), {0, 0, 0}};
  };
  return {end(0), end(1)};
}

bool LoopGeometry::is_in_one_tree(const ClosureDescription& closure) const {
  return trees_[link_of(closure.frames[0])] == trees_[link_of(closure.frames[1])];
}

bool LoopGeometry::is_closed(const ClosureDescription& closure) const {
  const Pose<double> X_AB = ends(closure).X_AB();
  const Vec3<double>& p = X_AB.p;
  const double* R = X_AB.R.m;
  const bool aligned = is_near(R[2], 0) && is_near(R[5], 0) && is_near(R[8], 1);
  switch (closure.kind) {
    case ClosureKind::weld:
      return is_near_zero(p) && is_near_identity(X_AB.R);
    case ClosureKind::revolute:
      return is_near_zero(p) && aligned;
    case ClosureKind::prismatic:
      return is_near(p.x, 0) && is_near(p.y, 0) && is_near_identity(X_AB.R);
    case ClosureKind::screw:
      return is_near(p.x, 0) && is_near(p.y, 0) && aligned &&
             is_near(p.z, closure.parameter.value_or(0) * std::atan2(R[3], R[0]));
    case ClosureKind::universal:
      return is_near_zero(p) && is_near(R[8], 0);
    default:
      return is_near_zero(p);
  }
}

double coordinate(ClosureKind kind, const Pose<double>& X_AB) {
  return kind == ClosureKind::prismatic ? X_AB.p.z : std::atan2(X_AB.R.m[3], X_AB.R.m[0]);
}

}  // namespace torsor::exporting
