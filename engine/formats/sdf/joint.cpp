#include "torsor/formats/sdf/joint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "torsor/base/error.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::sdf {

using xml::Element, xml::readable;

namespace {

constexpr JointType types[] = {
    {"fixed", JointKind::fixed, ClosureKind::weld, 0},
    {"revolute", JointKind::revolute, ClosureKind::revolute, 1},
    {"continuous", JointKind::revolute, ClosureKind::revolute, 1},
    {"prismatic", JointKind::prismatic, ClosureKind::prismatic, 1},
    {"screw", JointKind::helical, ClosureKind::screw, 1},
    {"ball", JointKind::spherical, ClosureKind::spherical, 0},
    {"universal", JointKind::revolute, ClosureKind::universal, 2},
    {"revolute2", JointKind::revolute, ClosureKind::universal, 2},
};
constexpr std::string_view gearbox = "gearbox";
constexpr const char* axis_words[] = {"axis", "axis2"};
// Files of SDF before 1.7 write a missing limit as this number.
constexpr double infinite_limit = 1e16;

const JointType* type_of(const JointNode& node) {
  std::vector<std::string> names;
  for (const JointType& type : types) {
    if (type.name == node.type) return &type;
    names.emplace_back(type.name);
  }
  names.emplace_back(gearbox);
  if (node.type == gearbox) return nullptr;
  node.element.fail(
      fmt::format("'{}' is not a joint type of SDF; it can be {}{}", readable(node.type),
                  fmt::join(names, ", "), did_you_mean(node.type, names)),
      "type");
}

// Returns the frame whose axes the <xyz> has, or "" for the frame of the joint. The option
// use_parent_model_frame was the default before SDF 1.5, and was removed in SDF 1.7.
std::string frame_of_axis(const JointNode& node, const Element& axis) {
  const auto xyz = axis.child("xyz");
  if (xyz && xyz->has("expressed_in")) return xyz->needed_text("expressed_in");
  const bool in_model = flag_in(axis, "use_parent_model_frame", node.scope->version.is_before(5));
  return in_model ? "__model__" : "";
}

Vec3<double> direction_of(const Joint& joint, const Element& axis, Frames& frames) {
  const JointNode& node = *joint.node;
  Vec3<double> e = axis.child("xyz") ? needed_vector_in(axis, "xyz") : Vec3<double>{0, 0, 1};
  const double length = std::hypot(e.x, e.y, e.z);
  if (!(length > 0)) axis.fail("the axis is zero; give it a direction");
  if (!std::isfinite(length)) axis.fail("the axis is too long; give it the length 1");
  const std::string name = frame_of_axis(node, axis);
  if (!name.empty()) {
    const Frame frame =
        frames.find(*node.scope, name,
                    {axis.document(), axis.line(), fmt::format("joint '{}': the axis", node.name)});
    e = transpose_times(joint.X_WJ.R, frames.pose_in_world(frame).R * e);
  }
  return (1 / length) * e;
}

// Reads a limit of the velocity or effort. A negative number means that there is none.
double read_limit(const Element& limit, const char* child) {
  const auto found = limit.child(child);
  const double value = found ? found->text_bound() : -1;
  return value < 0 ? std::numeric_limits<double>::infinity() : value;
}

double read_bound(const Element& limit, const char* child, double otherwise) {
  const auto found = limit.child(child);
  const double value = found ? found->text_bound() : otherwise;
  return std::abs(value) >= infinite_limit ? std::copysign(otherwise, value) : value;
}

void read_limits(const Element& axis, bool bounded, JointAxis& out) {
  const auto limit = axis.child("limit");
  if (!limit) return;
  JointDescription& motion = out.motion;
  motion.effort_limit = read_limit(*limit, "effort");
  motion.velocity_limit = read_limit(*limit, "velocity");
  if (!bounded) return;
  motion.lower = read_bound(*limit, "lower", motion.lower);
  motion.upper = read_bound(*limit, "upper", motion.upper);
  if (motion.lower > motion.upper)
    limit->fail(fmt::format("the limit lower = {} is above upper = {}; exchange them", motion.lower,
                            motion.upper));
  out.is_limited = std::isfinite(motion.lower) || std::isfinite(motion.upper);
}

void read_dynamics(const Element& axis, JointDescription& motion) {
  const auto dynamics = axis.child("dynamics");
  if (!dynamics) return;
  motion.damping = not_negative_in(*dynamics, "damping").value_or(0);
  const double friction = not_negative_in(*dynamics, "friction").value_or(0);
  const double stiffness = not_negative_in(*dynamics, "spring_stiffness").value_or(0);
  if (friction == 0 && stiffness == 0) return;
  Drive drive;
  if (friction > 0)
    drive.friction = {.law = Friction::Law::coulomb, .coulomb = friction, .breakaway = friction};
  if (stiffness > 0) drive.spring = {stiffness, number_in(*dynamics, "spring_reference", 0)};
  motion.drives = {drive};
}

// Reads the rotor of the motor of a joint with one axis, an extension of SDF by Drake. The gear
// ratio N may be negative: the armature of the joint is N^2 times the inertia.
void read_rotor(const Element& joint, JointDescription& motion) {
  const auto inertia = not_negative_in(joint, "drake:rotor_inertia");
  if (!inertia || *inertia == 0) return;
  if (motion.drives.empty()) motion.drives.emplace_back();
  Motor& motor = motion.drives[0].motor;
  motor.rotor_inertia = *inertia;
  motor.gear_ratio = number_in(joint, "drake:gear_ratio", 1);
  if (motor.gear_ratio == 0)
    joint.needed_child("drake:gear_ratio").fail("<drake:gear_ratio> must not be 0");
}

// Notes the rotor of a joint that has not one axis.
void note_rotor(const JointNode& node, const JointType* type, Loader& loader) {
  const auto child = node.element.child("drake:rotor_inertia");
  if (!child || not_negative_in(node.element, "drake:rotor_inertia") == 0.0) return;
  const bool is_fixed = type && type->kind == JointKind::fixed;
  loader.note(*child, is_fixed ? UnusedWord::Kind::ignored : UnusedWord::Kind::unsupported,
              fmt::format("<drake:rotor_inertia> of a {} joint", node.type));
}

// Scales the quaternion w x y z to length 1.
void normalise(const Element& element, double* w) {
  const double length = norm(Quaternion{w[0], w[1], w[2], w[3]});
  if (!(length > 0) || !std::isfinite(length))
    element.fail("the quaternion is not a rotation; give w x y z with the length 1");
  for (int k = 0; k < 4; ++k) w[k] /= length;
}

template <size_t n>
std::vector<double> numbers_of(const Element& element) {
  const auto values = element.text_numbers<n>();
  return {values.begin(), values.end()};
}

// Reads the coordinates of a joint at the poses of the file, an extension of SDF by Torsor. Limits
// and springs of the file are relative to them.
void read_position(Joint& out) {
  const auto child = out.node->element.child("torsor:position");
  if (!child || !out.type || out.type->kind == JointKind::fixed) return;
  const size_t n = out.axes.size();
  out.position = n == 1   ? numbers_of<1>(*child)
                 : n == 2 ? numbers_of<2>(*child)
                          : numbers_of<4>(*child);
  if (n == 0) normalise(*child, out.position.data());
  for (size_t k = 0; k < n; ++k) {
    JointDescription& motion = out.axes[k].motion;
    motion.lower += out.position[k];
    motion.upper += out.position[k];
    if (!motion.drives.empty() && motion.drives[0].spring.stiffness > 0)
      motion.drives[0].spring.rest += out.position[k];
  }
}

// Returns the pitch of a screw in m/rad, positive for a right-handed thread.
//   screw_thread_pitch   m per revolution, positive for a right-handed thread: h = p / (2 pi)
//   thread_pitch         rad per m, positive for a left-handed thread: h = -1 / p
double read_thread(const Joint& joint, Loader& loader, AssumedJoints& assumed) {
  const Element& element = joint.node->element;
  const auto nonzero = [](const Element& word) {
    const double value = word.text_number();
    if (value == 0) word.fail("the pitch of a screw must not be 0; use a revolute joint");
    return value;
  };
  const auto old = element.child("thread_pitch");
  if (const auto pitch = element.child("screw_thread_pitch")) {
    if (old)
      loader.note(*old, UnusedWord::Kind::ignored, "<thread_pitch> beside <screw_thread_pitch>");
    return nonzero(*pitch) / (2 * std::numbers::pi);
  }
  if (old) return -1 / nonzero(*old);
  assumed.pitch.push_back(joint.name);
  constexpr double default_pitch = 1;  // m per revolution
  return default_pitch / (2 * std::numbers::pi);
}

// Returns the link to which the <parent> or <child> is attached, or null for the world.
const LinkNode* link_of(const JointNode& node, const char* word, const std::string& name,
                        Frames& frames) {
  if (name == "world" && word == std::string_view("parent")) return nullptr;
  const Element end = node.element.needed_child(word);
  if (name == "world") end.fail("the <child> is the world; exchange <parent> and <child>");
  const NamingPlace place{end.document(), end.line(),
                          fmt::format("joint '{}': <{}>", node.name, word)};
  return frames.body(frames.find(*node.scope, name, place));
}

}  // namespace

