#include "torsor/model/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "torsor/model/building/checks.hpp"
#include "torsor/model/building/closures.hpp"
#include "torsor/model/building/colliders.hpp"
#include "torsor/model/building/cut_joints.hpp"
#include "torsor/model/building/drives.hpp"
#include "torsor/model/building/gears.hpp"
#include "torsor/model/building/placement.hpp"
#include "torsor/model/building/universal.hpp"
#include "torsor/model/rotor_body.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

using Index = std::unordered_map<std::string, int>;

// Returns the spring, or nullopt if it has no stiffness: nothing in a model depends on it.
std::optional<PoseSpring> with_stiffness(const std::optional<PoseSpring>& spring) {
  return spring && (spring->angular != 0 || spring->linear != 0) ? spring : std::nullopt;
}

// Adds one robot to a model, parents before children.
class Assembly {
 public:
  // names: names of all frames that the model already has.
  Assembly(Model& model, const RobotDescription& robot, const Pose<double>& X_WR,
           std::string prefix, std::unordered_set<std::string>& names)
      : model_(model),
        robot_(robot),
        X_WR_(X_WR),
        prefix_(std::move(prefix)),
        frame_names_(names) {}

  void run() {
    Robot entry{robot_.name,
                int(model_.links.size()),
                int(robot_.links.size()),
                int(model_.joints.size()),
                0,
                model_.n_q,
                0,
                model_.n_v,
                0};
    for (const std::string& warning : robot_.warnings) model_.warnings.push_back(warning);
    index_links();
    find_parents();
    assign_columns();
    walk();
    add_user_frames();
    add_mimics(robot_, prefix_, model_);
    add_elastic_rotors(robot_, prefix_, model_);
    add_stiffness_couplings(robot_, prefix_, model_);
    add_transmissions(robot_, prefix_, model_);
    add_closures(robot_.closures, prefix_, model_);
    entry.n_joint = int(model_.joints.size()) - entry.first_joint;
    entry.n_q = model_.n_q - entry.first_q;
    entry.n_v = model_.n_v - entry.first_v;
    model_.robots.push_back(entry);
  }

 private:
  void index_links() {
    Index joints;
    std::vector<std::string> doubts;  // warnings about impossible inertias
    for (int i = 0; i < int(robot_.links.size()); ++i) {
      const LinkDescription& link = robot_.links[i];
      if (link.name.empty()) fail_at(link.source, "a link needs a name");
      check_name("link", link.name, link.source);
      check_name("joint", link.joint.name, link.source);
      check_link(robot_, link, doubts);
      if (!index_.emplace(link.name, i).second)
        duplicate("link", link.name, link.source, robot_.links[index_[link.name]].source);
      const std::string& joint = link.joint.name;
      if (!joint.empty() && !joints.emplace(joint, i).second)
        duplicate("joint", joint, link.source, robot_.links[joints[joint]].source);
    }
    warn_of_inertias(doubts);
  }

  // Adds one warning for each impossible inertia. If there are more than three, adds a single
  // warning for all of them.
  void warn_of_inertias(const std::vector<std::string>& doubts) {
    constexpr size_t most = 3;
    for (size_t k = 0; k < (doubts.size() > most ? 1 : doubts.size()); ++k)
      model_.warnings.push_back(doubts[k]);
    if (doubts.size() > most)
      model_.warnings.back() += fmt::format(
          "; so are those of {} more links ('torsor lint' lists them)", doubts.size() - 1);
  }

  [[noreturn]] static void duplicate(const char* what, const std::string& name,
                                     const std::string& source, const std::string& first) {
    fail_at(source, fmt::format("there are two {}s named '{}'{}; give each its own name", what,
                                name, first.empty() ? "" : " (the first is at " + first + ")"));
  }

  void find_parents() {
    const int n = int(robot_.links.size());
    parent_.assign(n, -1);
    children_.assign(n, {});
    for (int i = 0; i < n; ++i) {
      const LinkDescription& link = robot_.links[i];
      if (link.parent.empty()) continue;
      const auto found = index_.find(link.parent);
      if (found == index_.end()) {
        std::vector<std::string> names;
        for (const auto& [name, k] : index_) names.push_back(name);
        fail_at(link.source,
                fmt::format("link '{}': its parent '{}' is not a link of robot '{}'{}", link.name,
                            link.parent, robot_.name, did_you_mean(link.parent, names)));
      }
      parent_[i] = found->second;
      children_[found->second].push_back(i);
    }
    reject_cycles();
  }

