#pragma once
// Reads joints from an SDF file.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/formats/sdf/frames.hpp"
#include "torsor/formats/sdf/loader.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::sdf {

// A type of joint.
struct JointType {
  std::string_view name;
  JointKind kind;       // for two axes: that of each
  ClosureKind closure;  // the kind of a joint that closes a loop
  int n_axis;
};

// An axis of a joint, with its unit vector in the axes of the joint's frame J.
struct JointAxis {
  Vec3<double> direction_J{0, 0, 1};
  // Limits and drives of the dof about this axis. Its name, kind and placement are not set.
  JointDescription motion = {};
  bool is_limited = false;  // true: it has position limits
};

struct Joint {
  const JointNode* node;
  const JointType* type;                               // null for a gearbox
  std::string name;                                    // as the robot has it
  const LinkNode *parent = nullptr, *child = nullptr;  // null for the world
  Pose<double> X_WJ = Pose<double>::identity();
  std::vector<JointAxis> axes = {};
  double pitch = 0;  // m/rad, of a screw
  // The coordinates at the poses of the file, rad or m: one for each axis, or the quaternion w x y
  // z of a ball joint. Empty: 0, or no rotation.
  std::vector<double> position = {};
  std::string place() const { return node->element.place(); }
  // Returns the name of the joint of the robot for an axis: NAME, or NAME_1 or NAME_2 if there are
  // two.
  std::string name_of_axis(size_t axis) const;
  // Returns the coordinate of an axis at the poses of the file.
  double position_of(size_t axis) const { return position.empty() ? 0 : position[axis]; }
};

// Names of joints without an <axis>, and of screws without a pitch, which have the defaults of SDF.
struct AssumedJoints {
  std::vector<std::string> axis, pitch;
};

// Reads a joint, except <mimic>. loader: takes the words that are not used. Throws Error with
// file:line if it is not valid.
Joint read_joint(const JointNode& node, Frames& frames, Loader& loader, AssumedJoints& assumed);

// Reads the coordinates of the floating joint of a link at the poses of the file, an extension of
// SDF by Torsor: x, y, z, m, and a quaternion w x y z. Returns [] if there are none.
std::vector<double> read_floating_position(const LinkNode& node);

// A <mimic>: joint follows leader.
struct WrittenMimic {
  xml::Element element;
  std::string leader;
  bool of_axis2;
  double multiplier, offset;
};
// Returns the <mimic> of an axis of a joint, or nullopt if it has none.
//   q = multiplier (q_leader - reference) + offset
std::optional<WrittenMimic> read_mimic(const JointNode& node, size_t axis);

}  // namespace torsor::sdf
