#pragma once
// Functions for tests of force plugins: forces, free bodies and simulations.

#include "simulation/robots.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {

inline const Registry& plugin_registry() {
  static const Registry registry({TORSOR_PLUGIN_DIR});
  return registry;
}
inline std::shared_ptr<const Force> force(const std::string& id,
                                          const std::shared_ptr<const Model>& model,
                                          const std::vector<Parameter>& parameters) {
  return plugin_registry().make<Force>(id, model, parameters);
}
inline std::vector<FramePlace> frames(std::initializer_list<std::string> names) {
  std::vector<FramePlace> out;
  for (const std::string& name : names) out.push_back({name});
  return out;
}

// Returns solid spheres of 1 kg with the radius r, each on its own floating joint.
inline RobotDescription free_balls(const std::vector<std::string>& names, double r) {
  RobotDescription robot;
  robot.name = "balls";
  for (const std::string& name : names) {
    LinkDescription link;
    link.name = name;
    link.joint.name = name + "_free";
    link.joint.kind = JointKind::floating;
    const double I = 0.4 * r * r;
    link.inertia = inertia_about_com(1, {0, 0, 0}, {I, I, I, 0, 0, 0});
    robot.links.push_back(link);
  }
  return robot;
}

// Returns a body of 1 kg that moves along x and z without rotation.
inline RobotDescription block() {
  LinkDescription carriage, block;
  carriage.name = "carriage";
  carriage.joint.name = "x";
  carriage.joint.kind = JointKind::prismatic;
  carriage.joint.placement = ScrewPlacement{.axis = {1, 0, 0}};
  block.name = "block";
  block.parent = "carriage";
  block.joint.name = "z";
  block.joint.kind = JointKind::prismatic;
  block.joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  block.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  RobotDescription robot;
  robot.name = "block";
  robot.links = {carriage, block};
  return robot;
}

// Returns a simulation with forces. It uses an adaptive method with small tolerances. Its internal
// steps are at most 1 ms, so that it misses no contact.
inline Simulation with_forces(std::shared_ptr<const Model> model,
                              std::vector<std::shared_ptr<const Force>> forces, double dt = 0.01,
                              Vec3<double> gravity_W = {0, 0, -g}) {
  Simulation s(std::move(model), solver_factory(), Integrator::dormand_prince, dt,
               {1e-12, 1e-13, 1e-3});
  s.set_gravity(gravity_W);
  Load load;
  load.forces = std::move(forces);
  s.set_load(load);
  return s;
}
inline void run_to(Simulation& s, double t) {
  while (s.time() < t - 1e-9) s.step();
}

}  // namespace torsor::test
