#pragma once
// Arms with elastic joints.

#include "simulation/robots.hpp"

namespace torsor::test {

// Links in the x-y plane with a COM on the link, relative angles from +x, as in the table's model.
inline RobotDescription planar(const Json& model) {
  RobotDescription robot;
  robot.name = "planar";
  for (size_t i = 0; i < model["m"].size(); ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i + 1);
    link.parent = i == 0 ? "" : robot.links.back().name;
    link.joint.name = "joint" + std::to_string(i + 1);
    link.joint.kind = JointKind::revolute;
    link.joint.placement =
        ScrewPlacement{.X_PL = translation<double>({i == 0 ? 0.0 : model["l"][i - 1].get<double>(), 0, 0}),
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

}  // namespace torsor::test
