// Writes closures of a robot as joints and mimics of SDF.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "torsor/formats/export/loop_geometry.hpp"
#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/rewrites.hpp"
#include "torsor/formats/export/sdf.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement;

// Disjoint sets of coupled joints.
class Sets {
 public:
  explicit Sets(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), size_t(0)); }
  size_t find(size_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  // Joins two sets. Returns false if they were one already.
  bool join(size_t a, size_t b) {
    a = find(a), b = find(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::vector<size_t> parent_;
};

// Returns whether the joint of a closure has nothing that SDF has not.
bool is_plain(const JointDescription& joint) {
  if (std::isfinite(joint.velocity_limit) || std::isfinite(joint.effort_limit)) return false;
  if (joint.drives.empty()) return true;
  const Drive& drive = joint.drives[0];
  const Friction& f = drive.friction;
  return drive.passive && !drive.elasticity && !drive.stop && drive.motor.rotor_inertia == 0 &&
         drive.motor.friction.law == Friction::Law::none &&
         (f.law == Friction::Law::none ||
          (f.law == Friction::Law::coulomb && f.breakaway == f.coulomb));
}

// Returns why a closure cannot be a joint of SDF, or "" if it can. failure: why the loops could not
// be closed at another position.
std::string why_not(const ClosureDescription& closure, const LoopGeometry& geometry,
                    const std::string& failure) {
  if (!loop_type(closure.kind))
    return torsor::traits(closure.kind).is_linear()
               ? "in SDF, a joint depends on one other joint at most"
               : "SDF has no such joint";
  if (geometry.is_closed(closure)) return "";
  return "the loop is open at q = 0, and SDF states the joint only at the poses of the links" +
         (failure.empty() ? "" : fmt::format("; {}", failure));
}

class LoopWriter {
 public:
  LoopWriter(XMLElement& model, const ClosedRobot& closed, Ledger& ledger)
      : model_(model), closed_(closed), ledger_(ledger), geometry_(closed.robot) {}

  void run() {
    for (const ClosureDescription& closure : closed_.robot.closures) {
      const std::string why = why_not(closure, geometry_, closed_.failure);
      const std::string subject = fmt::format("closure '{}'", closure.name);
      if (why.empty()) {
        write(closure);
        ledger_.written(Feature::closure, subject);
        continue;
      }
      ledger_.lost(Feature::closure, subject, why);
      ledger_.lost(Feature::closure_joint, subject, "its closure is not written");
    }
  }

 private:
  void write(ClosureDescription closure) {
    const bool swapped = closure.frames[1] == "world";  // the world cannot be the child
    if (swapped) {
      std::swap(closure.frames[0], closure.frames[1]);
      std::swap(closure.origins[0], closure.origins[1]);
      std::swap(closure.axes[0], closure.axes[1]);
    }
    write_joint(closure, *loop_type(closure.kind), geometry_.ends(closure), swapped);
  }

  void write_joint(const ClosureDescription& closure, const LoopType& type, const LoopEnds& ends,
                   bool swapped) {
    XMLElement& xml = add(model_, "joint");
    set(xml, "name", closure.name);
    set(xml, "type", std::string(type.name));
    add_sdf_pose(xml, closure.origins[1]);
    add_child_text(xml, "parent", closure.frames[0]);
    add_child_text(xml, "child", closure.frames[1]);
    if (closure.kind == ClosureKind::screw)
      add_child_number(xml, "screw_thread_pitch", 2 * std::numbers::pi * *closure.parameter);
    // Axes are in the frame of the joint, that of the child.
    const Mat3<double> R_WJ = (geometry_.pose_of(closure.frames[1]) * closure.origins[1]).R;
    for (int k = 0; k < type.n_axis; ++k) {
      const Mat3<double>& R = type.n_axis == 2 && k == 0 ? ends.X_RA.R : ends.X_RB.R;
      const Vec3<double> axis = transpose_times(R_WJ, Vec3<double>{R.m[2], R.m[5], R.m[8]});
      XMLElement& axis_xml = add(xml, k == 0 ? "axis" : "axis2");
      add_child_text(axis_xml, "xyz", rounded(axis, " "));
      if (k == 0 && closure.joint) write_motion(xml, axis_xml, closure, type, ends, swapped);
    }
    if (type.n_axis == 0)
      ledger_.lost(Feature::closure_joint, fmt::format("closure '{}'", closure.name),
                   "a joint of SDF without an axis has none");
  }

  // Writes friction, spring and limits of the joint of a closure, and its coordinate at the poses
  // of the file, if that is not 0.
  void write_motion(XMLElement& xml, XMLElement& axis, const ClosureDescription& closure,
                    const LoopType& type, const LoopEnds& ends, bool swapped) {
    const std::string subject = fmt::format("closure '{}'", closure.name);
    const JointDescription& joint = *closure.joint;
    const Drive drive = joint.drives.empty() ? Drive{} : joint.drives[0];
    const bool has_limits = std::isfinite(joint.lower) || std::isfinite(joint.upper);
    const bool has_zero = has_limits || drive.spring.stiffness != 0;
    if (type.n_axis != 1 || (has_zero && swapped)) {
      ledger_.lost(Feature::closure_joint, subject,
                   type.n_axis != 1 ? "only joints with one axis have it"
                                    : "the joint is written with its bodies exchanged");
      return;
    }
    const double at = has_zero ? coordinate(closure.kind, ends.X_AB()) : 0;
    if (at != 0) {
      add_child_number(xml, "torsor:position", at);
      ledger_.note("zero of the coordinate", fmt::format("{} {:.6g}", subject, at), position_note);
    }
    if (has_limits) {
      XMLElement& limit = add(axis, "limit");
      if (std::isfinite(joint.lower)) add_child_number(limit, "lower", joint.lower - at);
      if (std::isfinite(joint.upper)) add_child_number(limit, "upper", joint.upper - at);
    }
    XMLElement& dynamics = add(axis, "dynamics");
    const bool rubs = drive.friction.law != Friction::Law::none;
    add_child_number(dynamics, "damping",
                     joint.damping.of(0) + (rubs ? drive.friction.viscous : 0));
    add_child_number(dynamics, "friction", rubs ? drive.friction.coulomb : 0);
    add_child_number(dynamics, "spring_reference", has_zero ? drive.spring.rest - at : 0);
    add_child_number(dynamics, "spring_stiffness", drive.spring.stiffness);
    if (const double rotor = rotor_of_closure(joint); rotor != 0) {
      add_child_number(xml, "drake:rotor_inertia", rotor);
      ledger_.note("armature", subject, drake_rotor_note("SDF"));
    }
    if (is_plain(joint))
      ledger_.written(Feature::closure_joint, subject);
    else
      ledger_.changed(
          Feature::closure_joint, subject,
          "written without motor, stop, limits of velocity and effort, and other laws of "
          "friction than Coulomb's",
          drive.elasticity && has_rotor(joint) ? Effect::structure : Effect::forces);
  }

  XMLElement& model_;
  const ClosedRobot& closed_;
  Ledger& ledger_;
  LoopGeometry geometry_;
};

}  // namespace

RobotDescription with_loop_links(const RobotDescription& robot, Notes& notes) {
  RobotDescription out = robot;
  const LoopGeometry geometry(robot);
  NameSet names(robot);
  std::unordered_map<size_t, std::string> added;  // by the index of the floating link
  for (ClosureDescription& closure : out.closures) {
    if (!why_not(closure, geometry, "").empty() || geometry.is_in_one_tree(closure)) continue;
    for (size_t k = 0; k < 2; ++k) {
      const size_t root = geometry.link_of(closure.frames[k]);
      if (root == robot.links.size() || torsor::traits(robot.links[root].joint.kind).n_v != 6)
        continue;
      std::string& name = added[root];
      if (name.empty()) {
        LinkDescription& whole = out.links[root];
        name = names.unused(whole.name + "_loop");
        whole.inertia = 0.5 * whole.inertia;
        notes.note("loop at a floating link", link_subject(whole),
                   fmt::format("written at an added link '{}', which is fixed to it and has half "
                               "of its inertia",
                               name));
        LinkDescription half;
        half.name = name;
        half.parent = whole.name;
        half.inertia = whole.inertia;
        half.grouped = whole.grouped;
        half.joint.placement = ScrewPlacement{};
        out.links.push_back(std::move(half));
      }
      closure.origins[k] = geometry.pose_in_link(closure.frames[k]) * closure.origins[k];
      closure.frames[k] = name;
    }
  }
  return out;
}

void write_sdf_loops(XMLElement& model, const ClosedRobot& closed, Ledger& ledger) {
  LoopWriter(model, closed, ledger).run();
}

RobotDescription with_mimics(const RobotDescription& robot, Notes& notes) {
  RobotDescription out = robot;
  std::unordered_map<std::string, size_t> links;  // by joint
  for (size_t i = 0; i < out.links.size(); ++i)
    if (torsor::traits(out.links[i].joint.kind).n_v == 1) links.emplace(out.links[i].joint.name, i);
  Sets coupled(out.links.size());
  for (size_t i = 0; i < out.links.size(); ++i)
    if (const auto& mimic = out.links[i].joint.mimic)
      if (const auto leader = links.find(mimic->joint); leader != links.end())
        coupled.join(i, leader->second);
  // Returns whether the joint k of the condition now mimics the other one.
  const auto follow = [&](const LinearCondition& condition, size_t k) {
    const auto& [name, factor] = condition.terms[k];
    const auto& [other, other_factor] = condition.terms[1 - k];
    const auto follower = links.find(name), leader = links.find(other);
    if (follower == links.end() || leader == links.end() || factor == 0) return false;
    JointDescription& joint = out.links[follower->second].joint;
    if (joint.mimic || !coupled.join(follower->second, leader->second)) return false;
    joint.mimic = Mimic{other, -other_factor / factor, condition.offset / factor};
    return true;
  };
  const auto conditions = linear_conditions(robot);
  std::erase_if(out.closures, [&](const ClosureDescription& closure) {
    const auto condition = conditions.find(closure.name);
    if (condition == conditions.end() || condition->second.terms.size() != 2 ||
        !(follow(condition->second, 0) || follow(condition->second, 1)))
      return false;
    notes.note(fmt::format("closure {}", torsor::traits(closure.kind).name),
               fmt::format("closure '{}'", closure.name), "written as <mimic> of a joint");
    return true;
  });
  return out;
}

}  // namespace torsor::exporting
