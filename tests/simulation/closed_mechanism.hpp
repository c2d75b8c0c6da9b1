#pragma once
// Mechanisms with closed loops from tests/reference/constraints.

#include <map>

#include "simulation/robots.hpp"

namespace torsor::test {

inline Vec3<double> vec3(const Json& list) {
  return {list[0], list[1], list[2]};
}

// A mechanism of tests/reference/constraints. The frames of its links are the axes of the world in
// the position q = 0.
struct ClosedMechanism {
  std::shared_ptr<const Model> model;
  Json table;

  explicit ClosedMechanism(const std::string& name)
      : table(stored_table("constraints/" + name + ".json")) {
    RobotDescription robot;
    robot.name = name;
    std::map<std::string, const Json*> bodies;
    for (const Json& body : table["model"]["bodies"]) bodies[body["name"]] = &body;
    for (const Json& joint : table["model"]["joints"])
      if (joint["role"] == "tree")
        robot.links.push_back(link(joint, *bodies.at(joint["child"])));
      else
        add_closure(joint, robot);
    model = build(robot);
  }

  Simulation start(Integrator integrator, double dt, const Tolerances& tolerances = {}) const {
    Simulation out(model, solver_factory(), integrator, dt, tolerances);
    out.set_gravity(vec3(table["model"]["gravity"]));
    Load load;
    load.tau.assign(size_t(model->n_v), 0.0);
    for (const Json& each : table["model"].value("loads", Json::array()))
      load.tau[size_t(dof(each["joint"]))] = each["value"];
    out.set_load(load);
    out.set_state(neutral(*model), std::vector<double>(size_t(model->n_v), 0.0));
    return out;
  }
  bool has_closure(const std::string& joint) const {
    return std::ranges::count(model->closures, joint, &Closure::name) > 0;
  }
  int dof(const std::string& joint) const {
    return model->joints[size_t(model->joint(joint))].v_index;
  }

 private:
  static LinkDescription link(const Json& joint, const Json& body) {
    LinkDescription out;
    out.name = joint["child"];
    out.parent = joint["parent"] == "ground" ? "" : joint["parent"];
    const Json axis = joint.value("axis", Json::array({0, 0, 1}));
    out.joint = {.name = joint["name"],
                 .kind = *joint_kind(joint["type"].get<std::string>()),
                 .placement = ScrewPlacement{Pose<double>::identity(), vec3(axis),
                                             vec3(joint["point"]), true}};
    const Matrix I = matrix(body["inertia"]);
    const Vec3<double> com = vec3(body["com"]);
    out.inertia = inertia_about_com(body["mass"], com,
                                    {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
    return out;
  }
  static void add_closure(const Json& joint, RobotDescription& robot) {
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
};

}  // namespace torsor::test
