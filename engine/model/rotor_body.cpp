#include "torsor/model/rotor_body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/model/building/checks.hpp"

namespace torsor {

namespace {

bool has_body(const LinkDescription& link) {
  return std::any_of(link.joint.drives.begin(), link.joint.drives.end(),
                     [](const Drive& drive) { return drive.motor.body; });
}

void check_rotor(const LinkDescription& link) {
  const JointDescription& joint = link.joint;
  const auto reject = [&](bool given, const char* why) {
    if (given)
      fail_at(link.source, fmt::format("joint '{}': its rotor is a body and {}", joint.name, why));
  };
  const JointTraits& kind = traits(joint.kind);
  reject(kind.n_v != 1 || !kind.dofs[0].turns() || kind.user_pitch, "the joint is not revolute");
  reject(joint.mimic.has_value(), "the joint mimics another and has no motor");
  reject(!(joint.drives[0].motor.rotor_inertia > 0), "has no rotor inertia");
  if (const auto wrong = defect(joint.drives[0]))
    fail_at(link.source, fmt::format("joint '{}': {}", joint.name, *wrong));
}

LinkDescription rotor_of(const LinkDescription& link) {
  const Motor& motor = link.joint.drives[0].motor;
  LinkDescription rotor;
  rotor.name = rotor.joint.name = link.joint.name + "_rotor";
  rotor.parent = link.parent;
  rotor.source = link.source;
  rotor.joint.kind = JointKind::revolute;
  rotor.joint.placement = link.joint.placement;
  if (const auto& elasticity = link.joint.drives[0].elasticity)
    rotor.joint.elastic_drive = ElasticDrive{link.joint.name, motor.gear_ratio, *elasticity};
  else
    rotor.joint.mimic = Mimic{link.joint.name, motor.gear_ratio, 0};
  // The axis e in the rotor's frame. For DH rows, e is z. In a standard DH row, the rotation about
  // z comes first, so a and alpha, which lead to the link's frame, are set to 0.
  Vec3<double> e{0, 0, 1};
  if (auto* row = std::get_if<StandardDh>(&rotor.joint.placement)) row->a = row->alpha = 0;
  const auto* screw = std::get_if<ScrewPlacement>(&rotor.joint.placement);
  if (screw && norm(screw->axis) > 0) {
    e = (1 / norm(screw->axis)) * screw->axis;
    if (screw->at_home) e = inverse(screw->X_PL).R * e;
  }
  const double J = motor.rotor_inertia;
  rotor.inertia.I = {J * e.x * e.x, J * e.y * e.y, J * e.z * e.z,
                     J * e.x * e.y, J * e.x * e.z, J * e.y * e.z};
  rotor.grouped = true;
  return rotor;
}

}  // namespace

RobotDescription with_rotor_bodies(const RobotDescription& robot) {
  RobotDescription out = robot;
  out.links.clear();
  for (const LinkDescription& link : robot.links) {
    out.links.push_back(link);
    if (!has_body(link)) continue;
    check_rotor(link);
    out.links.push_back(rotor_of(link));
    Drive& drive = out.links[out.links.size() - 2].joint.drives[0];
    drive.motor.rotor_inertia = 0;
    drive.elasticity.reset();
    const auto place = std::find(out.dof_order.begin(), out.dof_order.end(), link.joint.name);
    if (place != out.dof_order.end()) out.dof_order.insert(place + 1, out.links.back().joint.name);
  }
  return out;
}

std::vector<Mimicry> followers(const Model& model) {
  std::vector<Mimicry> out = model.mimics;
  for (const ElasticRotor& rotor : model.elastic_rotors)
    out.push_back({rotor.rotor_dof, rotor.dof, rotor.ratio, 0});
  // A leader that is itself a follower comes before its followers.
  for (Mimicry& each : out) {
    const auto leader = std::ranges::find(out, each.of_dof, &Mimicry::dof);
    if (leader == out.end()) continue;
    each.offset += each.ratio * leader->offset;
    each.ratio *= leader->ratio;
    each.of_dof = leader->of_dof;
  }
  return out;
}

}  // namespace torsor
