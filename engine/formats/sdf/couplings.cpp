#include "torsor/formats/sdf/couplings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "torsor/base/error.hpp"

namespace torsor::sdf {

using xml::Element, xml::readable;

namespace {

using JointIndex = std::unordered_map<const JointNode*, size_t>;

JointIndex index_of(const std::vector<Joint>& joints) {
  JointIndex out;
  for (size_t j = 0; j < joints.size(); ++j) out.emplace(joints[j].node, j);
  return out;
}

// Returns why a <mimic> is not possible, or "" if it is. follower, leader: indices of joints;
// leader is nullopt if the name is not that of a joint.
std::string mimic_defect(const std::vector<Joint>& joints, const Tree& tree, size_t follower,
                         const std::optional<size_t>& leader, bool of_axis2) {
  if (!tree.has(follower)) return "but closes a loop";
  if (!leader) return "which is not a joint of its model";
  if (*leader == follower && joints[follower].axes.size() < 2) return "which is the joint itself";
  if (!tree.has(*leader)) return "which closes a loop";
  const size_t n = joints[*leader].axes.size();
  if (n == 0) return "which has no axis";
  if (of_axis2 && n < 2) return "which has no second axis";
  return "";
}

std::optional<size_t> leader_of(const JointNode& node, const WrittenMimic& mimic,
                                const Frames& frames, const JointIndex& index) {
  try {
    const Frame frame = frames.find(*node.scope, mimic.leader,
                                    {mimic.element.document(), mimic.element.line(), ""});
    const auto found = index.find(frame.joint);
    return found == index.end() ? std::nullopt : std::optional(found->second);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void read_mimics(std::vector<Joint>& joints, const Tree& tree, const Frames& frames, bool strict,
                 Loader& loader, RobotDescription& robot) {
  const JointIndex index = index_of(joints);
  for (size_t j = 0; j < joints.size(); ++j) {
    if (!joints[j].type) continue;
    for (size_t k = 0; k < joints[j].axes.size(); ++k) {
      const auto mimic = read_mimic(*joints[j].node, k);
      if (!mimic) continue;
      const auto leader = leader_of(*joints[j].node, *mimic, frames, index);
      const std::string defect = mimic_defect(joints, tree, j, leader, mimic->of_axis2);
      if (defect.empty()) {
        // The file counts coordinates from its poses.
        const size_t of = mimic->of_axis2 ? 1 : 0;
        joints[j].axes[k].motion.mimic =
            Mimic{joints[*leader].name_of_axis(of), mimic->multiplier,
                  mimic->offset + joints[j].position_of(k) -
                      mimic->multiplier * joints[*leader].position_of(of)};
        continue;
      }
      const std::string leader_name = readable(mimic->leader);
      const std::string what =
          fmt::format("joint '{}' mimics '{}', {}", joints[j].name, leader_name, defect);
      const std::string hint = !tree.has(j) ? "; remove <mimic>"
                               : leader     ? "; name another joint, or remove <mimic>"
                                            : "; correct the name, or remove <mimic>";
      if (strict) mimic->element.fail(what + hint);
      loader.note(
          mimic->element, UnusedWord::Kind::broken,
          fmt::format("<mimic> of joint '{}' names '{}', {}", joints[j].name, leader_name, defect),
          hint);
      robot.warnings.push_back(
          fmt::format("{}: {}, so it moves independently{}", mimic->element.place(), what, hint));
    }
  }
}

namespace {

// The revolute joint whose coordinate is, up to the sign, an angle between two links.
struct Angle {
  size_t joint;
  double sign;
};

// Finds the joint between two links of the tree.
class AngleFinder {
 public:
  AngleFinder(const std::vector<Joint>& joints, const Tree& tree) : joints_(joints), tree_(tree) {}

  // Returns the joint for the angle from a link to another one about an axis, or nullopt if the
  // path between them does not have exactly one moving joint, which turns about this axis.
  std::optional<Angle> find(int from, int to, const Vec3<double>& axis_W) {
    found_.reset();
    n_moving_ = 0;
    const std::vector<int> up = ancestors(from);
    int at = to;  // climbs from `to` to the first common ancestor
    for (; std::ranges::find(up, at) == up.end(); at = tree_.parent(size_t(at)))
      count(at, 1, axis_W);
    for (int k = from; k != at; k = tree_.parent(size_t(k))) count(k, -1, axis_W);
    return n_moving_ == 1 ? found_ : std::nullopt;
  }

 private:
  // Returns a link and those that carry it. The last is Tree::none, for the world or the root.
  std::vector<int> ancestors(int link) const {
    std::vector<int> out{link};
    while (out.back() != Tree::none) out.push_back(tree_.parent(size_t(out.back())));
    return out;
  }

  // Counts the joint that carries a link. sign: 1 if the path runs towards the link.
  void count(int link, double sign, const Vec3<double>& axis_W) {
    const Tree::Branch& branch = tree_.branch(size_t(link));
    if (branch.joint == Tree::none) {
      if (!branch.is_fixed) n_moving_ += 2;  // it floats
      return;
    }
    const Joint& joint = joints_[size_t(branch.joint)];
    if (joint.type->kind == JointKind::fixed) return;
    n_moving_ += 1;
    const JointTraits& kind = traits(joint.type->kind);
    if (joint.axes.size() != 1 || kind.user_pitch || !kind.dofs[0].turns()) return;
    const double along = dot(joint.X_WJ.R * joint.axes[0].direction_J, axis_W);
    if (!(std::abs(along) > 1 - 1e-6)) return;
    found_ = Angle{size_t(branch.joint), sign * (branch.reversed ? -1 : 1) * (along < 0 ? -1 : 1)};
  }

  const std::vector<Joint>& joints_;
  const Tree& tree_;
  std::optional<Angle> found_;
  int n_moving_ = 0;
};

}  // namespace

void read_gearboxes(const std::vector<Joint>& joints, const Tree& tree, Frames& frames,
                    Loader& loader, RobotDescription& robot) {
  AngleFinder finder(joints, tree);
  for (const Joint& joint : joints) {
    if (joint.type) continue;
    const JointNode& node = *joint.node;
    const Element reference = node.element.needed_child("gearbox_reference_body");
    const LinkNode* body =
        frames.body(frames.find(*node.scope, reference.text(),
                                {reference.document(), reference.line(),
                                 fmt::format("joint '{}': <gearbox_reference_body>", node.name)}));
    const auto angle = [&](const LinkNode* link, size_t axis) {
      return finder.find(tree.index(body), tree.index(link),
                         joint.X_WJ.R * joint.axes[axis].direction_J);
    };
    const auto theta_1 = angle(joint.parent, 0), theta_2 = angle(joint.child, 1);
    if (!theta_1 || !theta_2) {
      loader.note(node.element, UnusedWord::Kind::unsupported,
                  fmt::format("gearbox '{}', between whose reference body and {} there is not "
                              "exactly one joint, revolute about its axis,",
                              joint.name, theta_1 ? "child" : "parent"));
      continue;
    }
    const double ratio = number_in(node.element, "gearbox_ratio", 1);
    if (ratio == 0)
      node.element.needed_child("gearbox_ratio").fail("<gearbox_ratio> must not be 0");
    ClosureDescription gear;
    gear.name = joint.name;
    gear.kind = ClosureKind::gear;
    gear.source = joint.place();
    gear.joints = {joints[theta_2->joint].name, joints[theta_1->joint].name};
    gear.parameter = -ratio * theta_1->sign * theta_2->sign;
    gear.offset = joints[theta_2->joint].position_of(0) -
                  *gear.parameter * joints[theta_1->joint].position_of(0);
    robot.closures.push_back(std::move(gear));
  }
}

}  // namespace torsor::sdf
