#pragma once
// Runs of bodies with contacts in time stepping.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "simulation/contact_bodies.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::test {

inline void add_capsule(RobotDescription& robot, const std::string& name, double mass,
                        double radius, double half_length, const ContactMaterial& material) {
  const double a = mass * (radius * radius / 4 + half_length * half_length / 3),
               c = mass * radius * radius / 2;
  add_body(robot, name, mass, {a, a, c, 0, 0, 0}, {ShapeKind::capsule, {radius, 0, half_length}},
           material);
}

inline Simulation started(std::shared_ptr<const Model> model, double dt, std::vector<double> q,
                          std::vector<double> v, const Vec3<double>& gravity = {0, 0, -9.81}) {
  Simulation run(std::move(model), solver_factory(), Integrator::time_stepping, dt);
  run.set_gravity(gravity);
  run.set_state(q, v);
  return run;
}

// Returns a box of 2 kg at rest on a plane. Gravity has the direction that it has on an incline.
inline Simulation block_in_steps(double angle, const ContactMaterial& material) {
  RobotDescription robot;
  robot.name = "block";
  add_box(robot, "box", 2, {0.4, 0.4, 0.2}, material);
  return started(on_plane(robot, {.mu = material.mu}), 1e-3, {0, 0, 0.1, 1, 0, 0, 0},
                 std::vector<double>(6, 0.0), {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)});
}

// Expects that no coordinate changes by more than the tolerance during each of the steps.
inline void expect_no_creep(Simulation& run, int steps, double tolerance) {
  const std::vector<double> q(run.state().q().begin(), run.state().q().end());
  for (int k = 0; k < steps; ++k) run.step();
  for (size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(run.state().q()[k], q[k], tolerance);
}

// Computes the errors at four steps, the longest one first, each a quarter of the one before.
// Their mean slope over the step is the order. The error of an impact depends on where it is in a
// step, so that each error is the mean over three steps of nearly the same size.
inline void expect_order_one(double longest, const std::function<double(double dt)>& error) {
  std::vector<double> errors;
  std::string shown;
  for (int k = 0; k < 4; ++k) {
    const double dt = longest / (1 << 2 * k);
    double sum = 0;
    for (const double factor : {1.0, 0.94, 1.05}) sum += error(factor * dt);
    errors.push_back(sum / 3);
    shown += fmt::format(" {:.2e}", errors.back());
  }
  // The slope of the line through (2 k, -log2 error_k), k = -3/2, -1/2, 1/2, 3/2.
  double order = 0;
  for (int k = 0; k < 4; ++k) order += (1.5 - k) * std::log2(errors[size_t(k)]) / 10;
  testing::Test::RecordProperty("errors", shown);
  EXPECT_GT(order, 0.9) << "errors" << shown;
  EXPECT_LT(errors[3], errors[0]) << "errors" << shown;
}

// Returns a capsule that two jaws hold. They press with 20 N each.
inline Simulation pinched_capsule() {
  const ContactMaterial material{.mu = 0.6};
  RobotDescription robot;
  robot.name = "r";
  for (const double side : {-1.0, 1.0}) {
    LinkDescription jaw;
    jaw.name = side < 0 ? "left" : "right";
    jaw.joint.name = jaw.name + "_slide";
    jaw.joint.kind = JointKind::prismatic;
    jaw.joint.placement = ScrewPlacement{.axis = {-side, 0, 0}};
    jaw.inertia = inertia_about_com(0.2, {0, 0, 0}, {1e-4, 1e-4, 1e-4, 0, 0, 0});
    jaw.collisions = {{.X_LC = translation<double>({0.055 * side, 0, 0}),
                       .shape = {ShapeKind::box, {0.005, 0.03, 0.03}},
                       .material = material}};
    robot.links.push_back(jaw);
  }
  add_capsule(robot, "capsule", 0.1, 0.05, 0.02, material);
  ModelBuilder builder;
  builder.add(robot);
  Simulation run(builder.build(), solver_factory(), Integrator::time_stepping, 1e-3);
  Load load;
  load.tau = {20, 20, 0, 0, 0, 0, 0, 0};
  run.set_load(load);
  run.set_state(std::vector<double>{0, 0, 0, 0, 0, 1.0, 0, 0, 0}, std::vector<double>(8, 0.0));
  return run;
}

}  // namespace torsor::test
