// Writes closures of a robot as joints and mimics of SDF.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/rewrites.hpp"
#include "torsor/formats/export/sdf.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement;

// Disjoint sets of links, or of coupled joints.
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

// The type of a joint of SDF that closes a loop, and how many axes it has.
struct LoopType {
  ClosureKind kind;
  const char* name;
  int n_axis;
};
constexpr LoopType loop_types[] = {
    {ClosureKind::weld, "fixed", 0},          {ClosureKind::revolute, "revolute", 1},
    {ClosureKind::prismatic, "prismatic", 1}, {ClosureKind::screw, "screw", 1},
    {ClosureKind::universal, "universal", 2}, {ClosureKind::spherical, "ball", 0},
};

// The frames A and B of a closure with their z axes along its axes, at q = 0.
struct Ends {
  Pose<double> X_WA, X_WB;
  Pose<double> X_AB() const { return inverse(X_WA) * X_WB; }
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

// Returns whether the closure holds at q = 0.
bool is_closed(const ClosureDescription& closure, const Pose<double>& X_AB) {
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

class LoopWriter {
 public:
  LoopWriter(XMLElement& model, const RobotDescription& robot, Ledger& ledger)
      : model_(model),
        robot_(robot),
        ledger_(ledger),
        X_R_(poses_at_zero(robot)),
        trees_(robot.links.size() + 1) {
    const size_t world = robot.links.size();
    for (size_t i = 0; i < world; ++i) links_.emplace(robot.links[i].name, i);
    for (const FrameDescription& frame : robot.frames) frames_.emplace(frame.name, &frame);
    for (size_t i = 0; i < world; ++i) {
      const LinkDescription& link = robot.links[i];
      const bool floats = torsor::traits(link.joint.kind).n_v == 6;
      if (!link.parent.empty())
        trees_.join(i, links_.at(link.parent));
      else if (!floats)
        trees_.join(i, world);
    }
  }

  void run() {
    for (const ClosureDescription& closure : robot_.closures) {
      const std::string why = write(closure);
      const std::string subject = fmt::format("closure '{}'", closure.name);
      if (why.empty()) {
        ledger_.written(Feature::closure, subject);
        continue;
      }
      ledger_.lost(Feature::closure, subject, why);
      ledger_.lost(Feature::closure_joint, subject, "its closure is not written");
    }
  }

 private:
  size_t index_of(const std::string& name) const {
    if (name == "world") return robot_.links.size();
    const auto frame = frames_.find(name);
    return links_.at(frame == frames_.end() ? name : frame->second->link);
  }
  Pose<double> pose_of(const std::string& name) const {
    if (name == "world") return Pose<double>::identity();
    const auto frame = frames_.find(name);
    if (frame == frames_.end()) return X_R_.at(name);
    return X_R_.at(frame->second->link) * frame->second->X_LF;
  }

  // Writes a closure. Returns why this is not possible, or "" if it is written.
  std::string write(ClosureDescription closure) {
    const auto type = std::ranges::find(loop_types, closure.kind, &LoopType::kind);
    if (type == std::end(loop_types))
      return torsor::traits(closure.kind).is_linear()
                 ? "in SDF, a joint depends on one other joint at most"
                 : "SDF has no such joint";
    const bool swapped = closure.frames[1] == "world";  // the world cannot be the child
    if (swapped) {
      std::swap(closure.frames[0], closure.frames[1]);
      std::swap(closure.origins[0], closure.origins[1]);
      std::swap(closure.axes[0], closure.axes[1]);
    }
    if (trees_.find(index_of(closure.frames[0])) != trees_.find(index_of(closure.frames[1])))
      return "between two trees, a joint of SDF does not close a loop";
    const auto end = [&](size_t k) {
      const Vec3<double>& axis = closure.axes[k];
      return pose_of(closure.frames[k]) * closure.origins[k] *
             Pose<double>{rotation_z_to((1 / norm(axis)) * axis), {0, 0, 0}};
    };
    const Ends ends{end(0), end(1)};
    if (!is_closed(closure, ends.X_AB()))
      return "the loop is open at q = 0, and SDF states the joint only at the poses of the links";
    write_joint(closure, *type, ends, swapped);
    return "";
  }

  void write_joint(const ClosureDescription& closure, const LoopType& type, const Ends& ends,
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
    const Mat3<double> R_WJ = (pose_of(closure.frames[1]) * closure.origins[1]).R;
    for (int k = 0; k < type.n_axis; ++k) {
      const Mat3<double>& R = type.n_axis == 2 && k == 0 ? ends.X_WA.R : ends.X_WB.R;
      const Vec3<double> axis = transpose_times(R_WJ, Vec3<double>{R.m[2], R.m[5], R.m[8]});
      XMLElement& axis_xml = add(xml, k == 0 ? "axis" : "axis2");
      add_child_text(axis_xml, "xyz", rounded(axis, " "));
      if (k == 0 && closure.joint) write_motion(xml, axis_xml, closure, type, ends, swapped);
    }
    if (type.n_axis == 0)
      ledger_.lost(Feature::closure_joint, fmt::format("closure '{}'", closure.name),
                   "a joint of SDF without an axis has none");
  }

  // Writes friction, spring and limits of the joint of a closure, whose coordinate is 0 at q = 0.
  void write_motion(XMLElement& xml, XMLElement& axis, const ClosureDescription& closure,
                    const LoopType& type, const Ends& ends, bool swapped) {
    const std::string subject = fmt::format("closure '{}'", closure.name);
    const JointDescription& joint = *closure.joint;
    const bool at_zero = is_near_identity(ends.X_AB().R) && is_near_zero(ends.X_AB().p) && !swapped;
    const Drive drive = joint.drives.empty() ? Drive{} : joint.drives[0];
    const bool has_limits = std::isfinite(joint.lower) || std::isfinite(joint.upper);
    if (type.n_axis != 1 || ((has_limits || drive.spring.stiffness != 0) && !at_zero)) {
      ledger_.lost(Feature::closure_joint, subject,
                   type.n_axis != 1 ? "only joints with one axis have it"
                                    : "its coordinate is not 0 at q = 0");
      return;
    }
    if (has_limits) {
      XMLElement& limit = add(axis, "limit");
      if (std::isfinite(joint.lower)) add_child_number(limit, "lower", joint.lower);
      if (std::isfinite(joint.upper)) add_child_number(limit, "upper", joint.upper);
    }
    XMLElement& dynamics = add(axis, "dynamics");
    const bool rubs = drive.friction.law != Friction::Law::none;
    add_child_number(dynamics, "damping",
                     joint.damping.of(0) + (rubs ? drive.friction.viscous : 0));
    add_child_number(dynamics, "friction", rubs ? drive.friction.coulomb : 0);
    add_child_number(dynamics, "spring_reference", drive.spring.rest);
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
  const RobotDescription& robot_;
  Ledger& ledger_;
  std::unordered_map<std::string, Pose<double>> X_R_;
  Sets trees_;  // links that joints connect; the last one is the world
  std::unordered_map<std::string, size_t> links_;
  std::unordered_map<std::string, const FrameDescription*> frames_;
};

}  // namespace

void write_sdf_loops(XMLElement& model, const RobotDescription& robot, Ledger& ledger) {
  LoopWriter(model, robot, ledger).run();
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
