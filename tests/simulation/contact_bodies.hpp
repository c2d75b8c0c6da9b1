#pragma once
// Free bodies on a plane, as in the tables of tests/reference/contact.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "support/closed_mechanism.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {

inline Json contact_table(const std::string& name) {
  return stored_table("contact/" + name + ".json");
}

// Adds a free body with a collider at its centre of mass.
inline void add_body(RobotDescription& robot, const std::string& name, double mass,
                     const Sym3<double>& I, const CollisionShape& shape,
                     const ContactMaterial& material) {
  LinkDescription link;
  link.name = name;
  link.joint.name = name + "_free";
  link.joint.kind = JointKind::floating;
  link.inertia = inertia_about_com(mass, {0, 0, 0}, I);
  link.collisions = {{.shape = shape, .material = material}};
  robot.links.push_back(link);
}
inline void add_box(RobotDescription& robot, const std::string& name, double mass,
                    const Vec3<double>& size, const ContactMaterial& material) {
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, k = mass / 12;
  add_body(robot, name, mass, {k * (y + z), k * (x + z), k * (x + y), 0, 0, 0},
           {ShapeKind::box, 0.5 * size}, material);
}
inline void add_ball(RobotDescription& robot, const std::string& name, double mass, double radius,
                     const ContactMaterial& material) {
  const double I = 0.4 * mass * radius * radius;
  add_body(robot, name, mass, {I, I, I, 0, 0, 0}, {ShapeKind::sphere, {radius, 0, 0}}, material);
}

// A world with the plane z = 0 in the frame X, and bodies.
inline std::shared_ptr<const Model> on_plane(const RobotDescription& robot,
                                             const ContactMaterial& material,
                                             const Pose<double>& X = Pose<double>::identity()) {
  ModelBuilder builder;
  builder.add(robot);
  builder.add(CollisionDescription{
      .name = "floor", .X_LC = X, .shape = {ShapeKind::half_space}, .material = material});
  return builder.build();
}

// A model with the state from which it starts.
struct ContactScene {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v;
  Vec3<double> gravity{0, 0, -9.81};
  Load load = {};
};
inline Simulation begin(const ContactScene& scene, Integrator integrator, double dt) {
  Simulation run(scene.model, solver_factory(), integrator, dt, {.rtol = 1e-11, .atol = 1e-13});
  run.set_gravity(scene.gravity);
  run.begin(scene.load, scene.q, scene.v);
  return run;
}
// Runs to a time, in equal steps of at most dt.
inline Simulation run_to(const ContactScene& scene, Integrator integrator, double t, double dt) {
  const double steps = std::max(1.0, std::ceil(t / dt));
  Simulation run = begin(scene, integrator, t / steps);
  for (int k = 0; k < int(steps); ++k) run.step();
  return run;
}

inline Twist<double> link_twist(const Simulation& run, const std::string& link) {
  return frame_twist(run.state(), run.model().frames[size_t(run.model().frame(link))], Axes::world);
}
// Returns the sum of the forces of the world on bodies.
inline Vec3<double> force_of_world(Simulation& run) {
  Vec3<double> sum{0, 0, 0};
  for (const ContactForce& each : run.contact_forces()) {
    if (run.model().colliders[size_t(each.a)].body == 0) sum = sum + each.f_W;
    if (run.model().colliders[size_t(each.b)].body == 0) sum = sum - each.f_W;
  }
  return sum;
}

constexpr double located = 1e-8;  // the required accuracy of located contacts, m, s, rad, N s

inline std::string integrator_of(const testing::TestParamInfo<Integrator>& info) {
  return name(info.param);
}

}  // namespace torsor::test