  // Throws Error if the parents of the links form a loop. Follows the parents from each link until
  // a link is reached that was seen before.
  void reject_cycles() {
    std::vector<int> seen(parent_.size(), -1);
    for (int start = 0; start < int(parent_.size()); ++start) {
      for (int i = start; i >= 0 && seen[i] < 0; i = parent_[i]) {
        seen[i] = start;
        const int p = parent_[i];
        if (p < 0 || seen[p] != start) continue;
        std::string loop = robot_.links[p].name;
        for (int k = parent_[p]; k != p; k = parent_[k]) loop += " -> " + robot_.links[k].name;
        loop += " -> " + robot_.links[p].name;
        fail_at(
            robot_.links[p].source,
            fmt::format("the parents of the links form a loop: {}; a robot must be a tree", loop));
      }
    }
  }

  // Assigns indices in q and v to the moving joints, in the requested order. Without a requested
  // order, uses the order of the links.
  void assign_columns() {
    std::unordered_map<std::string, int> carried;
    for (int i = 0; i < int(robot_.links.size()); ++i)
      if (robot_.links[i].joint.kind != JointKind::fixed)
        carried.emplace(robot_.links[i].joint.name, i);
    std::vector<int> order;
    if (robot_.dof_order.empty()) {
      for (int i = 0; i < int(robot_.links.size()); ++i)
        if (robot_.links[i].joint.kind != JointKind::fixed) order.push_back(i);
    }
    for (const std::string& name : robot_.dof_order) {
      const auto found = carried.find(name);
      if (found == carried.end())
        throw Error(fmt::format("order of joints: '{}' is not a moving joint of robot '{}'", name,
                                robot_.name));
      if (std::find(order.begin(), order.end(), found->second) != order.end())
        throw Error(fmt::format("order of joints of robot '{}': joint '{}' is named twice",
                                robot_.name, name));
      order.push_back(found->second);
    }
    if (order.size() != carried.size())
      throw Error(
          fmt::format("order of joints of robot '{}': it has {} entries for {} moving joints",
                      robot_.name, order.size(), carried.size()));
    joint_entry_.assign(robot_.links.size(), -1);
    for (const int i : order) {
      const JointDescription& joint = robot_.links[i].joint;
      joint_entry_[i] = int(model_.joints.size());
      model_.joints.push_back({prefix_ + joint.name, joint.kind, 0, model_.n_q, model_.n_v,
                               joint.lower, joint.upper, joint.velocity_limit, joint.effort_limit,
                               with_stiffness(joint.spring)});
      model_.n_q += traits(joint.kind).n_q;
      model_.n_v += traits(joint.kind).n_v;
    }
    model_.S_B.resize(model_.n_v);
    model_.armature.resize(model_.n_v);
    model_.damping.resize(model_.n_v);
    model_.drives.resize(model_.n_v);
    model_.coordinate.resize(model_.n_v);
  }

