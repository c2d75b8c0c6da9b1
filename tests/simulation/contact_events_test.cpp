// Tests of located contacts, against the closed forms of tests/reference/contact. Every integrator
// that locates events is exact to 1e-8 in times, positions and impulses.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "simulation/contact_bodies.hpp"

namespace torsor::test {
namespace {

class LocatedContact : public testing::TestWithParam<Integrator> {
 protected:
  Simulation run_to(const ContactScene& scene, double t, double dt = 2e-3) const {
    return torsor::test::run_to(scene, GetParam(), t, dt);
  }
};

INSTANTIATE_TEST_SUITE_P(Every, LocatedContact,
                         testing::Values(Integrator::rk4, Integrator::dormand_prince),
                         integrator_of);

ContactScene block_on_incline(const Json& table, double mu, const Vec3<double>& v) {
  const double angle = table["model"]["theta_deg"].get<double>() * M_PI / 180;
  const ContactMaterial material{.mu = mu};
  RobotDescription robot;
  robot.name = "block";
  add_box(robot, "box", 2, {0.4, 0.4, 0.2}, material);
  return {on_plane(robot, material),
          {0, 0, 0.1, 1, 0, 0, 0},
          {0, 0, 0, v.x, v.y, v.z},
          {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)}};
}

TEST_P(LocatedContact, BlockOnAnIncline) {
  const Json table = contact_table("B1_incline");
  for (const Json& each : table["released_from_rest"]) {
    if (each["tan_theta_over_mu"] == 1.0) continue;
    SCOPED_TRACE(each["tan_theta_over_mu"].get<double>());
    const ContactScene scene = block_on_incline(table, each["mu"], {0, 0, 0});
    if (each["sticks"]) {
      const Simulation run = run_to(scene, 100, 0.5);
      EXPECT_NEAR(run.state().q()[0], 0, 1e-12);
      continue;
    }
    for (size_t k = 1; k < each["times"].size(); ++k) {
      const Simulation run = run_to(scene, each["times"][k], 0.05);
      EXPECT_NEAR(run.state().q()[0], each["position_downhill"][k], located);
      EXPECT_NEAR(run.state().v[3], each["velocity_downhill"][k], located);
      EXPECT_NEAR(run.state().q()[2], 0.1, 1e-13);
    }
  }
}

TEST_P(LocatedContact, BlockThatStartsUphill) {
  const Json table = contact_table("B1_incline");
  for (const Json& each : table["started_uphill"]) {
    const ContactScene scene = block_on_incline(table, each["mu"], {-2, 0, 0});
    for (size_t k = 0; k < each["times"].size(); ++k)
      EXPECT_NEAR(run_to(scene, each["times"][k], 0.01).state().q()[0],
                  -each["position_uphill"][k].get<double>(), located)
          << each["mu"] << " " << each["times"][k];
  }
}

TEST_P(LocatedContact, BlockThatStartsAcross) {
  const Json table = contact_table("B1_incline");
  for (const Json& each : table["started_across"]) {
    const ContactScene scene = block_on_incline(table, each["mu"], {0, 2, 0});
    for (size_t k = 0; k < each["times"].size(); ++k) {
      const Simulation run = run_to(scene, each["times"][k], 5e-4);
      EXPECT_NEAR(run.state().q()[0], each["position_downhill"][k], located) << each["times"][k];
      EXPECT_NEAR(run.state().q()[1], each["position_across"][k], located) << each["times"][k];
      EXPECT_NEAR(run.state().v[3], each["velocity_downhill"][k], located) << each["times"][k];
      EXPECT_NEAR(run.state().v[4], each["velocity_across"][k], located) << each["times"][k];
    }
    if (!each.contains("stop_time")) continue;
    const Simulation run = run_to(scene, each["stop_time"].get<double>() + 0.1, 5e-4);
    EXPECT_NEAR(run.state().q()[0], each["stop_position_downhill"], located);
    EXPECT_NEAR(run.state().q()[1], each["stop_position_across"], located);
    EXPECT_NEAR(run.state().v[3], 0, 1e-13);
  }
}

// A push at the centre of mass, which ends at 7 s.
TEST_P(LocatedContact, PushedBlock) {
  const Json table = contact_table("B2_ramp_push"), &model = table["model"];
  const ContactMaterial material{.mu = model["mu"]};
  RobotDescription robot;
  robot.name = "block";
  add_box(robot, "box", model["mass"], {0.5, 0.5, 0.2}, material);
  ContactScene scene{
      on_plane(robot, material), {0, 0, 0.1, 1, 0, 0, 0}, std::vector<double>(6, 0.0)};
  const double k_F = model["ramp_N_per_s"], end = model["ramp_end_s"];
  scene.load.tau_of_time = [=](double t, std::span<double> tau) {
    if (t < end) tau[3] += k_F * t;
  };
  const auto& times = table["times"];
  for (size_t k = 1; k < times.size(); ++k) {
    // Steps end at the jump of the force, which is not an event.
    const double t = times[k], dt = 0.005;
    Simulation run = begin(scene, GetParam(), dt);
    while (run.time() < t - 0.6 * dt) run.step();
    const double late = run.time() - t, v = run.state().v[3];
    if (std::abs(late) > 1e-12) continue;
    EXPECT_NEAR(run.state().q()[0], table["values"]["x"][k], located) << t;
    EXPECT_NEAR(v, table["values"]["v"][k], located) << t;
    const Vec3<double> force = force_of_world(run);
    EXPECT_NEAR(force.z, table["values"]["normal_force"], located);
    if (t == end) continue;
    EXPECT_NEAR(-force.x, table["values"]["friction"][k], 1e-7) << t;
  }
}

ContactScene bouncing_ball(double e, double gap) {
  const ContactMaterial material{.mu = 0.5, .restitution = e};
  RobotDescription robot;
  robot.name = "ball";
  add_ball(robot, "ball", 1, 0.1, material);
  return {on_plane(robot, material), {0, 0, 0.1 + gap, 1, 0, 0, 0}, std::vector<double>(6, 0.0)};
}

TEST_P(LocatedContact, BouncingBall) {
  const Json table = contact_table("B3_bouncing_ball");
  const ContactScene scene = bouncing_ball(0.8, 1);
  for (const Json& each : table["bounces"]) {
    const Simulation run = run_to(scene, each["next_apex_time"], 5e-3);
    EXPECT_NEAR(run.state().q()[2] - 0.1, each["next_apex_height_of_lowest_point"], located);
    EXPECT_NEAR(run.state().v[5], 0, located);
    EXPECT_NEAR(run.energy().kinetic + run.energy().potential - 0.981, each["energy_after"],
                located);
  }
  Simulation run = run_to(scene, table["end_of_bouncing_time"].get<double>() + 0.1, 5e-3);
  EXPECT_NEAR(run.state().q()[2], 0.1, 1e-13);
  EXPECT_EQ(run.snapshot().modes[0], 1);
  ASSERT_EQ(run.contact_forces().size(), 1u);
  EXPECT_NEAR(force_of_world(run).z, 9.81, 1e-10);
  EXPECT_NEAR(run.ledger_error(), 0, 1e-9);
}

TEST_P(LocatedContact, SlidingSphereRolls) {
  const Json table = contact_table("B4_sliding_sphere");
  for (const Json& each : table["cases"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const ContactMaterial material{.mu = each["mu"]};
    RobotDescription robot;
    robot.name = "ball";
    add_ball(robot, "ball", 1.5, 0.11, material);
    const Json &v = each["initial_velocity"], &w = each["initial_spin"];
    const ContactScene scene{
        on_plane(robot, material), {0, 0, 0.11, 1, 0, 0, 0}, {w[0], w[1], w[2], v[0], v[1], v[2]}};
    for (size_t k = 1; k < each["times"].size(); ++k) {
      const Simulation run = run_to(scene, each["times"][k], 4e-4);
      const Twist<double> V = link_twist(run, "ball");
      const Vec3<double> x = vec3(each["position"][k]), v_end = vec3(each["velocity"][k]),
                         w_end = vec3(each["spin"][k]);
      EXPECT_NEAR(run.state().q()[0], x.x, located) << each["times"][k];
      EXPECT_NEAR(run.state().q()[1], x.y, located) << each["times"][k];
      EXPECT_NEAR(norm(V.v - v_end), 0, located) << each["times"][k];
      EXPECT_NEAR(norm(V.w - w_end), 0, 10 * located) << each["times"][k];
    }
  }
}

// The table is a half space on a link that turns at a constant rate.
TEST_P(LocatedContact, SphereOnATurntable) {
  const Json table = contact_table("B5_turntable");
  const double rate = table["model"]["table_rate"], radius = table["model"]["radius"];
  const ContactMaterial material{.mu = 0.5};
  RobotDescription robot;
  robot.name = "turntable";
  LinkDescription plate;
  plate.name = "plate";
  plate.joint.name = "axle";
  plate.joint.kind = JointKind::revolute;
  plate.joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  plate.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  plate.collisions = {{.shape = {ShapeKind::half_space}, .material = material}};
  robot.links.push_back(plate);
  add_ball(robot, "ball", table["model"]["mass"], radius, material);
  ModelBuilder builder;
  builder.add(robot);
  const Json &start = table["initial_state"], &p = start["position"], &v = start["velocity"],
             &w = start["spin"];
  ContactScene scene{builder.build(),
                     {0, p[0], p[1], p[2], 1, 0, 0, 0},
                     {rate, w[0], w[1], w[2], v[0], v[1], v[2]}};
  scene.load.prescriptions = {
      {.joint = 0, .motion = [rate](double, std::span<double> v_p, std::span<double> vdot) {
         v_p[0] = rate, vdot[0] = 0;
       }}};
  for (const size_t k : {1u, 7u, 20u, 40u}) {
    const Simulation run = run_to(scene, table["times"][k], 1e-3);
    EXPECT_NEAR(run.state().q()[1], table["values"]["position_xy"][k][0], located) << k;
    EXPECT_NEAR(run.state().q()[2], table["values"]["position_xy"][k][1], located) << k;
    const Twist<double> V = link_twist(run, "ball");
    EXPECT_NEAR(norm(V.w - vec3(table["values"]["spin"][k])), 0, 10 * located) << k;
  }
}

// A rod in the plane x-z, with a shape that touches only at its lower end until it is flat.
ContactScene falling_rod(const Json& table, double mu) {
  const double a = table["model"]["start_angle_deg"].get<double>() * M_PI / 180;
  const ContactMaterial material{.mu = mu};
  const std::vector<Vec3<double>> corners{
      {0, 0, -0.5}, {1e-8, 0, -0.4}, {-1e-8, 1e-8, -0.4}, {-1e-8, -1e-8, -0.4}};
  CollisionShape tip{.kind = ShapeKind::convex};
  auto hull = std::make_shared<ConvexHull>();
  hull->vertices = corners;
  tip.hull = hull;
  RobotDescription robot;
  robot.name = "rod";
  add_body(robot, "rod", 1, {1.0 / 12, 1.0 / 12, 1e-3, 0, 0, 0}, tip, material);
  return {on_plane(robot, material),
          {0.5 * std::sin(a), 0, 0.5 * std::cos(a), std::cos(a / 2), 0, std::sin(a / 2), 0},
          std::vector<double>(6, 0.0)};
}
double tilt(const Simulation& run) {
  return 2 * std::atan2(run.state().q()[5], run.state().q()[3]);
}

TEST_P(LocatedContact, FallingRod) {
  const Json table = contact_table("B6_falling_rod");
  {
    const Json& each = table["frictionless"];
    const ContactScene scene = falling_rod(table, 0);
    for (size_t k = 1; k + 1 < each["times"].size(); k += 3) {
      Simulation run = run_to(scene, each["times"][k]);
      EXPECT_NEAR(tilt(run), each["angle"][k], located) << k;
      EXPECT_NEAR(run.state().v[1], each["rate"][k], located) << k;
      EXPECT_NEAR(run.state().q()[2], each["com_height"][k], located) << k;
      ASSERT_EQ(run.contact_forces().size(), 1u);
      EXPECT_NEAR(force_of_world(run).z, each["normal"][k], 1e-7) << k;
    }
  }
  for (const Json& each : table["friction_cases"]) {
    const ContactScene scene = falling_rod(table, each["mu"]);
    const Json& at = each["samples"];
    for (size_t k = 1; k + 1 < at["t"].size(); ++k) {
      Simulation run = run_to(scene, at["t"][k]);
      EXPECT_NEAR(tilt(run), at["angle"][k], located) << k;
      EXPECT_NEAR(run.state().v[1], at["rate"][k], located) << k;
      EXPECT_NEAR(run.state().q()[0], at["com"][k][0], located) << k;
      EXPECT_NEAR(run.state().q()[2], at["com"][k][1], located) << k;
    }
  }
}

ContactScene two_spheres(const Json& each) {
  const ContactMaterial material{.mu = each["mu"], .restitution = each["e"]};
  RobotDescription robot;
  robot.name = "spheres";
  const double R1 = each["R1"], R2 = each["R2"], early = 0.01;
  add_ball(robot, "ball1", each["m1"], R1, material);
  add_ball(robot, "ball2", each["m2"], R2, material);
  const Vec3<double> n = vec3(each["normal_from_1_to_2"]), v1 = vec3(each["v1"]),
                     v2 = vec3(each["v2"]), w1 = vec3(each["w1"]), w2 = vec3(each["w2"]),
                     x1 = -early * v1, x2 = (R1 + R2) * n - early * v2;
  return {build(robot),
          {x1.x, x1.y, x1.z, 1, 0, 0, 0, x2.x, x2.y, x2.z, 1, 0, 0, 0},
          {w1.x, w1.y, w1.z, v1.x, v1.y, v1.z, w2.x, w2.y, w2.z, v2.x, v2.y, v2.z},
          {0, 0, 0}};
}

TEST_P(LocatedContact, CollisionsOfSpheres) {
  const Json table = contact_table("B7_sphere_collisions");
  for (const Json& each : table["collisions"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const Simulation run = run_to(two_spheres(each), 0.05, 5e-4);
    for (const std::string key : {"1", "2"}) {
      const Twist<double> V = link_twist(run, "ball" + key);
      EXPECT_NEAR(norm(V.v - vec3(each["v" + key + "_after"])), 0, located);
      EXPECT_NEAR(norm(V.w - vec3(each["w" + key + "_after"])), 0, located);
    }
  }
}

// All contacts of Newton's cradle are struck at once, so that the law is that of the simultaneous
// impact.
TEST_P(LocatedContact, NewtonsCradle) {
  const Json table = contact_table("B7_sphere_collisions");
  for (const Json& each : table["newtons_cradle"]) {
    if (!each.contains("simultaneous_decimal")) continue;
    const ContactMaterial material{.mu = 0, .restitution = each["e"]};
    RobotDescription robot;
    robot.name = "cradle";
    ContactScene scene{nullptr, {}, {}, {0, 0, 0}};
    for (int k = 0; k < 5; ++k) {
      add_ball(robot, "ball" + std::to_string(k), 1, 0.1, material);
      for (const double q : {0.2 * k, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}) scene.q.push_back(q);
      const double v = each["before"][size_t(k)];
      for (const double u : {0.0, 0.0, 0.0, v, 0.0, 0.0}) scene.v.push_back(u);
    }
    scene.model = build(robot);
    const Simulation run = run_to(scene, 0.01, 0.01);
    for (size_t k = 0; k < 5; ++k)
      EXPECT_NEAR(run.state().v[6 * k + 3], each["simultaneous_decimal"][k], located)
          << each["before"] << " e " << each["e"] << " ball " << k;
  }
}

}  // namespace
}  // namespace torsor::test
