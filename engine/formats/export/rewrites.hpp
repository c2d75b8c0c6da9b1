#pragma once
// Robots with the same motion in terms that a file format has. Each function notes what it adds and
// what it changes.

#include <functional>
#include <string>
#include <unordered_map>

#include "torsor/formats/export/losses.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor::exporting {

// Returns the robot with all placements as screws in the parent's frame (ScrewPlacement, not at
// home), with two revolute joints for each universal joint, and with com_frames replaced by link
// frames at the centres of mass. The point of a spherical or floating joint is the place of its
// centre or frame in the link frame.
RobotDescription with_plain_placements(const RobotDescription& robot, Notes& notes);

// Replaces joints of a kind by several joints with massless links between them:
// - cylindrical: revolute, then prismatic
// - planar: prismatic along x and y, then revolute about the normal. The rates are along fixed
// axes.
// - spherical: revolute about x, y and z
// The placements must be plain.
RobotDescription with_split_joints(const RobotDescription& robot, JointKind kind, Effect effect,
                                   Notes& notes);

// Inserts a massless link for each joint whose axis or centre is not at the origin of its link, so
// that the joint frame is a link frame. split: selects the joints. The placements must be plain.
RobotDescription with_joint_links(const RobotDescription& robot,
                                  const std::function<bool(const LinkDescription&)>& split,
                                  Notes& notes);

// Adds a massless root link unless the robot has one link at its base, which does not move and has
// no pose.
RobotDescription with_root_link(const RobotDescription& robot, Notes& notes);

// Replaces user frames by massless links with fixed joints.
RobotDescription with_frame_links(const RobotDescription& robot, Notes& notes);

// Returns the poses of the link frames in the base of the robot at q = 0, by the name of the link.
// "" is the base. The placements must be plain.
std::unordered_map<std::string, Pose<double>> poses_at_zero(const RobotDescription& robot);

}  // namespace torsor::exporting