  // Adds the links depth first, children in the order of the description. An explicit stack
  // replaces recursion, because chains may be long.
  void walk() {
    const int n = int(robot_.links.size());
    body_.resize(n);
    X_BL_.resize(n);
    X_RL_.resize(n);
    std::vector<int> stack;
    for (int i = n - 1; i >= 0; --i)
      if (parent_[i] < 0) stack.push_back(i);
    first_frame_ = int(model_.frames.size());
    const int first_link = int(model_.links.size());
    model_.frames.resize(model_.frames.size() + n);
    model_.links.resize(model_.links.size() + n);
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      add_link(i, first_link);
      for (auto child = children_[i].rbegin(); child != children_[i].rend(); ++child)
        stack.push_back(*child);
    }
  }

  // Equations: MR 9.38, 9.41, 9.52.
  void add_link(int i, int first_link) {
    const LinkDescription& link = robot_.links[i];
    const int p = parent_[i];
    const int parent_body = p < 0 ? 0 : body_[p];
    const Pose<double> X_BpP = p < 0 ? X_WR_ : X_BL_[p];  // pose of the parent link in its body
    const Pose<double> X_RP = p < 0 ? Pose<double>::identity() : X_RL_[p];
    const JointFrames at = joint_frames(link, X_RP);
    X_RL_[i] = X_RP * at.X_PJ * at.X_JL;
    if (link.joint.kind == JointKind::fixed) {
      body_[i] = parent_body;
      X_BL_[i] = X_BpP * at.X_PJ * at.X_JL;
    } else {
      body_[i] = add_body(link, joint_entry_[i], parent_body, X_BpP * at.X_PJ);
      X_BL_[i] = at.X_JL;
    }
    if (body_[i] > 0) {
      SpatialInertia<double>& M = model_.inertia_B[body_[i]];
      M = M + transform(X_BL_[i], link.inertia);
    }
    // The origin of the public link frame is that of the described link frame, or the COM
    // (com_frames).
    Pose<double> X_LF = Pose<double>::identity();
    if (robot_.com_frames && link.inertia.m > 0) X_LF.p = (1 / link.inertia.m) * link.inertia.h;
    frame_names_.insert(prefix_ + link.name);
    model_.frames[first_frame_ + i] = {prefix_ + link.name, body_[i], X_BL_[i] * X_LF};
    model_.links[first_link + i] = {prefix_ + link.name,
                                    first_frame_ + i,
                                    p < 0 ? -1 : first_link + p,
                                    link.joint.name.empty() ? "" : prefix_ + link.joint.name,
                                    transform(inverse(X_LF), link.inertia),
                                    link.grouped};
    for (const auto& [X_LV, shape, color] : link.visuals)
      model_.visuals.push_back({first_link + i, inverse(X_LF) * X_LV, shape, color});
    add_colliders(link.collisions, link.name, link.source, prefix_, first_link + i, body_[i],
                  X_BL_[i], model_);
  }

  // Equations: KHALIL 7.23b; MK 6.
  int add_body(const LinkDescription& link, int entry, int parent_body, const Pose<double>& X_PB0) {
    const JointDescription& joint = link.joint;
    const JointTraits& kind = traits(joint.kind);
    const Drive default_drive{.passive = !has_motors_by_default(joint.kind, link.parent.empty())};
    const int body = model_.n_body++;
    Joint& out = model_.joints[entry];
    out.body = body;
    model_.parent.push_back(parent_body);
    model_.q_index.push_back(out.q_index);
    model_.v_index.push_back(out.v_index);
    model_.v_count.push_back(kind.n_v);
    model_.X_PB0.push_back(X_PB0);
    model_.inertia_B.push_back(SpatialInertia<double>::zero());
    for (int k = 0; k < kind.n_v; ++k) {
      Twist<double>& S = model_.S_B[out.v_index + k] = kind.dofs[k].S;
      if (kind.user_pitch) S.v.z = joint.pitch;
      model_.armature[out.v_index + k] = joint.armature.of(k);
      model_.damping[out.v_index + k] = joint.damping.of(k);
      const int of_q = kind.dofs[k].coordinate;
      model_.coordinate[out.v_index + k] = of_q < 0 ? -1 : out.q_index + of_q;
      const Drive& drive = model_.drives[out.v_index + k] =
          joint.drives.empty() ? default_drive : joint.drives[k];
      if (!drive.elasticity) model_.armature[out.v_index + k] += drive.motor.inertia();
    }
    const Twist<double>& S = model_.S_B[out.v_index];
    model_.turn.push_back(kind.maps ? 0 : S.w.z);
    model_.pitch.push_back(kind.maps ? 0 : S.v.z);
    if (kind.maps) model_.mapped.push_back({body, &kind});
    return body;
  }

  void add_user_frames() {
    for (const FrameDescription& frame : robot_.frames) {
      const auto link = index_.find(frame.link);
      if (frame.name.empty()) fail_at(frame.source, "a frame needs a name");
      check_name("frame", frame.name, frame.source);
      if (!is_finite(frame.X_LF))
        fail_at(frame.source,
                fmt::format("frame '{}': its pose has a value that is not a finite number",
                            frame.name));
      if (link == index_.end()) {
        std::vector<std::string> names;
        for (const auto& [name, k] : index_) names.push_back(name);
        fail_at(frame.source, fmt::format("frame '{}': there is no link '{}'{}", frame.name,
                                          frame.link, did_you_mean(frame.link, names)));
      }
      if (!frame_names_.insert(prefix_ + frame.name).second)
        duplicate("links or frame", frame.name, frame.source, "");
      model_.frames.push_back(
          {prefix_ + frame.name, body_[link->second], X_BL_[link->second] * frame.X_LF});
    }
  }

  Model& model_;
  const RobotDescription& robot_;
  Pose<double> X_WR_;
  std::string prefix_;
  std::unordered_set<std::string>& frame_names_;
  Index index_;
  std::vector<int> parent_, body_, joint_entry_;
  std::vector<std::vector<int>> children_;
  // Poses of the link frames in their bodies, and in the robot's base frame at q = 0.
  std::vector<Pose<double>> X_BL_, X_RL_;
  int first_frame_ = 0;
};

}  // namespace

