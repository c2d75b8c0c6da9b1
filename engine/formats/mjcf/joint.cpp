#include "torsor/formats/mjcf/joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/spatial/so3.hpp"

namespace torsor::mjcf {

namespace {

constexpr std::string_view types[] = {"free", "ball", "slide", "hinge"};
constexpr JointKind kinds[] = {JointKind::floating, JointKind::spherical, JointKind::prismatic,
                               JointKind::revolute};

JointType read_type(const Values& values) {
  if (std::string_view(values.own().xml().Name()) == "freejoint") return JointType::free;
  return JointType(values.word("type", types, size_t(JointType::hinge)));
}

// Returns the length of an angle of a hinge, or that of a slide.
double in_units(JointType type, const Compiler& compiler, double value) {
  return type == JointType::hinge ? compiler.angle(value) : value;
}

// Reads `range`. It is a limit if `limited` is true, or if it is "auto", as by default, and the
// range is not 0 0.
void read_limits(Files& files, const Values& values, const Compiler& compiler,
                 JointElement& element) {
  JointDescription& joint = element.joint;
  const auto range = values.numbers<2>("range");
  const bool given = range && ((*range)[0] != 0 || (*range)[1] != 0);
  const bool limited = values.flag_or_auto("limited").value_or(compiler.autolimits && given);
  if (!limited || !range) return;
  if (traits(joint.kind).n_v != 1) {
    if (element.type == JointType::ball)
      files.note(UnusedWord::Kind::unsupported, values.own().xml(), "range of ball joints");
    return;
  }
  joint.lower = in_units(element.type, compiler, (*range)[0]);
  joint.upper = in_units(element.type, compiler, (*range)[1]);
  if (joint.lower > joint.upper)
    values.own().fail(fmt::format("range = {} {} has its lower limit above the upper one; exchange "
                                  "them",
                                  (*range)[0], (*range)[1]),
                      "range");
}

void read_force_limit(const Values& values, const Compiler& compiler, JointDescription& joint) {
  const auto range = values.numbers<2>("actuatorfrcrange");
  if (!range || traits(joint.kind).n_v != 1) return;
  const bool given = (*range)[0] != 0 || (*range)[1] != 0;
  if (!values.flag_or_auto("actuatorfrclimited").value_or(compiler.autolimits && given)) return;
  joint.effort_limit = std::max(std::abs((*range)[0]), std::abs((*range)[1]));
}

void read_drives(Files& files, const Values& values, const Compiler& compiler, bool base_motors,
                 JointElement& element) {
  JointDescription& joint = element.joint;
  Drive drive;
  drive.passive = element.type == JointType::free && !base_motors;
  const double friction = values.not_negative("frictionloss", 0);
  if (friction > 0)
    drive.friction = {.law = Friction::Law::coulomb, .coulomb = friction, .breakaway = friction};
  if (const double stiffness = values.not_negative("stiffness", 0); stiffness > 0) {
    if (traits(joint.kind).n_v == 1)
      drive.spring = {stiffness, in_units(element.type, compiler, values.number("springref", 0))};
    else
      files.note(UnusedWord::Kind::unsupported, values.own().xml(),
                 "stiffness of free and ball joints");
  }
  joint.drives.assign(size_t(traits(joint.kind).n_v), drive);
}

// Returns the motion of a joint of one dof by an angle or a distance s: about or along the unit
// axis e through the point p.
Pose<double> motion(JointType type, const Vec3<double>& e, const Vec3<double>& p, double s) {
  if (type == JointType::slide) return translation(s * e);
  const Mat3<double> R = exp_so3(s * e);
  return {R, p - R * p};
}

}  // namespace

JointKind kind_of(JointType type) {
  return kinds[size_t(type)];
}

JointElement read_joint(Files& files, const Values& values, const Compiler& compiler,
                        const Pose<double>& X_BF, bool base_motors) {
  JointElement out;
  JointDescription& joint = out.joint;
  out.type = read_type(values);
  joint.kind = kind_of(out.type);
  joint.source = values.own().place();
  ScrewPlacement screw;
  const bool is_free = out.type == JointType::free;
  if (!is_free) screw.point = X_BF * values.vector("pos", {0, 0, 0});
  if (traits(joint.kind).axis) {
    const Vec3<double> given = X_BF.R * values.vector("axis", {0, 0, 1});
    const double length = norm(given);
    if (!(length > 1e-14) || !std::isfinite(length))
      values.own().fail("the axis is zero; give it a direction", "axis");
    screw.axis = (1 / length) * given;
    out.ref = in_units(out.type, compiler, values.number("ref", 0));
    screw.X_PL = motion(out.type, screw.axis, screw.point, -out.ref);
  }
  joint.placement = screw;
  const bool has_values = std::string_view(values.own().xml().Name()) != "freejoint";
  if (has_values) {
    const double armature = values.not_negative("armature", 0);
    if (!is_free)
      joint.armature = armature;
    else if (armature > 0)
      files.note(UnusedWord::Kind::unsupported, values.own().xml(), "armature of free joints");
    joint.damping = values.not_negative("damping", 0);
    read_limits(files, values, compiler, out);
    read_force_limit(values, compiler, joint);
  }
  read_drives(files, values, compiler, base_motors, out);
  return out;
}

}  // namespace torsor::mjcf