std::string Joint::name_of_axis(size_t axis) const {
  return axes.size() < 2 ? name : fmt::format("{}_{}", name, axis + 1);
}

Joint read_joint(const JointNode& node, Frames& frames, Loader& loader, AssumedJoints& assumed) {
  Joint out{&node, type_of(node), scoped_name(*node.scope, node.name)};
  out.parent = link_of(node, "parent", node.parent, frames);
  out.child = link_of(node, "child", node.child, frames);
  if (out.parent == out.child)
    node.element.fail(fmt::format("its parent and its child are the same: {}",
                                  out.child ? "link '" + out.child->name + "'" : "the world"));
  out.X_WJ = frames.pose_in_world({.joint = &node});
  const size_t n_axis = out.type ? size_t(out.type->n_axis) : 2;
  for (size_t k = 0; k < n_axis; ++k) {
    if (n_axis == 1 && !node.element.child(axis_words[k])) {
      assumed.axis.push_back(out.name);
      read_rotor(node.element, out.axes.emplace_back().motion);
      continue;
    }
    const Element axis = node.element.needed_child(axis_words[k]);
    JointAxis& each = out.axes.emplace_back();
    each.direction_J = direction_of(out, axis, frames);
    each.motion.source = out.place();
    if (!out.type) continue;
    read_limits(axis, out.type->name != "continuous", each);
    read_dynamics(axis, each.motion);
    if (n_axis == 1) read_rotor(node.element, each.motion);
  }
  if (n_axis != 1) note_rotor(node, out.type, loader);
  read_position(out);
  if (out.type && traits(out.type->kind).user_pitch) out.pitch = read_thread(out, loader, assumed);
  if (n_axis == 2 && out.type) {
    const Vec3<double> n = cross(out.axes[0].direction_J, out.axes[1].direction_J);
    if (!(norm(n) > 1e-6)) node.element.fail("its axes are parallel; turn one of them");
  }
  return out;
}

std::vector<double> read_floating_position(const LinkNode& node) {
  const auto child = node.element.child("torsor:position");
  if (!child) return {};
  std::vector<double> out = numbers_of<7>(*child);
  normalise(*child, out.data() + 3);
  return out;
}

std::optional<WrittenMimic> read_mimic(const JointNode& node, size_t axis) {
  const auto element = node.element.child(axis_words[axis]);
  const auto mimic = element ? element->child("mimic") : std::nullopt;
  if (!mimic) return std::nullopt;
  const std::string of = mimic->has("axis") ? mimic->needed_text("axis") : axis_words[0];
  if (of != axis_words[0] && of != axis_words[1])
    mimic->fail(fmt::format("axis of <mimic> is '{}'; it can be axis or axis2", readable(of)),
                "axis");
  const double multiplier = number_in(*mimic, "multiplier", 1);
  return WrittenMimic{
      *mimic, mimic->needed_text("joint"), of == axis_words[1], multiplier,
      number_in(*mimic, "offset", 0) - multiplier * number_in(*mimic, "reference", 0)};
}

}  // namespace torsor::sdf
