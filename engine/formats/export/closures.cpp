// Writes the file of closures of a URDF file.

#include <fmt/format.h>

#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/urdf.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement;

bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

void write_loop_joint(XMLElement& root, const ClosureDescription& closure, Ledger& ledger) {
  const std::string subject = fmt::format("closure '{}'", closure.name);
  XMLElement& xml = add(root, "loop_joint");
  set(xml, "name", closure.name);
  set(xml, "type", std::string(torsor::traits(closure.kind).name));
  if (closure.parameter)
    set(xml, std::string(torsor::traits(closure.kind).parameter).c_str(), *closure.parameter);
  const bool one_axis = same(closure.axes[0], closure.axes[1]);
  for (size_t k = 0; k < 2; ++k) {
    XMLElement& link = add(xml, k == 0 ? "link1" : "link2");
    set(link, "link", closure.frames[k]);
    Pose<double> X = closure.origins[k];
    // The file has one axis for both frames. Two axes become the z axes of turned frames.
    const Vec3<double>& axis = closure.axes[k];
    if (!one_axis) X.R = X.R * rotation_z_to((1 / norm(axis)) * axis);
    set(link, "xyz", rounded(X.p, " "));
    set(link, "rpy", angles(X.R, " "));
  }
  if (one_axis) set(add(xml, "axis"), "xyz", rounded(closure.axes[0], " "));
  if (!closure.joint) return;
  const JointDescription& joint = *closure.joint;
  const Effect effect = has_rotor(joint) ? Effect::structure : Effect::forces;
  const int n = torsor::traits(*torsor::traits(closure.kind).joint).n_v;
  if (n != 1 || joint.second_axis) {
    ledger.lost(Feature::closure_joint, subject,
                "a loop joint has friction only with one degree of freedom");
    return;
  }
  double damping = joint.damping.of(0), coulomb = 0;
  if (!joint.drives.empty() && joint.drives[0].friction.law != Friction::Law::none) {
    damping += joint.drives[0].friction.viscous;
    coulomb = joint.drives[0].friction.coulomb;
  }
  if (damping != 0 || coulomb != 0) {
    XMLElement& dynamics = add(xml, "dynamics");
    set(dynamics, "damping", damping);
    set(dynamics, "friction", coulomb);
  }
  ledger.changed(Feature::closure_joint, subject,
                 "written as damping and Coulomb friction; a loop joint has nothing else", effect);
}

void write_coupling(XMLElement& root, const ClosureDescription& closure) {
  const ClosureTraits& kind = torsor::traits(closure.kind);
  XMLElement& xml = add(root, std::string(kind.name).c_str());
  set(xml, "name", closure.name);
  if (closure.kind == ClosureKind::cable) {
    for (size_t k = 0; k < closure.joints.size(); ++k) {
      XMLElement& pulley = add(xml, "pulley");
      set(pulley, "joint", closure.joints[k]);
      if (k < closure.radii.size()) set(pulley, "radius", closure.radii[k]);
    }
  } else {
    set(xml, "joint", closure.joints.at(0));
    set(xml, "of", closure.joints.at(1));
    if (closure.parameter) set(xml, std::string(kind.parameter).c_str(), *closure.parameter);
    if (!closure.carrier.empty()) set(xml, "carrier", closure.carrier);
  }
  if (closure.offset != 0) set(xml, "offset", closure.offset);
}

}  // namespace

std::string closures_text(const RobotDescription& robot, Ledger& ledger, const Target& target) {
  tinyxml2::XMLDocument xml;
  XMLElement& root = add(xml, "closures");
  add_comment(xml, target.origin);
  // The reader takes loop joints before gears, racks and cables.
  for (const ClosureDescription& closure : robot.closures) {
    if (torsor::traits(closure.kind).is_linear())
      write_coupling(root, closure);
    else
      write_loop_joint(root, closure, ledger);
    ledger.changed(Feature::closure, fmt::format("closure '{}'", closure.name),
                   "written in the file of closures, which only Torsor reads", Effect::nothing);
  }
  return text_of(xml);
}

}  // namespace torsor::exporting
