// Writes closures and mimics as <equality> of MJCF. Sites on both sides state the two frames, so
// that the loop need not be closed at q = 0 (MuJoCo 3.2).

#include <fmt/format.h>

#include "torsor/formats/export/mjcf/parts.hpp"
#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement;

class EqualityWriter {
 public:
  EqualityWriter(XMLElement& root, XMLElement& world, const Bodies& bodies,
                 const RobotDescription& robot, Ledger& ledger)
      : root_(root), world_(world), bodies_(bodies), robot_(robot), ledger_(ledger) {
    for (const FrameDescription& frame : robot.frames) {
      frames_.emplace(frame.name, &frame);
      sites_.insert(frame.name);
    }
    for (const ClosureDescription& closure : robot.closures) equalities_.insert(closure.name);
  }

  void run() {
    for (const LinkDescription& link : robot_.links)
      if (link.joint.mimic) write_mimic(link);
    for (const ClosureDescription& closure : robot_.closures) {
      write(closure);
      ledger_.lost(Feature::closure_joint, fmt::format("closure '{}'", closure.name),
                   "<equality> has none");
    }
  }

 private:
  XMLElement& section(XMLElement*& place, const char* name) {
    if (!place) place = &add(root_, name);
    return *place;
  }

  void write_mimic(const LinkDescription& link) {
    const Mimic& mimic = *link.joint.mimic;
    write_gear(equalities_.unused(link.joint.name + "_mimic"), link.joint.name, mimic.joint,
               mimic.ratio, mimic.offset);
    ledger_.changed(Feature::mimic, joint_subject(link),
                    "written as an <equality>, which MuJoCo enforces by forces", Effect::nothing);
  }

  // p_1 = ratio p_2 + offset
  void write_gear(const std::string& name, const std::string& joint, const std::string& of,
                  double ratio, double offset) {
    XMLElement& xml = add(section(equality_, "equality"), "joint");
    set(xml, "name", name);
    set(xml, "joint1", joint);
    set(xml, "joint2", of);
    set(xml, "polycoef", number(offset) + " " + number(ratio) + " 0 0 0");
  }

  // Adds a site at a side of a closure, moved by p in its frame. Returns its name.
  std::string add_site(const ClosureDescription& closure, int side, const Vec3<double>& p,
                       int index) {
    std::string link = closure.frames[side];
    Pose<double> X = closure.origins[side];
    if (const auto frame = frames_.find(link); frame != frames_.end()) {
      link = frame->second->link;
      X = frame->second->X_LF * X;
    }
    const Vec3<double>& axis = closure.axes[side];
    X.R = X.R * rotation_z_to((1 / norm(axis)) * axis);
    XMLElement& body = link == "world" ? world_ : *bodies_.at(link);
    XMLElement& site = add(body, "site");
    const std::string name =
        sites_.unused(fmt::format("{}_{}{}", closure.name, side == 0 ? "a" : "b",
                                  index == 0 ? "" : fmt::format("_{}", index + 1)));
    set(site, "name", name);
    set_mjcf_pose(site, X * translation(p));
    ledger_.note("frame", fmt::format("'{}'", name), "added at a side of a closure");
    return name;
  }

  void write_sites(const ClosureDescription& closure, const char* kind, const Vec3<double>& p,
                   int index) {
    XMLElement& xml = add(section(equality_, "equality"), kind);
    set(xml, "name",
        index == 0 ? closure.name
                   : equalities_.unused(fmt::format("{}_{}", closure.name, index + 1)));
    set(xml, "site1", add_site(closure, 0, p, index));
    set(xml, "site2", add_site(closure, 1, p, index));
  }

  // sum factors p = offset
  void write_tendon(const ClosureDescription& closure,
                    const std::vector<std::pair<std::string, double>>& factors) {
    XMLElement& fixed = add(section(tendon_, "tendon"), "fixed");
    set(fixed, "name", closure.name);
    for (const auto& [name, factor] : factors) {
      XMLElement& joint = add(fixed, "joint");
      set(joint, "joint", name);
      set(joint, "coef", factor);
    }
    XMLElement& xml = add(section(equality_, "equality"), "tendon");
    set(xml, "name", closure.name);
    set(xml, "tendon1", closure.name);
    set(xml, "polycoef", number(closure.offset) + " 0 0 0 0");
  }

  void write_cable(const ClosureDescription& closure) {
    std::vector<std::pair<std::string, double>> factors;
    for (size_t k = 0; k < closure.joints.size(); ++k)
      factors.emplace_back(closure.joints[k], closure.radii.at(k));
    write_tendon(closure, factors);
  }

  void write_gear(const ClosureDescription& closure) {
    if (closure.carrier.empty())
      return write_gear(closure.name, closure.joints.at(0), closure.joints.at(1),
                        closure.parameter.value_or(1), closure.offset);
    if (conditions_.empty()) conditions_ = linear_conditions(robot_);
    write_tendon(closure, conditions_.at(closure.name).terms);
  }

  void write(const ClosureDescription& closure) {
    const std::string subject = fmt::format("closure '{}'", closure.name);
    const Vec3<double> origin{0, 0, 0};
    const char* how = "written as an <equality>, which MuJoCo enforces by forces";
    if (closure.kind == ClosureKind::weld) {
      write_sites(closure, "weld", origin, 0);
    } else if (closure.kind == ClosureKind::spherical) {
      write_sites(closure, "connect", origin, 0);
    } else if (closure.kind == ClosureKind::revolute) {
      write_sites(closure, "connect", origin, 0);
      write_sites(closure, "connect", {0, 0, 0.1}, 1);
      how = "written as two <connect> on its axis, of which one condition is redundant";
    } else if (closure.kind == ClosureKind::cable) {
      write_cable(closure);
    } else if (torsor::traits(closure.kind).is_linear()) {
      write_gear(closure);
    } else {
      ledger_.lost(Feature::closure, subject,
                   "only welds, points, hinges and linear closures are written");
      return;
    }
    ledger_.changed(Feature::closure, subject, how, Effect::nothing);
  }

  XMLElement &root_, &world_;
  const Bodies& bodies_;
  const RobotDescription& robot_;
  Ledger& ledger_;
  std::unordered_map<std::string, const FrameDescription*> frames_;
  NameSet sites_, equalities_;
  std::unordered_map<std::string, LinearCondition> conditions_;  // by closure
  XMLElement *equality_ = nullptr, *tendon_ = nullptr;
};

}  // namespace

void add_equalities(XMLElement& root, XMLElement& world, const Bodies& bodies,
                    const RobotDescription& robot, Ledger& ledger) {
  EqualityWriter(root, world, bodies, robot, ledger).run();
}

}  // namespace torsor::exporting
