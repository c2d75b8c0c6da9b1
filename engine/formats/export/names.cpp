#include "torsor/formats/export/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor::exporting {

NameSet::NameSet(const RobotDescription& robot) {
  for (const LinkDescription& link : robot.links) {
    names_.insert(link.name);
    names_.insert(link.joint.name);
  }
  for (const FrameDescription& frame : robot.frames) names_.insert(frame.name);
  for (const ClosureDescription& closure : robot.closures) names_.insert(closure.name);
}

std::string NameSet::unused(const std::string& name) {
  std::string out = name;
  for (int& k = suffix_[name]; !names_.insert(out).second;)
    out = fmt::format("{}_{}", name, k = std::max(2, k + 1));
  return out;
}

namespace {

using Renamed = std::unordered_map<std::string, std::string>;

void rename(const Renamed& renamed, std::string& name) {
  if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
}

// Renames a coordinate: JOINT or JOINT.NAME.
void rename_coordinate(const Renamed& joints, std::string& name) {
  if (joints.contains(name)) return rename(joints, name);
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return;
  std::string joint = name.substr(0, dot);
  rename(joints, joint);
  name = joint + name.substr(dot);
}

// Replaces the names of links and frames wherever the robot refers to them.
void rename_links(const Renamed& links, RobotDescription& robot) {
  for (LinkDescription& link : robot.links) rename(links, link.parent);
  for (FrameDescription& frame : robot.frames) rename(links, frame.link);
  for (ClosureDescription& closure : robot.closures)
    for (std::string& frame : closure.frames) rename(links, frame);
  for (CollisionPairDescription& pair : robot.collision_pairs)
    for (std::string& name : pair.names) rename(links, name);
}

void rename_joints(const Renamed& joints, RobotDescription& robot) {
  for (LinkDescription& link : robot.links)
    if (link.joint.mimic) rename(joints, link.joint.mimic->joint);
  for (std::string& name : robot.dof_order) rename(joints, name);
  for (TransmissionDescription& each : robot.transmissions)
    for (std::string& name : each.joints) rename(joints, name);
  for (StiffnessDescription& each : robot.stiffnesses)
    for (std::string& name : each.joints) rename(joints, name);
  for (ActuatorDescription& each : robot.actuators) rename(joints, each.joint);
  for (ClosureDescription& closure : robot.closures) {
    for (std::string& name : closure.joints) rename_coordinate(joints, name);
    rename_coordinate(joints, closure.carrier);
  }
}

// Finds names for all parts of a robot in one set of names.
class Renamer {
 public:
  Renamer(const RobotDescription& robot,
          const std::function<std::string(const std::string&)>& allowed, const std::string& reason,
          Notes& notes)
      : allowed_(allowed), reason_(reason), notes_(notes), all_(robot) {}

  // Gives a part its name. Its new name is not that of any other part, even of one that is yet to
  // be named. what: for example "link".
  void name(const char* what, std::string& name, Renamed& renamed) {
    if (name.empty()) return;
    const std::string safe = allowed_(name);
    if (safe == name && used_.insert(name)) return;
    std::string out = safe.empty() ? fmt::format("{}_{}", name, what) : safe;
    if (out == name) out = fmt::format("{}_{}", name, what);
    out = all_.unused(out);
    used_.insert(out);
    notes_.note(fmt::format("name of a {}", what), fmt::format("'{}' to '{}'", name, out),
                fmt::format("changed: {}", reason_));
    renamed.emplace(name, out);
    name = out;
  }

 private:
  const std::function<std::string(const std::string&)>& allowed_;
  const std::string& reason_;
  Notes& notes_;
  NameSet all_, used_;
};

}  // namespace

RobotDescription with_renamed_links(const RobotDescription& robot,
                                    const std::function<bool(const std::string&)>& is_reserved,
                                    const std::string& reason, Notes& notes) {
  RobotDescription out = robot;
  NameSet names(robot);
  Renamed renamed;
  for (LinkDescription& link : out.links)
    if (is_reserved(link.name)) {
      const std::string name = names.unused(link.name + "_link");
      notes.note("name of a link", fmt::format("'{}' to '{}'", link.name, name),
                 fmt::format("changed: {}", reason));
      renamed.emplace(link.name, name);
      link.name = name;
    }
  rename_links(renamed, out);
  return out;
}

RobotDescription with_one_namespace(const RobotDescription& robot,
                                    const std::function<std::string(const std::string&)>& allowed,
                                    const std::string& reason, Notes& notes) {
  RobotDescription out = robot;
  Renamer renamer(robot, allowed, reason, notes);
  Renamed links, joints, closures, none;
  // Joints keep their names before links do, because they name the degrees of freedom.
  for (LinkDescription& link : out.links) renamer.name("joint", link.joint.name, joints);
  for (LinkDescription& link : out.links) renamer.name("link", link.name, links);
  for (FrameDescription& frame : out.frames) renamer.name("frame", frame.name, links);
  for (ClosureDescription& closure : out.closures) renamer.name("closure", closure.name, closures);
  rename_links(links, out);
  rename_joints(joints, out);
  Renamer(RobotDescription{}, allowed, reason, notes).name("robot", out.name, none);
  return out;
}

}  // namespace torsor::exporting
