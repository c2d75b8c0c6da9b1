#include "torsor/formats/export/rewrites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/model/building/placement.hpp"
#include "torsor/model/building/universal.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

ScrewPlacement& screw_of(LinkDescription& link) {
  return std::get<ScrewPlacement>(link.joint.placement);
}

// Returns the indices of the links, parents before children.
std::vector<size_t> from_the_base(const RobotDescription& robot) {
  std::unordered_map<std::string, std::vector<size_t>> children;
  for (size_t i = 0; i < robot.links.size(); ++i) children[robot.links[i].parent].push_back(i);
  std::vector<size_t> out = children[""];
  for (size_t k = 0; k < out.size(); ++k)
    for (const size_t child : children[robot.links[out[k]].name]) out.push_back(child);
  return out;
}

// Replaces the placement of a link by a screw, if it is not one already.
void make_plain(LinkDescription& link, const JointFrames& at, Notes& notes) {
  const auto* screw = std::get_if<ScrewPlacement>(&link.joint.placement);
  if (screw && !screw->at_home) return;
  notes.note(screw ? "placement at home" : "placement by a DH row", joint_subject(link),
             "written as a pose in the parent link");
  const Pose<double> X_LJ = inverse(at.X_JL);
  const bool has_axis = torsor::traits(link.joint.kind).axis;
  ScrewPlacement out{.X_PL = at.X_PJ * at.X_JL};
  if (has_axis) out.axis = {X_LJ.R.m[2], X_LJ.R.m[5], X_LJ.R.m[8]};
  if (link.joint.kind != JointKind::fixed) out.point = X_LJ.p;
  // The frame J of a planar joint has the axes rotation_z_to(axis) of L, which the axis determines.
  link.joint.placement = out;
}

// Moves the frame of each link by c, in its axes. The frames of closures and the user are then
// relative to the moved frames.
void move_frames_to_coms(RobotDescription& robot, Notes& notes) {
  std::unordered_map<std::string, Vec3<double>> moved;
  for (LinkDescription& link : robot.links) {
    if (!(link.inertia.m > 0)) continue;
    const Vec3<double> c = (1 / link.inertia.m) * link.inertia.h;
    moved[link.name] = c;
    const Pose<double> X_FL = translation(-c);
    link.inertia = transform(X_FL, link.inertia);
    link.inertia.h = {0, 0, 0};
    for (VisualDescription& visual : link.visuals) visual.X_LV = X_FL * visual.X_LV;
    for (CollisionDescription& each : link.collisions) each.X_LC = X_FL * each.X_LC;
    screw_of(link).X_PL = screw_of(link).X_PL * translation(c);
    if (link.joint.kind != JointKind::fixed) screw_of(link).point = screw_of(link).point - c;
  }
  for (LinkDescription& link : robot.links)
    if (const auto parent = moved.find(link.parent); parent != moved.end())
      screw_of(link).X_PL = translation(-parent->second) * screw_of(link).X_PL;
  for (FrameDescription& frame : robot.frames)
    if (const auto link = moved.find(frame.link); link != moved.end())
      frame.X_LF = translation(-link->second) * frame.X_LF;
  robot.com_frames = false;
  notes.note("link frames at the centres of mass", robot_subject(robot),
             "written as the frames of the links");
}

// A joint of a chain that replaces a joint: "_" and the name of its coordinate, its axis in the
// joint frame, and the dof of the joint that it has.
struct Part {
  const char* suffix;
  JointKind kind;
  Vec3<double> axis;
  int dof;
};

std::vector<Part> parts_of(JointKind kind) {
  const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const std::pair<JointKind, std::vector<Part>> rows[] = {
      {JointKind::cylindrical,
       {{"_angle", JointKind::revolute, z, 0}, {"_z", JointKind::prismatic, z, 1}}},
      {JointKind::planar,
       {{"_x", JointKind::prismatic, x, 1},
        {"_y", JointKind::prismatic, y, 2},
        {"_angle", JointKind::revolute, z, 0}}},
      {JointKind::spherical,
       {{"_x", JointKind::revolute, x, 0},
        {"_y", JointKind::revolute, y, 1},
        {"_z", JointKind::revolute, z, 2}}}};
  for (const auto& [of, parts] : rows)
    if (of == kind) return parts;
  return {};
}

