#include "torsor/formats/mjcf/tree/joint.hpp"

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

// Notes a property of several dof that is not used. what: such as "range of ball joints".
void note_unused(JointContext& context, const Values& values, const std::string& what) {
  context.files.note(UnusedWord::Kind::unsupported, values.own().xml(), what);
}

// Returns a coefficient, which is 0 if the flag is false.
double coefficient(JointContext& context, const Values& values, const char* attribute, bool flag) {
  const double value = values.not_negative(attribute, 0);
  if (value == 0 || flag) return value;
  note_switched_off(context.files, values.own().xml(),
                    fmt::format("{} of <{}>", attribute, values.own().xml().Name()));
  return 0;
}

// Notes the attributes that a joint has itself, but that do not apply to its type.
void note_meaningless(JointContext& context, const Values& values, JointType type) {
  const auto note = [&](const char* attribute) {
    if (values.own().has(attribute))
      context.files.note(UnusedWord::Kind::ignored, values.own().xml(),
                         fmt::format("{} of {} joints", attribute, types[size_t(type)]));
  };
  if (type == JointType::hinge || type == JointType::slide) return;
  for (const char* attribute : {"axis", "ref", "springref", "actuatorfrcrange"}) note(attribute);
  if (type == JointType::free)
    for (const char* attribute : {"pos", "range"}) note(attribute);
}

// Reads `range`. It is a limit if `limited` is true, or if it is "auto", as by default, and the
// range is not 0 0.
void read_limits(JointContext& context, const Values& values, JointElement& element) {
  const Compiler& compiler = context.compilers.of(values.own().xml());
  JointDescription& joint = element.joint;
  const auto range = values.numbers<2>("range");
  const bool given = range && ((*range)[0] != 0 || (*range)[1] != 0);
  const bool limited = values.flag_or_auto("limited").value_or(compiler.autolimits && given);
  if (!limited || !range || element.type == JointType::free) return;
  if (!context.flags.limit)
    return note_switched_off(context.files, values.own().xml(), "range of <joint>");
  if (element.type == JointType::ball) return note_unused(context, values, "range of ball joints");
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

void read_drives(JointContext& context, const Values& values, JointElement& element) {
  JointDescription& joint = element.joint;
  Drive drive;
  drive.passive = element.type == JointType::free && !context.base_motors;
  const double friction = coefficient(context, values, "frictionloss", context.flags.frictionloss);
  if (friction > 0)
    drive.friction = {.law = Friction::Law::coulomb, .coulomb = friction, .breakaway = friction};
  if (friction > 0 && element.type == JointType::free)
    note_unused(context, values,
                "world axes of the frictionloss of free joints (friction acts along body axes)");
  const double stiffness = coefficient(context, values, "stiffness", context.flags.spring);
  if (stiffness > 0 && traits(joint.kind).n_v == 1)
    drive.spring = {stiffness, in_units(element.type, context.compilers.of(values.own().xml()),
                                        values.number("springref", 0))};
  else if (stiffness > 0)
    joint.spring = PoseSpring{stiffness, element.type == JointType::free ? stiffness : 0};
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

JointElement read_joint(JointContext& context, const Values& values, const Pose<double>& X_BF) {
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
    out.ref = in_units(out.type, context.compilers.of(values.own().xml()), values.number("ref", 0));
    screw.X_PL = motion(out.type, screw.axis, screw.point, -out.ref);
  }
  joint.placement = screw;
  if (std::string_view(values.own().xml().Name()) == "freejoint") {
    joint.drives.assign(6, Drive{.passive = !context.base_motors});
    return out;
  }
  note_meaningless(context, values, out.type);
  const double armature = values.not_negative("armature", 0);
  if (!is_free)
    joint.armature = armature;
  else if (armature > 0)
    note_unused(context, values, "armature of free joints");
  joint.damping = coefficient(context, values, "damping", context.flags.damper);
  read_limits(context, values, out);
  read_force_limit(values, context.compilers.of(values.own().xml()), joint);
  read_drives(context, values, out);
  return out;
}

}  // namespace torsor::mjcf
