#pragma once
// Planar chains for the planning tests.

#include "support/known_robots.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/planning/step_dynamics.hpp"

namespace torsor::test {

inline Vector to_vector(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size()));
}

inline const Registry& planning_registry() {
  static const Registry registry({TORSOR_PLUGIN_DIR});
  return registry;
}

// Returns a chain of n equal links with a total length of 1 m and a total mass of 1 kg.
inline RobotDescription equal_links(int n, double damping = 0) {
  RobotDescription robot =
      planar_n_link(Vector::Constant(n, 1.0 / n), Vector::Constant(n, 1.0 / n));
  for (LinkDescription& link : robot.links) link.joint.damping = damping;
  return robot;
}

// The id of a solver that supports every tree.
inline const std::string general_solver = "newton_euler";

inline SolverFactory solvers(const std::string& id) {
  return [id](std::shared_ptr<const Model> model) {
    return planning_registry().solver(id, std::move(model));
  };
}

// The dynamics of a chain in explicit Euler steps of dt, with gravity along -y.
struct SteppedChain {
  SteppedChain(const RobotDescription& robot, double dt, double gravity = 9.81)
      : model(build(robot)),
        dynamics(solvers("planar_lagrange"), model, {0, -gravity, 0}, {.dt = dt}) {}
  SteppedChain(const SteppedChain&) = delete;

  std::shared_ptr<const Model> model;
  StepDynamics dynamics;
};

inline Matrix ones_below(Eigen::Index n) {
  return Matrix::Ones(n, n).triangularView<Eigen::Lower>();
}

}  // namespace torsor::test
