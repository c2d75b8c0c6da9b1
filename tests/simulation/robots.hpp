#pragma once
// What the simulation tests swing.

#include "support/known_robots.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/simulation/run_comparison.hpp"

namespace torsor::test {

inline constexpr double g = 9.81;

inline SolverSource solver_source() {
  static const Registry registry({TORSOR_PLUGIN_DIR});
  return [](const std::string& id, std::shared_ptr<const Model> model) {
    return registry.solver(id, std::move(model));
  };
}
inline Simulation::SolverFactory solver_factory(const std::string& id = "articulated_body") {
  return [id](std::shared_ptr<const Model> model) { return solver_source()(id, std::move(model)); };
}

// A point mass of 1 kg on a rod of 1 m that turns about z, angle from +x: vdot = tau - D v - g cos q, with
// gravity along -y.
inline RobotDescription pendulum(double damping = 0) {
  RobotDescription robot = planar_n_link(Vector::Ones(1), Vector::Ones(1));
  robot.links[0].joint.damping = damping;
  return robot;
}

// A mass of 1 kg on a rail along x: vdot = tau - D v.
inline RobotDescription slider(double damping = 0) {
  LinkDescription link;
  link.name = "cart";
  link.joint.name = "rail";
  link.joint.kind = JointKind::prismatic;
  link.joint.placement = ScrewPlacement{.axis = {1, 0, 0}};
  link.joint.damping = damping;
  link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  RobotDescription robot;
  robot.name = "slider";
  robot.links = {link};
  return robot;
}

}  // namespace torsor::test