JointDescription part_of(const JointDescription& joint, const Part& part, const std::string& name,
                         const Pose<double>& X_PL) {
  const auto& screw = std::get<ScrewPlacement>(joint.placement);
  const bool has_axis = torsor::traits(joint.kind).axis;
  const Mat3<double> R =
      has_axis ? rotation_z_to((1 / norm(screw.axis)) * screw.axis) : Mat3<double>::identity();
  JointDescription out;
  out.name = name;
  out.kind = part.kind;
  out.placement = ScrewPlacement{.X_PL = X_PL, .axis = R * part.axis, .point = screw.point};
  out.armature = joint.armature.of(part.dof);
  out.damping = joint.damping.of(part.dof);
  if (!joint.drives.empty()) out.drives = {joint.drives[size_t(part.dof)]};
  out.source = joint.source;
  return out;
}

}  // namespace

std::unordered_map<std::string, Pose<double>> poses_at_zero(const RobotDescription& robot) {
  std::unordered_map<std::string, Pose<double>> X_R{{"", Pose<double>::identity()}};
  for (const size_t i : from_the_base(robot)) {
    const LinkDescription& link = robot.links[i];
    X_R.emplace(link.name,
                X_R.at(link.parent) * std::get<ScrewPlacement>(link.joint.placement).X_PL);
  }
  return X_R;
}

RobotDescription with_plain_placements(const RobotDescription& robot, Notes& notes) {
  for (const LinkDescription& link : robot.links)
    if (link.joint.second_axis)
      notes.note("universal joint", joint_subject(link),
                 "written as two revolute joints with a massless link between them");
  RobotDescription out = without_universal_joints(robot);
  std::unordered_map<std::string, Pose<double>> X_R{{"", Pose<double>::identity()}};
  for (const size_t i : from_the_base(out)) {
    LinkDescription& link = out.links[i];
    const Pose<double> X_RP = X_R.at(link.parent);
    const JointFrames at = joint_frames(link, X_RP);
    X_R.emplace(link.name, X_RP * at.X_PJ * at.X_JL);
    make_plain(link, at, notes);
  }
  if (out.com_frames) move_frames_to_coms(out, notes);
  return out;
}

RobotDescription with_split_joints(const RobotDescription& robot, JointKind kind, Effect effect,
                                   Notes& notes) {
  RobotDescription out = robot;
  NameSet names(robot);
  out.links.clear();
  const std::vector<Part> parts = parts_of(kind);
  std::unordered_map<std::string, std::vector<std::string>> replaced;  // joint -> its parts
  std::unordered_map<std::string, std::string> coordinates;            // JOINT.NAME -> part
  for (const LinkDescription& link : robot.links) {
    if (link.joint.kind != kind) {
      out.links.push_back(link);
      continue;
    }
    std::vector<std::string> joints;
    std::string parent = link.parent;
    for (size_t k = 0; k < parts.size(); ++k) {
      const bool last = k + 1 == parts.size();
      LinkDescription each = last ? link : LinkDescription{};
      joints.push_back(names.unused(link.joint.name + parts[k].suffix));
      if (!last) each.name = names.unused(joints.back() + "_link");
      each.parent = parent;
      each.source = link.source;
      const auto& screw = std::get<ScrewPlacement>(link.joint.placement);
      each.joint = part_of(link.joint, parts[k], joints.back(),
                           k == 0 ? screw.X_PL : Pose<double>::identity());
      parent = each.name;
      out.links.push_back(std::move(each));
    }
    notes.note(fmt::format("{} joint", torsor::traits(kind).name), joint_subject(link),
               fmt::format("written as {} joints with massless links between them{}", parts.size(),
                           effect == Effect::nothing ? "" : ", which have other coordinates"),
               effect);
    if (link.joint.spring)
      notes.note("spring", joint_subject(link),
                 "not written: it acts along all dof of the joint that the others replace",
                 Effect::forces);
    for (size_t k = 0; k < parts.size(); ++k)
      coordinates.emplace(link.joint.name + "." + (parts[k].suffix + 1), joints[k]);
    replaced.emplace(link.joint.name, std::move(joints));
  }
  const auto rename = [&](std::string& name) {
    if (const auto found = coordinates.find(name); found != coordinates.end()) name = found->second;
  };
  for (ClosureDescription& closure : out.closures) {
    for (std::string& name : closure.joints) rename(name);
    rename(closure.carrier);
  }
  out.dof_order.clear();
  for (const std::string& name : robot.dof_order)
    if (const auto found = replaced.find(name); found != replaced.end())
      out.dof_order.insert(out.dof_order.end(), found->second.begin(), found->second.end());
    else
      out.dof_order.push_back(name);
  return out;
}

