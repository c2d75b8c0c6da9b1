#include "torsor/model/building/universal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/model/building/checks.hpp"

namespace torsor {

namespace {

void check_universal(const LinkDescription& link) {
  const JointDescription& joint = link.joint;
  const auto reject = [&](bool given, const char* why) {
    if (given)
      fail_at(link.source, fmt::format("joint '{}': it is universal and {}", joint.name, why));
  };
  const JointDescription none;
  const JointTraits& kind = traits(joint.kind);
  reject(kind.n_v != 1 || !kind.dofs[0].turns() || kind.user_pitch,
         "not revolute; both of its axes must turn");
  const auto* screw = std::get_if<ScrewPlacement>(&joint.placement);
  reject(!screw, "has a DH row; give its origin instead");
  reject(joint.lower != none.lower || joint.upper != none.upper ||
             joint.velocity_limit != none.velocity_limit || joint.effort_limit != none.effort_limit,
         "has limits; write it as two revolute joints");
  for (const PerDof* values : {&joint.armature, &joint.damping})
    reject(
        !values->each.empty() && values->each.size() != 2,
        "its armature and damping must be a number, or a list with one for each of its two axes");
  reject(!joint.drives.empty() && joint.drives.size() != 2,
         "needs two drives, one for each of its axes");
  reject(joint.mimic.has_value(), "cannot mimic another joint; write it as two revolute joints");
  const Vec3<double>&a = screw->axis, &b = *joint.second_axis;
  reject(!(norm(cross(a, b)) > 1e-6 * norm(a) * norm(b)),
         "its axes are parallel, or one has no direction");
}

}  // namespace

RobotDescription without_universal_joints(const RobotDescription& robot) {
  RobotDescription out = robot;
  out.links.clear();
  for (const LinkDescription& link : robot.links) {
    if (!link.joint.second_axis) {
      out.links.push_back(link);
      continue;
    }
    check_universal(link);
    const std::string& name = link.joint.name;
    const auto screw = std::get<ScrewPlacement>(link.joint.placement);
    LinkDescription cross, last = link;
    cross.name = name + "_cross";
    cross.parent = link.parent;
    cross.source = link.source;
    cross.joint = link.joint;
    last.parent = cross.name;
    last.joint.placement =
        ScrewPlacement{.X_PL = screw.at_home ? screw.X_PL : Pose<double>::identity(),
                       .axis = *link.joint.second_axis,
                       .point = screw.point,
                       .at_home = screw.at_home};
    int dof = 0;
    for (JointDescription* joint : {&cross.joint, &last.joint}) {
      joint->second_axis.reset();
      joint->armature = link.joint.armature.of(dof);
      joint->damping = link.joint.damping.of(dof);
      if (!link.joint.drives.empty()) joint->drives = {link.joint.drives[size_t(dof)]};
      joint->name = fmt::format("{}_{}", name, ++dof);
    }
    const auto place = std::find(out.dof_order.begin(), out.dof_order.end(), name);
    if (place != out.dof_order.end()) {
      *place = cross.joint.name;
      out.dof_order.insert(place + 1, last.joint.name);
    }
    out.links.push_back(std::move(cross));
    out.links.push_back(std::move(last));
  }
  return out;
}

}  // namespace torsor