bool has_motors_by_default(JointKind kind, bool at_base) {
  return traits(kind).actuated && !(at_base && traits(kind).n_v >= 3);
}

void ModelBuilder::add(const RobotDescription& robot, const Pose<double>& X_WR) {
  if (!is_finite(X_WR))
    throw Error(fmt::format("robot '{}': its base pose has a value that is not a finite number",
                            robot.name));
  for (const auto& [other, pose] : robots_)
    if (other.name == robot.name)
      throw Error(fmt::format(
          "there are two robots named '{}' in the world; give each its own name", robot.name));
  check_name("robot", robot.name, "");
  if (robot.links.empty()) throw Error(fmt::format("robot '{}' has no links", robot.name));
  robots_.emplace_back(with_rotor_bodies(with_stiffnesses(without_universal_joints(robot))), X_WR);
}

namespace {

using Robots = std::vector<std::pair<RobotDescription, Pose<double>>>;

// The parts of a model that belong to no robot.
struct WorldParts {
  const std::vector<CollisionDescription>& collisions;
  const std::vector<CollisionPairDescription>& pairs;
};

std::shared_ptr<const Model> build_model(const Robots& robots,
                                         const std::vector<ClosureDescription>& closures,
                                         const WorldParts& world) {
  auto model = std::make_shared<Model>();
  model->parent = {-1};
  model->q_index = model->v_index = model->v_count = {0};
  model->X_PB0 = {Pose<double>::identity()};
  model->turn = model->pitch = {0};
  model->inertia_B = {SpatialInertia<double>::zero()};
  std::unordered_set<std::string> names;
  for (const auto& [robot, X_WR] : robots)
    Assembly(*model, robot, X_WR, robots.size() > 1 ? robot.name + "." : "", names).run();
  add_closures(closures, "", *model);
  check_gears(*model);
  if (robots.size() == 1) model->family = robots[0].first.family;
  for (size_t k = 0; k < world.collisions.size(); ++k)
    check_collision("world", world.collisions[k], k + 1, "");
  add_colliders(world.collisions, "world", "", "", -1, 0, Pose<double>::identity(), *model);
  std::vector<PrefixedPair> pairs;
  for (const auto& [robot, X_WR] : robots)
    for (const CollisionPairDescription& pair : robot.collision_pairs)
      pairs.push_back({pair, robots.size() > 1 ? robot.name + "." : ""});
  for (const CollisionPairDescription& pair : world.pairs) pairs.push_back({pair, ""});
  add_collision_pairs(pairs, *model);
  return model;
}

bool has_joint(const ClosureDescription& closure) {
  return closure.joint.has_value();
}

// Removes everything that may name the joint of a closure, and closures without a joint.
Robots only_trees(Robots robots) {
  for (auto& [robot, X_WR] : robots) {
    std::erase_if(robot.closures, std::not_fn(has_joint));
    robot.transmissions.clear();
    for (LinkDescription& link : robot.links) link.joint.mimic.reset();
  }
  return robots;
}

}  // namespace

std::shared_ptr<const Model> ModelBuilder::build() const {
  const WorldParts world{collisions_, collision_pairs_};
  std::vector<ClosureDescription> cut;
  std::ranges::copy_if(closures_, std::back_inserter(cut), has_joint);
  if (cut.empty() && std::ranges::none_of(robots_, [](const auto& each) {
        return std::ranges::any_of(each.first.closures, has_joint);
      }))
    return build_model(robots_, closures_, world);
  Robots robots = robots_;
  std::vector<ClosureDescription> closures = closures_;
  cut_joints(robots, closures, *build_model(only_trees(robots_), cut, world));
  return build_model(robots, closures, world);
}

std::shared_ptr<const Model> build(const RobotDescription& robot) {
  ModelBuilder builder;
  builder.add(robot);
  return builder.build();
}

}  // namespace torsor
