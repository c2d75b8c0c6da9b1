#include "torsor/model/building/cut_joints.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/model/building/closures.hpp"
#include "torsor/model/building/universal.hpp"
#include "torsor/model/rotor_body.hpp"

namespace torsor {

namespace {

using Robots = std::vector<std::pair<RobotDescription, Pose<double>>>;
using Inertia = SpatialInertia<double>;

// Returns the screws of a joint along z, in the frame of its link at q = 0.
std::vector<Twist<double>> screws(const JointDescription& joint) {
  if (joint.second_axis) return {{{1, 0, 0}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 0}}};
  std::vector<Twist<double>> out;
  for (const JointDof& dof : traits(joint.kind).dofs) out.push_back(dof.S);
  if (traits(joint.kind).user_pitch) out[0].v.z = joint.pitch;
  return out;
}

// Returns whether the inertia along the screws of a joint is positive definite: S^T M S.
bool can_bear(const JointDescription& joint, const Inertia& M) {
  const std::vector<Twist<double>> S = screws(joint);
  const auto n = Eigen::Index(S.size());
  Eigen::MatrixXd H(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) H(i, j) = dot(S[size_t(i)], M * S[size_t(j)]);
  for (Eigen::Index i = 0; i < n; ++i) {
    H(i, i) += joint.armature.of(int(i));
    if (!joint.drives.empty()) H(i, i) += joint.drives[size_t(i)].motor.inertia();
  }
  if (!(H.diagonal().minCoeff() > 0)) return false;
  const Eigen::VectorXd scale = H.diagonal().cwiseSqrt().cwiseInverse();
  constexpr double rounding = 1e-9;
  return symmetric_eigen(scale.asDiagonal() * H * scale.asDiagonal()).values.minCoeff() > rounding;
}

class Cutter {
 public:
  Cutter(Robots& robots, const Model& tree)
      : robots_(robots), tree_(tree), inertia_(tree.inertia_B), several_(robots.size() > 1) {}

  // Replaces one closure. at: the closure in the model of the robots.
  void cut(ClosureDescription& closure, const Closure& at, const std::string& prefix) {
    const ClosureTraits& kind = traits(closure.kind);
    if (!kind.joint)
      fail_closure(closure, fmt::format("a {} closure has no coordinate, and no friction, spring, "
                                        "limit or motor; remove them, or choose another kind",
                                        kind.name));
    JointDescription joint = *closure.joint;
    closure.joint.reset();
    joint.name = closure.name;
    joint.kind = *kind.joint;
    joint.pitch = traits(joint.kind).user_pitch ? closure.parameter.value_or(0) : 0;
    joint.source = closure.source;
    if (closure.kind == ClosureKind::universal) joint.second_axis = {0, 0, 1};
    const size_t n = screws(joint).size();
    if (joint.drives.empty()) joint.drives.assign(n, Drive{.passive = true});
    const int bodies[] = {at.body_A, at.body_B};
    const Pose<double> poses[] = {at.X_BA, at.X_BB};
    const auto half_of = [&](size_t side) {
      return transform(inverse(poses[side]), 0.5 * inertia_[size_t(bodies[side])]);
    };
    size_t cut = 1;
    if (bodies[1] == 0 || !can_bear(joint, half_of(1))) cut = 0;
    if (bodies[cut] == 0 || !can_bear(joint, half_of(cut)))
      fail_closure(closure,
                   "its joint has options, so that a body is cut into halves, but neither body has "
                   "an inertia along the motion of the joint; give one of them an inertia");
    const size_t whole = 1 - cut;
    LinkDescription half;
    half.name = closure.name + "_half";
    half.source = closure.source;
    half.inertia = half_of(cut);
    half.grouped = take_half(bodies[cut]);
    place(joint, closure.kind, cut == 0);
    auto& [owner, X_WR] = robots_[robot_of(bodies[whole] > 0 ? bodies[whole] : bodies[cut])];
    ScrewPlacement& screw = std::get<ScrewPlacement>(joint.placement);
    screw.X_PL = parent_frame(bodies[whole], owner, X_WR, half.parent) * poses[whole] * screw.X_PL;
    half.joint = std::move(joint);
    const std::string first_joint = half.joint.second_axis ? closure.name + "_1" : closure.name;
    weld(closure, cut, first_joint, owner, half, prefix);
    add(owner, std::move(half));
  }

 private:
  // The frame of the half is that of the closure in the body that is cut. If that is A, the
  // coordinate remains the motion of B relative to A only with one axis, which is reversed. That of
  // other joints is the motion of A relative to B: the rest position of a spherical joint, which
  // is given as that of B relative to A, is inverted. The axes of a universal joint at q = 0: z of
  // the frame in the parent is x of the half, whose own axis is z.
  static void place(JointDescription& joint, ClosureKind kind, bool is_A_cut) {
    ScrewPlacement screw;
    if (kind == ClosureKind::universal) {
      screw.axis = {1, 0, 0};
      screw.X_PL.R = {{0, 0, 1, 0, -1, 0, 1, 0, 0}};
    } else if (traits(joint.kind).axis && kind != ClosureKind::planar && is_A_cut) {
      screw.axis = {0, 0, -1};
    } else if (is_A_cut && joint.spring) {
      for (size_t k = 1; k < joint.spring->rest.size(); ++k) joint.spring->rest[k] *= -1;
    }
    joint.placement = screw;
  }

