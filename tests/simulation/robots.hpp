#pragma once
// Robots and experiments of the simulation tests.

#include "support/known_robots.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::test {

inline constexpr double g = 9.81;

inline SolverSource solver_source() {
  static const Registry registry({TORSOR_PLUGIN_DIR});
  return [](const std::string& id, std::shared_ptr<const Model> model) {
    return registry.solver(id, std::move(model));
  };
}
// Returns the experiment with solvers of the shipped plugins, or of another source.
inline Experiment with_solvers(Experiment experiment, SolverSource source = solver_source()) {
  experiment.make_solver = std::move(source);
  return experiment;
}
inline SolverFactory solver_factory(const std::string& id = "articulated_body") {
  return [id](std::shared_ptr<const Model> model) { return solver_source()(id, std::move(model)); };
}

inline std::vector<Integrator> every_integrator() {
  std::vector<Integrator> all;
  for (const std::string& name : integrator_names()) all.push_back(integrator(name).value());
  return all;
}

// Returns the integrators that have a limit of stability: those with a fixed step that solve no
// equations.
inline std::vector<Integrator> explicit_integrators() {
  std::vector<Integrator> out = every_integrator();
  std::erase_if(out, [](Integrator each) { return traits(each).stability_limit == 0; });
  return out;
}

// Returns a point mass of 1 kg on a rod of 1 m that rotates about z. The angle is from +x. If
// gravity is along -y, vdot = tau - D v - g cos q.
inline RobotDescription pendulum(double damping = 0) {
  RobotDescription robot = planar_n_link(Vector::Ones(1), Vector::Ones(1));
  robot.links[0].joint.damping = damping;
  return robot;
}

// Returns a mass of 1 kg on a rail along x: vdot = tau - D v.
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

// Returns an arm with every kind of state. Its first link is elastic, with bristles in the friction
// of the motor. The second has static friction and a stop.
inline std::shared_ptr<const Model> sticking_arm(double stiffness = 500) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  Drive& first = robot.links[0].joint.drives.emplace_back();
  first.elasticity = Elasticity{.stiffness = stiffness, .cubic = 10, .damping = 2};
  first.motor = {.rotor_inertia = 1e-3, .gear_ratio = 10, .friction = {}};
  first.motor.friction.law = Friction::Law::lugre;
  first.motor.friction.coulomb = first.motor.friction.breakaway = 0.5;
  first.motor.friction.bristle_stiffness = 50;
  first.motor.friction.bristle_damping = 1;
  Drive& second = robot.links[1].joint.drives.emplace_back();
  second.friction = {
      .law = Friction::Law::stribeck, .viscous = 0.1, .coulomb = 1, .breakaway = 2, .decay = 5};
  second.stop = Stop{0.3};
  robot.links[1].joint.lower = -0.2;
  robot.links[1].joint.upper = 0.4;
  return build(robot);
}

// Returns an experiment of the two links of "arm", which swing with damping and constant torques.
inline Experiment swing(const std::vector<std::string>& compare = {}) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.name = "arm";
  robot.links[1].joint.damping = 0.3;
  Experiment experiment;
  experiment.model = build(robot);
  experiment.q = {0.5, 0.2};
  experiment.v = {0, 1};
  experiment.gravity_W = {0, -g, 0};
  experiment.load.tau = {1, 2};
  experiment.compare = compare;
  return experiment;
}

}  // namespace torsor::test
