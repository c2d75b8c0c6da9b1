// consumer PREFIX HINGE_PLUGIN SCENE: tests an installed engine with a physical pendulum, tau =
// (I_c + m l^2) vdot + m g l sin q. It calls solvers, kinematics, a simulation and a scene.

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "torsor/host/registry.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/simulation/simulation.hpp"

namespace {

constexpr double m = 2, l = 0.7, inertia_com = 0.1, g = 9.81;
constexpr double inertia_hinge = inertia_com + m * l * l;
int failures = 0;

void expect_near(const char* what, double actual, double expected, double tolerance) {
  if (std::abs(actual - expected) <= tolerance) return;
  std::printf("%s: %.17g instead of %.17g\n", what, actual, expected);
  ++failures;
}

torsor::RobotDescription pendulum() {
  torsor::LinkDescription link;
  link.name = "bob";
  link.joint.name = "hinge";
  link.joint.kind = torsor::JointKind::revolute;
  link.joint.placement = torsor::ScrewPlacement{.axis = {0, 1, 0}};
  link.inertia =
      torsor::inertia_about_com(m, {0, 0, -l}, {inertia_com, inertia_com, inertia_com, 0, 0, 0});
  torsor::RobotDescription robot;
  robot.name = "pendulum";
  robot.links = {link};
  return robot;
}

void check_solver(torsor::Solver solver, const std::shared_ptr<const torsor::Model>& model) {
  const double q = 0.8, v = 1.3, vdot = -2.1;
  torsor::State state(model);
  state.set_q(std::span(&q, 1));
  state.v = {v};
  double tau = 0, back = 0;
  if (!solver.inverse(state, &vdot, &tau) || !solver.forward(state, &tau, &back)) ++failures;
  expect_near("torque", tau, inertia_hinge * vdot + m * g * l * std::sin(q), 1e-12);
  expect_near("acceleration", back, vdot, 1e-12);
}

// Checks an Eigen matrix that the engine allocates and this program frees.
void check_jacobian(const std::shared_ptr<const torsor::Model>& model) {
  const torsor::State state(model);
  const Eigen::MatrixXd J =
      torsor::frame_jacobian(state, model->frames[size_t(model->frame("bob"))]);
  expect_near("Jacobian", J(1, 0), 1, 1e-15);
}

void check_simulation(const torsor::Registry& registry,
                      const std::shared_ptr<const torsor::Model>& model) {
  const auto make = [&](std::shared_ptr<const torsor::Model> m) {
    return registry.solver("articulated_body", std::move(m));
  };
  torsor::Simulation simulation(model, make, torsor::Integrator::rk4, 1e-3);
  const double q = 0.8, v = 0;
  simulation.set_state(std::span(&q, 1), std::span(&v, 1));
  const double before = simulation.energy().sum();
  for (int i = 0; i < 1000; ++i) simulation.step();
  expect_near("energy", simulation.energy().sum(), before, 1e-9);
}

}  // namespace

int main(int, char** argv) {
  const std::filesystem::path prefix = argv[1], plugin = argv[2], scene = argv[3];
  try {
    const torsor::Registry registry({plugin, prefix / "lib/torsor/plugins"});
    const auto model = torsor::build(pendulum());
    for (const char* id : {"hinge", "newton_euler", "articulated_body"})
      check_solver(registry.solver(id, model), model);
    check_jacobian(model);
    check_simulation(registry, model);
    torsor::Script script({.scripts = prefix / "share/torsor/scripts"});
    expect_near("columns of the scene's model", script.load_scene(scene).model->n_v, 7, 0);
  } catch (const torsor::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return failures != 0;
}
