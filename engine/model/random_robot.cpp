#include "torsor/model/random_robot.hpp"

#include <numeric>
#include <utility>

namespace torsor {

namespace {

using Placement = decltype(JointDescription::placement);

Placement random_placement(Random& random) {
  const auto angle = [&] { return random.uniform(-M_PI, M_PI); };
  const auto offset = [&] { return random.uniform(-0.5, 0.5); };
  switch (random.below(4)) {
    case 0:
      return StandardDh{.a = offset(), .alpha = angle(), .d = offset(), .theta = angle()};
    case 1:
      return ModifiedDh{.alpha = angle(),
                        .d = offset(),
                        .theta = angle(),
                        .r = offset(),
                        .gamma = angle(),
                        .b = offset()};
    default: {
      const bool at_home = random.below(2) == 0;
      const Vec3<double> direction = random.direction();
      const Vec3<double> axis = random.uniform(0.5, 2) * direction;
      return ScrewPlacement{
          .X_PL = random.pose(0.5), .axis = axis, .point = random.vector(0.5), .at_home = at_home};
    }
  }
}

// Returns a placement for a joint without an axis. A floating joint has no point either.
ScrewPlacement random_placement(Random& random, const JointTraits& kind) {
  ScrewPlacement screw{.X_PL = random.pose(0.5), .at_home = random.below(2) == 0};
  if (kind.n_v < 6) screw.point = random.vector(0.5);
  return screw;
}

LinkDescription random_link(Random& random, const std::string& name, const std::string& parent) {
  const double size = std::pow(10, random.uniform(-1.5, -0.5));
  LinkDescription link;
  link.name = name;
  link.parent = parent;
  link.joint.placement = random_placement(random);
  link.inertia = random_inertia(random, size, 1e4 * size * size * size);
  return link;
}

JointKind random_moving_kind(Random& random, const std::vector<JointKind>& kinds) {
  while (true) {
    const JointKind kind = kinds[size_t(random.below(int(kinds.size())))];
    if (traits(kind).n_v > 0) return kind;
  }
}

template <class T>
void shuffle(Random& random, std::vector<T>& list) {
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[size_t(random.below(int(i)))]);
}

}  // namespace

// Positive principal second moments s_k of the density result in principal inertias s_j + s_k,
// which satisfy the triangle inequality.
SpatialInertia<double> random_inertia(Random& random, double size, double mass) {
  const auto second_moment = [&] { return mass * std::pow(size * random.uniform(0.2, 1), 2); };
  const double a = second_moment(), b = second_moment(), c = second_moment();
  return inertia_about_com(mass, random.vector(2 * size),
                           rotate(random.rotation(), Sym3<double>{b + c, a + c, a + b, 0, 0, 0}));
}

RobotDescription random_robot(int n_moving, TreeShape shape, uint64_t seed, RandomKinds among) {
  std::vector<JointKind> kinds;
  for (const std::string& name : joint_kind_names())
    if (const JointKind kind = *joint_kind(name);
        among == RandomKinds::every || traits(kind).n_v <= 1)
      kinds.push_back(kind);
  return random_robot(n_moving, shape, seed, kinds);
}

RobotDescription random_robot(int n_moving, TreeShape shape, uint64_t seed,
                              const std::vector<JointKind>& kinds) {
  Random random(seed);
  RobotDescription robot;
  robot.name = "random";
  std::string parent;  // the parent of the first link is the world
  for (int i = 0; i < n_moving; ++i) {
    if (shape == TreeShape::tree && i > 0)
      parent = robot.links[size_t(random.below(int(robot.links.size())))].name;
    if (random.below(3) == 0) {
      const std::string name = "bracket" + std::to_string(i);
      robot.links.push_back(random_link(random, name, parent));
      parent = name;
    }
    LinkDescription link = random_link(random, "link" + std::to_string(i), parent);
    link.joint.name = "joint" + std::to_string(i);
    link.joint.kind = random_moving_kind(random, kinds);
    if (const JointTraits& kind = traits(link.joint.kind); !kind.axis)
      link.joint.placement = random_placement(random, kind);
    const double pitch = random.uniform(-0.3, 0.3);
    if (traits(link.joint.kind).user_pitch) link.joint.pitch = pitch;
    if (traits(link.joint.kind).actuated && random.below(2) == 0)
      link.joint.armature = random.uniform(0, 0.1);
    if (!has_motors_by_default(link.joint.kind, true))  // motors, even at the base
      link.joint.drives.assign(size_t(traits(link.joint.kind).n_v), Drive{});
    parent = link.name;
    robot.dof_order.push_back(link.joint.name);
    robot.links.push_back(link);
  }
  shuffle(random, robot.links);
  shuffle(random, robot.dof_order);
  return robot;
}

RobotDescription random_planar_chain(int n, uint64_t seed) {
  Random random(seed);
  RobotDescription robot;
  robot.name = "planar";
  robot.family = "planar_n_link";
  Pose<double> X_PL = random.pose(0.5);
  for (int i = 0; i < n; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    if (i > 0) link.parent = robot.links.back().name;
    link.joint.name = "joint" + std::to_string(i);
    link.joint.kind = JointKind::revolute;
    link.joint.placement = ScrewPlacement{.X_PL = X_PL};
    if (random.below(2) == 0) link.joint.armature = random.uniform(0, 0.1);
    const double length = random.uniform(0.1, 1), angle = random.uniform(-M_PI, M_PI);
    const Vec3<double> end{length * std::cos(angle), length * std::sin(angle), 0};
    link.inertia = inertia_about_com(random.uniform(0.1, 2), end, {0, 0, 0, 0, 0, 0});
    X_PL = {exp_so3(Vec3<double>{0, 0, random.uniform(-M_PI, M_PI)}), end};
    robot.dof_order.push_back(link.joint.name);
    robot.links.push_back(link);
  }
  shuffle(random, robot.links);
  shuffle(random, robot.dof_order);
  return robot;
}

std::vector<double> random_values(Random& random, int n, double size) {
  std::vector<double> out(static_cast<size_t>(n));
  for (double& x : out) x = random.uniform(-size, size);
  return out;
}

std::vector<double> random_position(Random& random, const Model& model, double size) {
  const std::vector<double> d = random_values(random, model.n_v, size);
  std::vector<double> q = neutral(model);
  integrate(model, q.data(), d.data(), 1, q.data());
  return q;
}

}  // namespace torsor
