// Joints in MJCF. The spring of a free joint rests at the pose of its body in the file.

#include "torsor/formats/export/mjcf/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/export/numbers.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

using tinyxml2::XMLElement;

namespace {

void write_range(XMLElement& xml, const LinkDescription& link, Ledger& ledger) {
  const JointDescription& joint = link.joint;
  if (joint.lower == -HUGE_VAL && joint.upper == HUGE_VAL) return;
  constexpr double unlimited = 1e9;
  const auto bound = [&](const char* name, double value) {
    if (!std::isinf(value)) return value;
    ledger.note(fmt::format("missing {} limit", name), joint_subject(link),
                fmt::format("written as {}: MJCF requires a number",
                            number(std::copysign(unlimited, value))),
                Effect::nothing);
    return std::copysign(unlimited, value);
  };
  set(xml, "limited", std::string("true"));
  set(xml, "range",
      number(bound("lower", joint.lower)) + " " + number(bound("upper", joint.upper)));
  ledger.written(Feature::position_limits, joint_subject(link));
}

// The values of a joint with several dof must be equal.
double value_of(const LinkDescription& link, const char* what, Effect effect,
                const std::vector<double>& values, Ledger& ledger) {
  if (std::ranges::any_of(values, [&](double x) { return x != values[0]; }))
    ledger.note(what, joint_subject(link),
                fmt::format("written as {} for all degrees of freedom", number(values[0])), effect);
  return values[0];
}

// The spring of a ball joint rests at q = 1 0 0 0.
void write_ball_spring(XMLElement& xml, const LinkDescription& link, Ledger& ledger) {
  const auto& spring = link.joint.spring;
  if (!spring) return;
  const std::vector<double>& q = spring->rest;
  if (!q.empty() && (q[1] != 0 || q[2] != 0 || q[3] != 0))
    return ledger.lost(Feature::spring, joint_subject(link),
                       "the spring of a ball joint of MJCF rests at q = 1 0 0 0");
  if (spring->angular != 0) set(xml, "stiffness", spring->angular);
  ledger.written(Feature::spring, joint_subject(link));
}

// Returns whether a free joint of MJCF can have the spring of a floating joint, if there is one.
bool can_have_spring(const LinkDescription& link) {
  const auto& spring = link.joint.spring;
  return spring && link.parent.empty() && spring->angular == spring->linear;
}

void write_forces(XMLElement& xml, const LinkDescription& link, Ledger& ledger) {
  const JointDescription& joint = link.joint;
  const size_t n = size_t(torsor::traits(joint.kind).n_v);
  std::vector<double> damping, coulomb, armature;
  for (size_t k = 0; k < n; ++k) {
    const LinearFriction friction = linear_friction(link, k, ledger);
    damping.push_back(friction.damping);
    coulomb.push_back(friction.coulomb);
    armature.push_back(total_armature(link, k, ledger));
  }
  for (const auto& [name, what, effect, values] :
       {std::tuple{"damping", "damping", Effect::forces, &damping},
        {"frictionloss", "Coulomb friction", Effect::forces, &coulomb},
        {"armature", "armature", Effect::structure, &armature}})
    if (const double value = value_of(link, what, effect, *values, ledger); value != 0)
      set(xml, name, value);
  if (n != 1) return write_ball_spring(xml, link, ledger);
  if (!joint.drives.empty() && joint.drives[0].spring.stiffness != 0) {
    set(xml, "stiffness", joint.drives[0].spring.stiffness);
    if (joint.drives[0].spring.rest != 0) set(xml, "springref", joint.drives[0].spring.rest);
  }
  ledger.written(Feature::spring, joint_subject(link));
  write_range(xml, link, ledger);
}

void write_free_joint(XMLElement& body, const LinkDescription& link, Ledger& ledger) {
  const std::string subject = joint_subject(link);
  if (!link.parent.empty())
    return ledger.lost(Feature::floating, subject, "MJCF has free joints at the base only");
  const PerDof& damping = link.joint.damping;
  bool equal = damping.of(0) > 0;
  for (int k = 1; k < 6; ++k) equal = equal && damping.of(k) == damping.of(0);
  const bool rests = can_have_spring(link);
  XMLElement& xml = add(body, equal || rests ? "joint" : "freejoint");
  set(xml, "name", link.joint.name);
  if (equal || rests) set(xml, "type", std::string("free"));
  if (equal) set(xml, "damping", damping.of(0));
  if (rests) {
    set(xml, "stiffness", link.joint.spring->angular);
    ledger.written(Feature::spring, subject);
  } else {
    ledger.lost(Feature::spring, subject,
                "a free joint has one stiffness for all its degrees of freedom");
  }
  for (size_t k = 0; k < 6; ++k)
    if (equal)
      ledger.written(Feature::damping, dof_subject(link, k));
    else
      ledger.lost(Feature::damping, dof_subject(link, k),
                  "a free joint has one damping for all its degrees of freedom");
  if (is_identity(std::get<ScrewPlacement>(link.joint.placement).X_PL))
    ledger.written(Feature::floating, subject);
  else
    ledger.changed(Feature::floating, subject,
                   "written as a free joint, whose q is its pose in the world", Effect::nothing);
}

}  // namespace

Pose<double> body_pose(const LinkDescription& link) {
  const Pose<double>& X_PL = std::get<ScrewPlacement>(link.joint.placement).X_PL;
  const JointTraits& kind = torsor::traits(link.joint.kind);
  if (kind.n_v != 6 || !can_have_spring(link) || link.joint.spring->rest.empty()) return X_PL;
  return X_PL * kind.maps->pose(link.joint.spring->rest.data());
}

void add_joint(XMLElement& body, const LinkDescription& link, Ledger& ledger) {
  const JointDescription& joint = link.joint;
  const std::string subject = joint_subject(link);
  if (joint.kind == JointKind::fixed) {
    ledger.lost(Feature::fixed_joint_name, subject, "MJCF has no fixed joints");
    return;
  }
  const JointTraits& kind = torsor::traits(joint.kind);
  if (kind.n_v == 6) return write_free_joint(body, link, ledger);
  const auto& screw = std::get<ScrewPlacement>(joint.placement);
  XMLElement& xml = add(body, "joint");
  set(xml, "name", joint.name);
  const bool slides = kind.n_v == 1 && !kind.dofs[0].turns();
  const bool ball = !kind.axis;
  set(xml, "type", std::string(ball ? "ball" : slides ? "slide" : "hinge"));
  if (!is_zero(screw.point)) set(xml, "pos", rounded(screw.point, " "));
  if (!ball) set(xml, "axis", rounded(screw.axis, " "));
  if (ball) ledger.written(Feature::spherical, subject);
  ledger.changed(Feature::helical, subject,
                 "written as a joint that only turns: MJCF has no helical joints",
                 Effect::structure);
  write_forces(xml, link, ledger);
}

}  // namespace torsor::exporting
