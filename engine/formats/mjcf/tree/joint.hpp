#pragma once
// Joints of MJCF.

#include "torsor/formats/mjcf/compiler.hpp"
#include "torsor/formats/mjcf/option.hpp"

namespace torsor::mjcf {

// The joint types of MJCF, and the joint kinds that they become.
enum class JointType : unsigned char { free, ball, slide, hinge };
JointKind kind_of(JointType type);

// A joint as read from the file. Its name is not set, and X_PL is that of a link whose frame
// coincides with that of its parent at q = ref. The spring of a free joint has no rest pose yet,
// which is that of the body in the file.
struct JointElement {
  JointDescription joint;
  JointType type = JointType::hinge;
  double ref = 0;  // q in the pose of the file, rad or m; 0 for joints with several dof
};

// The objects that a reader of joints needs. They must outlive it.
struct JointContext {
  Files& files;
  const Compilers& compilers;
  const Flags& flags;
  bool base_motors;
};
// Reads a <joint> or <freejoint>. X_BF: the pose of the enclosing <frame>, in which pos and axis
// are. Parts that the engine has no model for, and those that a flag switches off, are noted.
JointElement read_joint(JointContext& context, const Values& values, const Pose<double>& X_BF);

}  // namespace torsor::mjcf