  // Halves the inertia of a body and its links. Returns whether one of them is grouped.
  bool take_half(int body) {
    inertia_[size_t(body)] = 0.5 * inertia_[size_t(body)];
    bool grouped = false;
    for (size_t r = 0; r < robots_.size(); ++r) {
      const Robot& robot = tree_.robots[r];
      for (int i = 0; i < robot.n_link; ++i) {
        const Link& link = tree_.links[size_t(robot.first_link + i)];
        if (tree_.frames[size_t(link.frame)].body != body) continue;
        LinkDescription& description = robots_[r].first.links[size_t(i)];
        description.inertia = 0.5 * description.inertia;
        grouped |= description.grouped;
      }
    }
    return grouped;
  }

  // Returns the index of the robot to which a body belongs.
  size_t robot_of(int body) const {
    const auto joint = std::ranges::find(tree_.joints, body, &Joint::body);
    const int index = int(joint - tree_.joints.begin());
    const auto robot = std::ranges::find_if(tree_.robots, [&](const Robot& each) {
      return index >= each.first_joint && index < each.first_joint + each.n_joint;
    });
    return size_t(robot - tree_.robots.begin());
  }

  std::string prefix_of(const RobotDescription& robot) const {
    return several_ ? robot.name + "." : "";
  }

  // Returns the pose of a body in the frame of one of its links, and the name of this link. The
  // world is the base of the robot, "".
  Pose<double> parent_frame(int body, const RobotDescription& owner, const Pose<double>& X_WR,
                            std::string& name) const {
    if (body == 0) return inverse(X_WR);
    const Robot& robot = tree_.robots[size_t(
        std::ranges::find(tree_.robots, owner.name, &Robot::name) - tree_.robots.begin())];
    for (int i = 0;; ++i) {
      const Link& link = tree_.links[size_t(robot.first_link + i)];
      const Frame& frame = tree_.frames[size_t(link.frame)];
      if (frame.body != body) continue;
      const LinkDescription& description = owner.links[size_t(i)];
      name = description.name;
      return public_frame(owner, description.inertia) * inverse(frame.X_BF);
    }
  }

  // Returns the pose of the public frame of a link in its described frame: the COM with com_frames.
  static Pose<double> public_frame(const RobotDescription& owner, const Inertia& inertia) {
    if (!owner.com_frames || !(inertia.m > 0)) return Pose<double>::identity();
    return translation((1 / inertia.m) * inertia.h);
  }

  // Makes the closure the weld between the half and the frame in the body that is cut. prefix: of
  // the names in the closure.
  void weld(ClosureDescription& closure, size_t cut, const std::string& joint,
            const RobotDescription& owner, const LinkDescription& half,
            const std::string& prefix) const {
    // In a closure of the world, names have the prefix of their robot.
    const std::string own = prefix.empty() ? prefix_of(owner) : "";
    closure.cut = ClosureDescription::Cut{own + joint, closure.frames[0], closure.axes[0],
                                          closure.origins[0], cut == 0};
    closure.kind = ClosureKind::weld;
    closure.parameter.reset();
    closure.frames[1] = closure.frames[cut];
    closure.origins[1] = closure.origins[cut];
    closure.axes[1] = closure.axes[cut];
    closure.frames[0] = own + half.name;
    closure.origins[0] = inverse(public_frame(owner, half.inertia));
    closure.axes[0] = {0, 0, 1};
  }

  static void add(RobotDescription& owner, LinkDescription half) {
    RobotDescription own;
    own.dof_order = {half.joint.name};
    own.links = {std::move(half)};
    own = with_rotor_bodies(without_universal_joints(own));
    if (!owner.dof_order.empty())
      owner.dof_order.insert(owner.dof_order.end(), own.dof_order.begin(), own.dof_order.end());
    owner.links.insert(owner.links.end(), own.links.begin(), own.links.end());
    owner.family.clear();  // the solvers of a family know its tree only
  }

  Robots& robots_;
  const Model& tree_;
  std::vector<Inertia> inertia_;  // of the bodies of the tree, after the cuts so far
  bool several_;
};

}  // namespace

void cut_joints(Robots& robots, std::vector<ClosureDescription>& closures, const Model& tree) {
  Cutter cutter(robots, tree);
  size_t k = 0;
  for (size_t r = 0; r < robots.size(); ++r) {
    const std::string prefix = robots.size() > 1 ? robots[r].first.name + "." : "";
    std::vector<ClosureDescription> own = std::move(robots[r].first.closures);
    for (ClosureDescription& closure : own)
      if (closure.joint) cutter.cut(closure, tree.closures[k++], prefix);
    robots[r].first.closures = std::move(own);
  }
  for (ClosureDescription& closure : closures)
    if (closure.joint) cutter.cut(closure, tree.closures[k++], "");
}

}  // namespace torsor
