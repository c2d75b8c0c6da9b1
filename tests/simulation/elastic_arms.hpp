#pragma once
// Arms with elastic joints.

#include "simulation/robots.hpp"

namespace torsor::test {

// Returns a rigid planar arm from the model of a table. The links are in the x-y plane, with the
// COM on the line of the link. Joint angles are relative, and the first one is from +x.
inline RobotDescription planar(const Json& model) {
  RobotDescription robot;
  robot.name = "planar";
  for (size_t i = 0; i < model["m"].size(); ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i + 1);
    link.parent = i == 0 ? "" : robot.links.back().name;
    link.joint.name = "joint" + std::to_string(i + 1);
    link.joint.kind = JointKind::revolute;
    link.joint.placement = ScrewPlacement{
        .X_PL = translation<double>({i == 0 ? 0.0 : model["l"][i - 1].get<double>(), 0, 0}),
        .axis = {0, 0, 1}};
    const double I = model["Izz_com"][i];
    link.inertia = inertia_about_com(model["m"][i], {model["com"][i], 0, 0}, {I, I, I, 0, 0, 0});
    robot.links.push_back(link);
  }
  return robot;
}

inline Drive elastic_drive(double k, double Ia, double Fvm) {
  Drive drive;
  drive.elasticity = Elasticity{.stiffness = k};
  drive.motor.rotor_inertia = Ia;
  if (Fvm > 0) drive.motor.friction = {.law = Friction::Law::coulomb, .viscous = Fvm};
  return drive;
}

// Returns the arm of a table with its springs and motors.
inline RobotDescription planar_of(const Json& table) {
  RobotDescription robot = planar(table["model"]);
  for (size_t i = 0; i < robot.links.size(); ++i)
    robot.links[i].joint.drives = {elastic_drive(table["k"][i], table["Ia"][i], 0)};
  return robot;
}

// Returns a rotating column that carries an elastic arm with a nonlinear spring, and a rigid
// prismatic joint. Joints and motors have dampers.
inline std::shared_ptr<const Model> mixed_tree() {
  RobotDescription robot;
  robot.name = "tree";
  const auto add = [&](const char* name, const char* parent, JointKind kind,
                       const Vec3<double>& axis, const Vec3<double>& at) -> JointDescription& {
    LinkDescription link;
    link.name = name;
    link.parent = parent;
    link.joint.name = std::string(name) + "_joint";
    link.joint.kind = kind;
    link.joint.placement = ScrewPlacement{.X_PL = translation<double>(at), .axis = axis};
    link.joint.damping = 0.3;
    link.inertia = inertia_about_com(2, {0.2, 0.1, 0.05}, {0.05, 0.06, 0.07, 0.01, 0, 0});
    robot.links.push_back(link);
    return robot.links.back().joint;
  };
  add("column", "", JointKind::revolute, {0, 0, 1}, {0, 0, 0}).drives = {
      elastic_drive(900, 0.2, 0.1)};
  add("arm", "column", JointKind::revolute, {0, 1, 0}, {0.3, 0, 0.4}).drives = {
      elastic_drive(400, 0.1, 0.2)};
  add("slide", "column", JointKind::prismatic, {1, 0, 0.5}, {-0.2, 0, 0.3});
  robot.links[1].joint.drives[0].elasticity->cubic = 5e4;
  return build(robot);
}

}  // namespace torsor::test
