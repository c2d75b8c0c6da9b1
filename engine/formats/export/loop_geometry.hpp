#pragma once
// The loops of a robot at q = 0, for the writer of SDF. The placements of the robot must be plain.

#include <string>
#include <unordered_map>
#include <vector>

#include "torsor/model/builder.hpp"

namespace torsor::exporting {

// The type of a joint of SDF that closes a loop, and how many axes it has.
struct LoopType {
  ClosureKind kind;
  const char* name;
  int n_axis;
};
// Returns the type for a closure, or nullptr if SDF has none.
const LoopType* loop_type(ClosureKind kind);

// The frames A and B of a closure in the base of the robot, with their z axes along its axes.
struct LoopEnds {
  Pose<double> X_RA, X_RB;
  Pose<double> X_AB() const { return inverse(X_RA) * X_RB; }
};

class LoopGeometry {
 public:
  explicit LoopGeometry(const RobotDescription& robot);

  // Returns the index of the link of a link or frame; that of "world" is links.size().
  size_t link_of(const std::string& name) const;
  // Returns the pose of a link, a frame or "world" in the base of the robot.
  Pose<double> pose_of(const std::string& name) const;
  // Returns the pose of a link or frame in its link; the identity for "world".
  Pose<double> pose_in_link(const std::string& name) const;
  LoopEnds ends(const ClosureDescription& closure) const;
  // Returns whether joints, or joints and the world, connect the bodies of a closure.
  bool is_in_one_tree(const ClosureDescription& closure) const;
  // Returns whether a closure, which has a loop_type(), holds.
  bool is_closed(const ClosureDescription& closure) const;

 private:
  std::unordered_map<std::string, Pose<double>> X_R_;
  std::unordered_map<std::string, size_t> links_;
  std::unordered_map<std::string, const FrameDescription*> frames_;
  std::vector<size_t> trees_;  // by link: the index of its root; links.size() for the world's
};

// Returns the coordinate of a closure with one axis, which holds: the motion of B relative to A,
// rad or m.
double coordinate(ClosureKind kind, const Pose<double>& X_AB);

}  // namespace torsor::exporting
