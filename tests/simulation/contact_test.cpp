// Tests of contacts in time stepping, against the closed forms of tests/reference/contact.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/contact_scenes.hpp"

namespace torsor::test {
namespace {

double number(const Json& list, size_t k) {
  return list[k].get<double>();
}

// A block on an incline: it sticks without creep below the angle of friction, and slides with the
// exact acceleration above it.
TEST(Contact, BlockOnAnIncline) {
  const Json table = contact_table("B1_incline");
  const double angle = table["model"]["theta_deg"].get<double>() * M_PI / 180;
  for (const Json& each : table["released_from_rest"]) {
    if (each["tan_theta_over_mu"] == 1.0) continue;  // either is right
    Simulation run = block_in_steps(angle, {.mu = each["mu"]});
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

// A block that a growing force pushes: it breaks away, slides, and stops.
TEST(Contact, BlockUnderARampOfForce) {
  const Json table = contact_table("B2_ramp_push");
  expect_order_one(3.2e-2, [&](double dt) {
    RobotDescription robot;
    robot.name = "block";
    const ContactMaterial material{.mu = table["model"]["mu"]};
    add_box(robot, "box", 5, {0.5, 0.5, 0.2}, material);
    const auto model = on_plane(robot, material);
    Simulation run(model, solver_factory(), Integrator::time_stepping, dt);
    Load load;
    load.wrench_of_time = {{model->frame("box"), [](double t) {
                              return Wrench<double>{{0, 0, 0}, {t < 7 ? 4 * t : 0, 0, 0}};
                            }}};
    run.set_load(load);
    run.set_state(std::vector<double>{0, 0, 0.1, 1, 0, 0, 0}, std::vector<double>(6, 0.0));
    while (run.time() < 4.9 - dt / 2) run.step();
    EXPECT_LT(std::abs(run.state().q()[0]), 1e-12) << "before it breaks away";
    while (run.time() < 10 - dt / 2) run.step();
    EXPECT_LT(std::abs(run.state().v[3]), 1e-12);
    return std::abs(run.state().q()[0] - table["stop_position"].get<double>());
  });
}

// A ball that bounces: its position after three bounces.
TEST(Contact, BouncingBall) {
  const Json table = contact_table("B3_bouncing_ball");
  const Json& bounce = table["bounces"][2];
  expect_order_one(1.6e-3, [&](double dt) {
    const ContactMaterial material{.mu = 0.5, .restitution = 0.8};
    RobotDescription robot;
    robot.name = "ball";
    add_ball(robot, "ball", 1, 0.1, material);
    Simulation run = started(on_plane(robot, material), dt, {0, 0, 1.1, 1, 0, 0, 0},
                             std::vector<double>(6, 0.0));
    const double apex = bounce["next_apex_time"];
    // The mean over a few steps: the error of a single impact depends on where it is in a step.
    double sum = 0;
    int count = 0;
    while (run.time() < apex + 0.02) {
      run.step();
      if (run.time() < apex - 0.02) continue;
      const double t = run.time() - apex,
                   exact =
                       bounce["next_apex_height_of_lowest_point"].get<double>() - 9.81 / 2 * t * t;
      sum += std::abs(run.state().q()[2] - 0.1 - exact);
      ++count;
    }
    return sum / count;
  });
}

// A sphere that slides begins to roll.
TEST(Contact, SlidingSphereBeginsToRoll) {
  const Json table = contact_table("B4_sliding_sphere");
  for (const Json& each : table["cases"]) {
    SCOPED_TRACE(each["name"]);
    expect_order_one(8e-3, [&](double dt) {
      const ContactMaterial material{.mu = each["mu"]};
      RobotDescription robot;
      robot.name = "ball";
      add_ball(robot, "ball", 1.5, 0.11, material);
      const Json &v = each["initial_velocity"], &w = each["initial_spin"];
      Simulation run = started(on_plane(robot, material), dt, {0, 0, 0.11, 1, 0, 0, 0},
                               {w[0], w[1], w[2], v[0], v[1], v[2]});
      const double end = each["times"].back();
      while (run.time() < end - 0.5 * dt) run.step();
      double error = 0;
      for (size_t k = 0; k < 2; ++k)
        error = std::max(error, std::abs(run.state().q()[k] - number(each["position"].back(), k) -
                                         (run.time() - end) * number(each["final_velocity"], k)));
      return error;
    });
  }
}

// A sphere that rolls on a turntable moves along a circle.
TEST(Contact, SphereOnATurntable) {
  const Json table = contact_table("B5_turntable");
  expect_order_one(8e-3, [&](double dt) {
    const ContactMaterial material{.mu = 0.5};
    RobotDescription robot;
    robot.name = "r";
    LinkDescription disc;
    disc.name = "table";
    disc.joint.name = "turn";
    disc.joint.kind = JointKind::revolute;
    disc.joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
    disc.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    disc.collisions = {{.shape = {ShapeKind::half_space}, .material = material}};
    robot.links.push_back(disc);
    add_ball(robot, "ball", 0.3, 0.05, material);
    ModelBuilder builder;
    builder.add(robot);
    const auto model = builder.build();
    Simulation run(model, solver_factory(), Integrator::time_stepping, dt);
    Load load;
    load.prescriptions = {
        {model->joint("turn"), [](double, std::span<double> v, std::span<double> vdot) {
           v[0] = 2;
           vdot[0] = 0;
         }}};
    run.set_load(load);
    run.set_state(std::vector<double>{0, 0.3, 0, 0.05, 1, 0, 0, 0},
                  std::vector<double>{2, 8.0, 2, 0, 0.1, 0.2, 0});
    while (run.time() < 10 - dt / 2) run.step();
    double error = 0;
    for (size_t k = 0; k < 2; ++k)
      error = std::max(error, std::abs(run.state().q()[1 + k] -
                                       number(table["values"]["position_xy"].back(), k)));
    return error;
  });
}

// A rod on its tip falls: the horizontal position of its centre of mass when it is flat. It depends
// on when the tip slips.
TEST(Contact, FallingRod) {
  const Json table = contact_table("B6_falling_rod");
  const double start = table["model"]["start_angle_deg"].get<double>() * M_PI / 180, r = 1e-6;
  for (const Json& each : table["friction_cases"]) {
    SCOPED_TRACE(each["mu"]);
    const Json& samples = each["samples"];
    const size_t last = samples["t"].size() - 3;
    expect_order_one(4e-3, [&](double dt) {
      const ContactMaterial material{.mu = each["mu"]};
      RobotDescription robot;
      robot.name = "rod";
      add_body(robot, "rod", 1, {1.0 / 12, 1.0 / 12, 1e-9, 0, 0, 0}, {ShapeKind::sphere, {r, 0, 0}},
               material);
      robot.links[0].collisions[0].X_LC.p = {0, 0, -0.5};
      const double end = samples["t"][last];
      dt = end / std::round(end / dt);
      Simulation run = started(on_plane(robot, material), dt,
                               {0.5 * std::sin(start), 0, 0.5 * std::cos(start) + r,
                                std::cos(start / 2), 0, std::sin(start / 2), 0},
                               std::vector<double>(6, 0.0));
      while (run.time() < end - dt / 2) run.step();
      return std::hypot(run.state().q()[0] - number(samples["com"][last], 0),
                        run.state().q()[2] - r - number(samples["com"][last], 1));
    });
  }
}

// Two spheres strike in free space: the velocities after the impact.
TEST(Contact, SphereCollisions) {
  const Json table = contact_table("B7_sphere_collisions");
  for (const Json& each : table["collisions"]) {
    SCOPED_TRACE(each["name"]);
    const auto vector = [&](const char* key) {
      return Vec3<double>{number(each[key], 0), number(each[key], 1), number(each[key], 2)};
    };
    const auto error = [&](double dt) {
      const ContactMaterial material{.mu = each["mu"], .restitution = each["e"]};
      RobotDescription robot;
      robot.name = "spheres";
      const double R1 = each["R1"], R2 = each["R2"];
      add_ball(robot, "first", each["m1"], R1, material);
      add_ball(robot, "second", each["m2"], R2, material);
      ModelBuilder builder;
      builder.add(robot);
      const Vec3<double> p = (R1 + R2) * vector("normal_from_1_to_2"), v1 = vector("v1"),
                         v2 = vector("v2"), w1 = vector("w1"), w2 = vector("w2");
      Simulation run = started(
          builder.build(), dt, {0, 0, 0, 1, 0, 0, 0, p.x, p.y, p.z, 1, 0, 0, 0},
          {w1.x, w1.y, w1.z, v1.x, v1.y, v1.z, w2.x, w2.y, w2.z, v2.x, v2.y, v2.z}, {0, 0, 0});
      run.step();
      double worst = 0;
      const Vec3<double> after[] = {vector("w1_after"), vector("v1_after"), vector("w2_after"),
                                    vector("v2_after")};
      std::vector<Pose<double>> X_WB(size_t(run.model().n_body));
      for (size_t body = 0; body < 2; ++body) {
        const double* q = run.state().q().data() + 7 * body;
        const Mat3<double> R = rotation(q[3], q[4], q[5], q[6]);
        for (size_t part = 0; part < 2; ++part) {
          const double* v = run.state().v.data() + 6 * body + 3 * part;
          worst =
              std::max(worst, norm(R * Vec3<double>{v[0], v[1], v[2]} - after[2 * body + part]));
        }
      }
      return worst;
    };
    if (error(1e-4) > 1e-12) expect_order_one(1e-4, error);
  }
}

// A tall box rocks from edge to edge: its tilt after two impacts, at the turning point.
TEST(Contact, RockingBox) {
  const Json table = contact_table("B8_tipping_box");
  const Json &rocking = table["rocking"], &impact = rocking["impacts"][1];
  const double tilt = rocking["start_tilt"], b = 0.2, h = 0.5;
  expect_order_one(4e-3, [&](double dt) {
    const ContactMaterial material{.mu = 0.6};
    RobotDescription robot;
    robot.name = "box";
    add_box(robot, "box", 10, {0.4, 0.4, 1}, material);
    // Tilted about the lower edge at x = b.
    const double c = std::cos(tilt), s = std::sin(tilt);
    Simulation run =
        started(on_plane(robot, material), dt,
                {b - b * c + h * s, 0, b * s + h * c, std::cos(tilt / 2), 0, std::sin(tilt / 2), 0},
                std::vector<double>(6, 0.0));
    const double end = impact["next_turning_time"];
    while (run.time() < end - dt / 2) run.step();
    const double* q = run.state().q().data();
    return std::abs(2 * std::abs(std::asin(q[5])) - impact["next_max_tilt"].get<double>());
  });
}

// A tall box slides flat, and stops.
TEST(Contact, BoxSlidesFlat) {
  const Json sliding = contact_table("B8_tipping_box")["sliding_flat"];
  expect_order_one(8e-3, [&](double dt) {
    const ContactMaterial material{.mu = sliding["mu"]};
    RobotDescription robot;
    robot.name = "box";
    add_box(robot, "box", 10, {0.4, 0.4, 1}, material);
    const double v = sliding["initial_speed"];
    Simulation run =
        started(on_plane(robot, material), dt, {0, 0, 0.5, 1, 0, 0, 0}, {0, 0, 0, v, 0, 0});
    while (run.time() < 1.2) run.step();
    EXPECT_NEAR(run.state().q()[2], 0.5, 1e-9);
    EXPECT_LT(std::abs(run.state().v[3]), 1e-12);
    return std::abs(run.state().q()[0] - sliding["stop_distance"].get<double>());
  });
}

// Stacks of boxes do not move. The forces between them carry the weights.
TEST(Contact, StacksAreStill) {
  const Json table = contact_table("B9_stack");
  for (const Json& stack : table["stacks"]) {
    SCOPED_TRACE(stack["name"]);
    const ContactMaterial material{.mu = 0.5, .restitution = 0.3};
    RobotDescription robot;
    robot.name = "stack";
    std::vector<double> q;
    for (const Json& body : stack["bodies"]) {
      const Json &size = body["size"], &p = body["com"];
      add_box(robot, body["name"], body["mass"], {size[0], size[1], size[2]}, material);
      for (const double each : {number(p, 0), number(p, 1), number(p, 2), 1.0, 0.0, 0.0, 0.0})
        q.push_back(each);
    }
    Simulation run = started(on_plane(robot, material), 1e-3, q,
                             std::vector<double>(6 * stack["bodies"].size(), 0.0));
    std::vector<double> force(stack["interfaces"].size());
    for (int k = 0; k < 10000; ++k) run.step();
    for (size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(run.state().q()[k], q[k], 1e-11);
    for (const ContactForce& each : run.contact_forces()) {
      // The plane is the last collider.
      const size_t above = size_t(each.b) == stack["bodies"].size() ? 0 : size_t(each.b);
      force[above] += std::abs(each.f_W.z);
    }
    for (size_t k = 0; k < force.size(); ++k)
      EXPECT_NEAR(force[k], stack["interfaces"][k]["total_normal_force"].get<double>(), 1e-7);
  }
}

}  // namespace
}  // namespace torsor::test