RobotDescription with_joint_links(const RobotDescription& robot,
                                  const std::function<bool(const LinkDescription&)>& split,
                                  Notes& notes) {
  RobotDescription out = robot;
  NameSet names(robot);
  out.links.clear();
  for (LinkDescription link : robot.links) {
    const JointTraits& kind = torsor::traits(link.joint.kind);
    const Vec3<double> point = screw_of(link).point;
    if (kind.n_v == 0 || is_zero(point) || !split(link)) {
      out.links.push_back(std::move(link));
      continue;
    }
    const Vec3<double> e = (1 / norm(screw_of(link).axis)) * screw_of(link).axis;
    const bool moves_along = kind.axis && norm(cross(point, e)) <= 1e-15 * norm(point);
    const bool slides = kind.n_v == 1 && !kind.dofs[0].turns();
    if (moves_along || slides) {
      notes.note("point of the axis", joint_subject(link),
                 "not written: another point of a parallel axis has the same motion");
      screw_of(link).point = {0, 0, 0};
      out.links.push_back(std::move(link));
      continue;
    }
    LinkDescription between;
    between.name = names.unused(link.joint.name + "_link");
    between.parent = link.parent;
    between.source = link.source;
    between.joint = link.joint;
    screw_of(between).X_PL = screw_of(link).X_PL * translation(point);
    screw_of(between).point = {0, 0, 0};
    notes.note("massless link", link_subject(between),
               "added: its frame is at the joint, and a fixed joint connects the link to it");
    link.parent = between.name;
    link.joint = JointDescription{};
    link.joint.placement = ScrewPlacement{.X_PL = translation(-point)};
    out.links.push_back(std::move(between));
    out.links.push_back(std::move(link));
  }
  return out;
}

RobotDescription with_root_link(const RobotDescription& robot, Notes& notes) {
  std::vector<const LinkDescription*> roots;
  for (const LinkDescription& link : robot.links)
    if (link.parent.empty()) roots.push_back(&link);
  if (roots.size() == 1 && roots[0]->joint.kind == JointKind::fixed &&
      roots[0]->joint.name.empty() &&
      is_identity(std::get<ScrewPlacement>(roots[0]->joint.placement).X_PL))
    return robot;
  RobotDescription out = robot;
  LinkDescription root;
  NameSet names(robot);
  root.name = names.contains("base") ? names.unused("base_link") : "base";
  for (LinkDescription& link : out.links)
    if (link.parent.empty()) {
      // A motor is stated, because the default depends on whether the joint is at the base.
      const int n = torsor::traits(link.joint.kind).n_v;
      if (link.joint.drives.empty() && n > 0)
        link.joint.drives.assign(size_t(n),
                                 Drive{.passive = !has_motors_by_default(link.joint.kind, true)});
      link.parent = root.name;
    }
  notes.note("massless link", link_subject(root), "added as the root of the file");
  out.links.insert(out.links.begin(), std::move(root));
  return out;
}

RobotDescription with_frame_links(const RobotDescription& robot, Notes& notes) {
  RobotDescription out = robot;
  for (const FrameDescription& frame : robot.frames) {
    LinkDescription link;
    link.name = frame.name;
    link.parent = frame.link;
    link.joint.placement = ScrewPlacement{.X_PL = frame.X_LF};
    link.source = frame.source;
    notes.note("frame", fmt::format("'{}'", frame.name),
               "written as a massless link with a fixed joint");
    out.links.push_back(std::move(link));
  }
  out.frames.clear();
  return out;
}

}  // namespace torsor::exporting
