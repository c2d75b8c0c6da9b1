#include "support/closed_mechanism.hpp"

#include <map>
#include <numbers>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {

namespace {

LinkDescription described_link(const Json& joint, const Json& body) {
  LinkDescription out;
  out.name = joint["child"];
  out.parent = joint["parent"] == "ground" ? "" : joint["parent"];
  const Json axis = joint.value("axis", Json::array({0, 0, 1}));
  out.joint = {.name = joint["name"],
               .kind = *joint_kind(joint["type"].get<std::string>()),
               .placement = ScrewPlacement{Pose<double>::identity(), vec3(axis),
                                           vec3(joint["point"]), true}};
  const Matrix I = matrix(body["inertia"]);
  out.inertia = inertia_about_com(body["mass"], vec3(body["com"]),
                                  {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
  return out;
}

void add_described_closure(const Json& joint, RobotDescription& robot) {
  ClosureDescription out;
  out.name = joint["name"];
  out.kind = *closure_kind(joint["type"].get<std::string>());
  const Json axis = joint.value("axis", Json::array({0, 0, 1}));
  const char* sides[] = {"parent", "child"};
  for (int k : {0, 1}) {
    const std::string body = joint[sides[k]];
    const std::string frame = out.name + "_" + sides[k];
    out.axes[k] = vec3(axis);
    if (body == "ground") {
      LinkDescription ground;
      ground.name = body;
      robot.links.push_back(ground);
    }
    robot.frames.push_back({frame, body, translation(vec3(joint["point"])), ""});
    out.frames[k] = frame;
  }
  robot.closures.push_back(out);
}

}  // namespace

Vec3<double> vec3(const Json& list) {
  return {list[0], list[1], list[2]};
}

RobotDescription described_mechanism(const std::string& name, const Json& table) {
  RobotDescription robot;
  robot.name = name;
  std::map<std::string, const Json*> bodies;
  for (const Json& body : table["model"]["bodies"]) bodies[body["name"]] = &body;
  for (const Json& joint : table["model"]["joints"])
    if (joint["role"] == "tree")
      robot.links.push_back(described_link(joint, *bodies.at(joint["child"])));
    else
      add_described_closure(joint, robot);
  return robot;
}

ClosedState random_closed_tree(uint64_t seed) {
  Random random(seed);
  Model model = *build(random_robot(8, Shape::tree, seed, Kinds::every));
  ClosedState out;
  out.q = random_position(random, model, 1);
  std::vector<int> single;
  for (int dof = 0; dof < model.n_v; ++dof)
    if (traits(model.joint_of_dof(dof).kind).n_v == 1) single.push_back(dof);
  const auto at = [&](int dof) { return out.q[size_t(model.coordinate[size_t(dof)])]; };
  if (single.size() > 1) {
    model.mimics.push_back({single[1], single[0], 0.7, at(single[1]) - 0.7 * at(single[0])});
  }
  State state(std::make_shared<const Model>(model));
  state.set_q(out.q);
  const std::vector<Pose<double>> X_WB = world_poses(state);
  const std::vector<std::string> kinds = closure_kind_names();
  for (const uint64_t number : {seed, seed + 4}) {
    const ClosureKind kind = *closure_kind(kinds[number % kinds.size()]);
    const std::string name = "closure" + std::to_string(model.closures.size());
    if (traits(kind).is_linear()) {
      const size_t other = 2 + model.closures.size();
      if (single.size() <= other) continue;
      const Pose<double> none = Pose<double>::identity();
      const int p = single[0], r = single[other];
      model.closures.push_back(
          {name, kind, 0, 0, none, none, at(p) - 0.6 * at(r), "", {{p, 1}, {r, -0.6}}});
      continue;
    }
    const int b = 1 + random.below(model.n_body - 1), a = random.below(b);
    const Pose<double> X_BA = random.pose(1);
    Pose<double> X_AB = Pose<double>::identity();
    if (kind == ClosureKind::universal) X_AB.R = exp_so3(Vec3<double>{std::numbers::pi / 2, 0, 0});
    if (kind == ClosureKind::distance) X_AB.p = {0.3, 0.4, 0.5};
    const double parameter = kind == ClosureKind::distance ? norm(X_AB.p) : 0.2;
    const Pose<double> X_BB = inverse(X_WB[size_t(b)]) * (X_WB[size_t(a)] * (X_BA * X_AB));
    model.closures.push_back({name, kind, a, b, X_BA, X_BB, parameter});
  }
  out.model = std::make_shared<const Model>(model);
  return out;
}

}  // namespace torsor::test
