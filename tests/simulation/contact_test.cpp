// Tests of contacts in time stepping, against the closed forms of tests/reference/contact.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "simulation/robots.hpp"
#include "support/closed_mechanism.hpp"

namespace torsor::test {
namespace {

Json contact_table(const std::string& name) {
  return stored_table("contact/" + name + ".json");
}

// Adds a free body with a collider at its centre of mass.
void add_body(RobotDescription& robot, const std::string& name, double mass, const Sym3<double>& I,
              const CollisionShape& shape, const ContactMaterial& material) {
  LinkDescription link;
  link.name = name;
  link.joint.name = name + "_free";
  link.joint.kind = JointKind::floating;
  link.inertia = inertia_about_com(mass, {0, 0, 0}, I);
  link.collisions = {{.shape = shape, .material = material}};
  robot.links.push_back(link);
}
void add_box(RobotDescription& robot, const std::string& name, double mass,
             const Vec3<double>& size, const ContactMaterial& material) {
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, k = mass / 12;
  add_body(robot, name, mass, {k * (y + z), k * (x + z), k * (x + y), 0, 0, 0},
           {ShapeKind::box, 0.5 * size}, material);
}
void add_ball(RobotDescription& robot, const std::string& name, double mass, double radius,
              const ContactMaterial& material) {
  const double I = 0.4 * mass * radius * radius;
  add_body(robot, name, mass, {I, I, I, 0, 0, 0}, {ShapeKind::sphere, {radius, 0, 0}}, material);
}

// A world with the plane z = 0 in the frame X, and bodies.
std::shared_ptr<const Model> on_plane(const RobotDescription& robot,
                                      const ContactMaterial& material,
                                      const Pose<double>& X = Pose<double>::identity()) {
  ModelBuilder builder;
  builder.add(robot);
  builder.add(CollisionDescription{
      .name = "floor", .X_LC = X, .shape = {ShapeKind::half_space}, .material = material});
  return builder.build();
}

Simulation started(std::shared_ptr<const Model> model, double dt, std::vector<double> q,
                   std::vector<double> v, const Vec3<double>& gravity = {0, 0, -9.81}) {
  Simulation run(model, solver_factory(), Integrator::time_stepping, dt);
  run.set_gravity(gravity);
  run.set_state(q, v);
  return run;
}

// A block on an incline: it sticks without creep below the angle of friction, and slides with the
// exact acceleration above it.
TEST(Contact, BlockOnAnIncline) {
  const Json table = contact_table("B1_incline");
  const double angle = table["model"]["theta_deg"].get<double>() * M_PI / 180, dt = 1e-3;
  for (const Json& each : table["released_from_rest"]) {
    if (each["tan_theta_over_mu"] == 1.0) continue;
    const ContactMaterial material{.mu = each["mu"]};
    RobotDescription robot;
    robot.name = "block";
    add_box(robot, "box", 2, {0.4, 0.4, 0.2}, material);
    Simulation run =
        started(on_plane(robot, material), dt, {0, 0, 0.1, 1, 0, 0, 0}, std::vector<double>(6, 0.0),
                {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)});
    for (int k = 0; k < 5000; ++k) run.step();
    const double x = run.state().q()[0], v = run.state().v[3];
    if (each["sticks"]) {
      EXPECT_LT(std::abs(x), 1e-13) << each["tan_theta_over_mu"];
    } else {
      const double a = each["acceleration_downhill"];
      EXPECT_NEAR(v, a * 5, 1e-9);
      EXPECT_NEAR(x, a * 5 * 5 / 2, 1e-8);
    }
    EXPECT_NEAR(run.state().q()[2], 0.1, 1e-9);
  }
}

// The times of the apices of a bouncing ball, at four steps: order 1.
TEST(Contact, BouncingBallHasOrderOne) {
  const Json table = contact_table("B3_bouncing_ball");
  const Json& apex = table["bounces"][1];
  std::vector<double> errors;
  for (const double dt : {4e-4, 2e-4, 1e-4, 5e-5}) {
    const ContactMaterial material{.mu = 0.5, .restitution = 0.8};
    RobotDescription robot;
    robot.name = "ball";
    add_ball(robot, "ball", 1, 0.1, material);
    Simulation run = started(on_plane(robot, material), dt, {0, 0, 1.1, 1, 0, 0, 0},
                             std::vector<double>(6, 0.0));
    double highest = 0;
    while (run.time() < apex["next_apex_time"].get<double>() + 0.2) {
      run.step();
      if (run.time() > apex["time"].get<double>() + 0.05)
        highest = std::max(highest, run.state().q()[2] - 0.1);
    }
    errors.push_back(std::abs(highest - apex["next_apex_height_of_lowest_point"].get<double>()));
    std::printf("dt %g s: apex error %.3e m\n", dt, errors.back());
  }
  EXPECT_LT(errors.back(), 0.3 * errors.front());
}

// A sliding sphere begins to roll at the exact time and with the exact velocity.
TEST(Contact, SlidingSphereBeginsToRoll) {
  const Json table = contact_table("B4_sliding_sphere");
  for (const Json& each : table["cases"]) {
    std::vector<double> errors;
    for (const double dt : {4e-3, 2e-3, 1e-3, 5e-4}) {
      const ContactMaterial material{.mu = each["mu"]};
      RobotDescription robot;
      robot.name = "ball";
      add_ball(robot, "ball", 1.5, 0.11, material);
      const Json &v = each["initial_velocity"], &w = each["initial_spin"];
      Simulation run = started(on_plane(robot, material), dt, {0, 0, 0.11, 1, 0, 0, 0},
                               {w[0], w[1], w[2], v[0], v[1], v[2]});
      const double end = each["times"].back();
      while (run.time() < end - 0.5 * dt) run.step();
      const Json& x = each["position"].back();
      const double late = run.time() - end;
      errors.push_back(0);
      for (int k = 0; k < 2; ++k)
        errors.back() = std::max(errors.back(),
                                 std::abs(run.state().q()[size_t(k)] - x[size_t(k)].get<double>() -
                                          late * each["final_velocity"][size_t(k)].get<double>()));
    }
    std::printf("%s: %.2e %.2e %.2e %.2e m\n", each["name"].get<std::string>().c_str(), errors[0],
                errors[1], errors[2], errors[3]);
    EXPECT_LT(errors[3], 0.3 * errors[0] + 1e-9);
  }
}

// A stack of boxes stays where it is.
TEST(Contact, StackIsStill) {
  const ContactMaterial material{.mu = 0.5};
  RobotDescription robot;
  robot.name = "stack";
  std::vector<double> q;
  for (int k = 0; k < 10; ++k) {
    add_box(robot, "box" + std::to_string(k), 1, {0.2, 0.2, 0.2}, material);
    for (const double each : {0.0, 0.0, 0.1 + 0.2 * k, 1.0, 0.0, 0.0, 0.0}) q.push_back(each);
  }
  Simulation run = started(on_plane(robot, material), 1e-3, q, std::vector<double>(60, 0.0));
  for (int k = 0; k < 2000; ++k) run.step();
  for (size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(run.state().q()[k], q[k], 1e-10);
}

}  // namespace
}  // namespace torsor::test
