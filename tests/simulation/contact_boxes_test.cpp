// Tests of located contacts of boxes: tipping, rocking, tripping, stacks. Then properties of all
// located contacts: order, restoring, and errors.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "simulation/contact_bodies.hpp"

namespace torsor::test {
namespace {

class LocatedBox : public testing::TestWithParam<Integrator> {
 protected:
  Simulation run_to(const ContactScene& scene, double t, double dt = 2e-3) const {
    return torsor::test::run_to(scene, GetParam(), t, dt);
  }
};

INSTANTIATE_TEST_SUITE_P(Every, LocatedBox,
                         testing::Values(Integrator::rk4, Integrator::dormand_prince),
                         integrator_of);

const Json& tipping() {
  static const Json table = contact_table("B8_tipping_box");
  return table;
}

RobotDescription tall_box(const ContactMaterial& material) {
  const double b = tipping()["model"]["half_width"], h = tipping()["model"]["half_height"];
  RobotDescription robot;
  robot.name = "tall";
  add_box(robot, "box", tipping()["model"]["mass"], {2 * b, 2 * b, 2 * h}, material);
  return robot;
}

// A box on the plane that is turned by an angle about +y, with its lowest edge at x = z = 0.
ContactScene tilted_box(double mu, double angle) {
  const double b = tipping()["model"]["half_width"], h = tipping()["model"]["half_height"];
  const ContactMaterial material{.mu = mu};
  const double side = angle > 0 ? b : -b, c = std::cos(angle), s = std::sin(angle);
  return {
      on_plane(tall_box(material), material),
      {-(side * c - h * s), 0, side * s + h * c, std::cos(angle / 2), 0, std::sin(angle / 2), 0},
      std::vector<double>(6, 0.0)};
}

double tilt_of(const Simulation& run) {
  return 2 * std::atan2(run.state().q()[5], run.state().q()[3]);
}

// The support tilts slowly: in its axes, gravity turns. The first event is at the listed angle.
TEST_P(LocatedBox, SlowTilting) {
  for (const Json& each : tipping()["slow_tilting"]) {
    SCOPED_TRACE(each["mu"].get<double>());
    const double m = tipping()["model"]["mass"], rate = 0.01;
    ContactScene scene = tilted_box(each["mu"], 0);
    scene.q[0] = 0;
    scene.load.tau_of_time = [=](double t, std::span<double> tau) {
      tau[3] += m * g * std::sin(rate * t);
      tau[5] += m * g * (1 - std::cos(rate * t));
    };
    const double t = each["angle_rad"].get<double>() / rate;
    const auto modes = [&](double at) { return run_to(scene, at, 0.5).snapshot().modes; };
    const auto count = [](const std::vector<double>& list, double mode) {
      return std::ranges::count(list, mode);
    };
    // The constraint solver decides whether forces exist, which is hard near the limit.
    constexpr double early = 1e-6;
    const std::vector<double> before = modes(t - early / rate), after = modes(t + located / rate);
    EXPECT_EQ(count(before, 1), 4);
    EXPECT_EQ(count(after, 0), each["tips_first"] ? 6 : 4);
    EXPECT_EQ(count(after, 2), each["tips_first"] ? 0 : 4);
  }
}

TEST_P(LocatedBox, RocksFromEdgeToEdge) {
  const Json& table = tipping()["rocking"];
  const ContactScene scene = tilted_box(0.3, table["start_tilt"]);
  double side = -1;
  for (const Json& each : table["impacts"]) {
    const Simulation run = run_to(scene, each["next_turning_time"]);
    EXPECT_NEAR(tilt_of(run), side * each["next_max_tilt"].get<double>(), located);
    EXPECT_NEAR(run.state().v[1], 0, 3 * located);
    side = -side;
  }
}

// The curb touches a sharp edge at the foot of the box only.
ContactScene box_at_curb(double speed) {
  const double b = tipping()["model"]["half_width"], h = tipping()["model"]["half_height"];
  const ContactMaterial smooth{.mu = 0};
  RobotDescription robot = tall_box(smooth);
  const std::vector<Vec3<double>> toe{{b, -b, -h},
                                      {b, b, -h},
                                      {b - 0.1, -b, -h + 0.04},
                                      {b - 0.1, b, -h + 0.04},
                                      {b - 0.1, -b, -h + 0.02},
                                      {b - 0.1, b, -h + 0.02}};
  robot.links[0].collisions.push_back(
      {.name = "toe", .shape = convex_shape(toe), .material = smooth});
  robot.links[0].collisions[0].name = "body";
  robot.collision_pairs = {{.names = {"toe", "floor"}, .collide = false},
                           {.names = {"body", "curb"}, .collide = false}};
  const double gap = 0.1 * speed;
  ModelBuilder builder;
  builder.add(
      CollisionDescription{.name = "floor", .shape = {ShapeKind::half_space}, .material = smooth});
  const Pose<double> X{{{0, 0, -1, 0, 1, 0, 1, 0, 0}}, {b + gap, 0, 0}};
  builder.add(CollisionDescription{
      .name = "curb", .X_LC = X, .shape = {ShapeKind::half_space}, .material = smooth});
  for (const CollisionPairDescription& pair : robot.collision_pairs) builder.add(pair);
  robot.collision_pairs.clear();
  builder.add(robot);
  return {builder.build(), {0, 0, h, 1, 0, 0, 0}, {0, 0, 0, speed, 0, 0}};
}

TEST_P(LocatedBox, TripsOverACurb) {
  for (const Json& each : tipping()["curb"]["cases"]) {
    SCOPED_TRACE(each["speed"].get<double>());
    const ContactScene scene = box_at_curb(each["speed"]);
    const Simulation struck = run_to(scene, 0.1 + 1e-9, 1e-3);
    EXPECT_NEAR(struck.state().v[1], each["rate_after"], 10 * located);
    EXPECT_NEAR(struck.energy().kinetic, each["energy_after"], 10 * located);
    if (each["topples"]) {
      const Simulation run =
          run_to(scene, 0.1 + each["time_to_balance_after_impact"].get<double>());
      EXPECT_NEAR(tilt_of(run), tipping()["model"]["balance_angle"], located);
      EXPECT_NEAR(run.state().v[1], each["rate_at_balance"], located);
    } else {
      const Simulation run =
          run_to(scene, 0.1 + each["time_of_max_tilt_after_impact"].get<double>());
      EXPECT_NEAR(tilt_of(run), each["max_tilt"], located);
      EXPECT_NEAR(run.state().v[1], 0, 3 * located);
    }
  }
}

TEST_P(LocatedBox, SlidesFlat) {
  const Json& table = tipping()["sliding_flat"];
  ContactScene scene = tilted_box(table["mu"], 0);
  scene.q[0] = 0;
  scene.v[3] = table["initial_speed"];
  const double end = table["stop_time"];
  EXPECT_NEAR(run_to(scene, end - 1e-6).state().v[3], 1e-6 * 0.3 * g, located);
  Simulation run = run_to(scene, end + 0.5);
  EXPECT_NEAR(run.state().q()[0], table["stop_distance"], located);
  EXPECT_NEAR(run.state().v[3], 0, 1e-15);
  EXPECT_NEAR(run.snapshot()[Work::contact], -table["friction_loss"].get<double>(), 1e-7);
}

// Slides flat with more friction than a box that does not trip.
TEST_P(LocatedBox, TripsOverItsEdge) {
  for (const Json& each : tipping()["tripping"]) {
    SCOPED_TRACE(each["initial_speed"].get<double>());
    ContactScene scene = tilted_box(each["mu"], 0);
    scene.q[0] = -0.2;
    scene.v[3] = each["initial_speed"];
    const Json& at = each["samples"];
    for (size_t k = 1; k + 1 < at["t"].size(); k += 2) {
      const Simulation run = run_to(scene, at["t"][k]);
      EXPECT_NEAR(tilt_of(run), at["tilt_from_flat"][k], located) << k;
      EXPECT_NEAR(run.state().q()[0], at["com"][k][0], located) << k;
      EXPECT_NEAR(run.state().q()[2], at["com"][k][1], located) << k;
      EXPECT_NEAR(run.state().v[1], at["rate"][k], 2 * located) << k;
    }
  }
}

TEST_P(LocatedBox, StackIsStill) {
  const Json table = contact_table("B9_stack");
  for (const Json& each : table["stacks"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const ContactMaterial material{.mu = 0.5, .restitution = 0.3};
    RobotDescription robot;
    robot.name = "stack";
    ContactScene scene;
    for (const Json& body : each["bodies"]) {
      add_box(robot, body["name"], body["mass"], vec3(body["size"]), material);
      const Vec3<double> x = vec3(body["com"]);
      for (const double q : {x.x, x.y, x.z, 1.0, 0.0, 0.0, 0.0}) scene.q.push_back(q);
    }
    scene.v.assign(18, 0.0);
    scene.model = on_plane(robot, material);
    Simulation run = run_to(scene, table["duration"], 0.25);
    for (size_t k = 0; k < scene.q.size(); ++k)
      EXPECT_NEAR(run.state().q()[k], scene.q[k], 1e-12) << k;
    const std::vector<ContactForce> forces = run.contact_forces();
    for (const Json& interface : each["interfaces"]) {
      double sum = 0, low = 0, moment_x = 0, moment_y = 0;
      for (const ContactForce& point : forces) {
        if (std::abs(point.p_W.z - interface["height"].get<double>()) > 1e-6) continue;
        const double N = std::abs(point.f_W.z);
        sum += N, moment_x += N * point.p_W.x, moment_y += N * point.p_W.y;
        if (std::abs(point.p_W.x - interface["contact_patch_x"][0].get<double>()) < 1e-6) low += N;
      }
      EXPECT_NEAR(sum, interface["total_normal_force"], 1e-7);
      EXPECT_NEAR(moment_x / sum, interface["pressure_centre"][0], 1e-7);
      EXPECT_NEAR(moment_y / sum, interface["pressure_centre"][1], 1e-7);
      EXPECT_NEAR(low, interface["normal_force_on_low_x_edge"], 1e-7);
    }
  }
}

// A ball rolls down a fixed ball without sliding:
//   7/10 (R + r) theta'^2 = g (cos theta_0 - cos theta)
TEST_P(LocatedBox, BallRollsOnABall) {
  const double R = 0.5, r = 0.1, start = 0.2;
  const ContactMaterial material{.mu = 20};
  RobotDescription robot;
  robot.name = "ball";
  add_ball(robot, "ball", 1, r, material);
  ModelBuilder builder;
  builder.add(robot);
  builder.add(CollisionDescription{
      .name = "hill", .shape = {ShapeKind::sphere, {R, 0, 0}}, .material = material});
  const ContactScene scene{builder.build(),
                           {(R + r) * std::sin(start), 0, (R + r) * std::cos(start), 1, 0, 0, 0},
                           std::vector<double>(6, 0.0)};
  Simulation run = run_to(scene, 0.5, 1e-3);
  const auto q = run.state().q();
  const double theta = std::atan2(q[0], q[2]);
  EXPECT_NEAR(std::hypot(q[0], q[2]), R + r, 1e-13);
  EXPECT_GT(theta, 0.4);
  const double speed = norm(link_twist(run, "ball").v);
  EXPECT_NEAR(speed * speed, 10.0 / 7 * g * (R + r) * (std::cos(start) - std::cos(theta)), located);
  EXPECT_NEAR(run.ledger_error(), 0, 1e-10);
}

// The error at a time after the events of a box that trips decreases with the fourth power of dt.
TEST(LocatedContacts, Rk4HasOrderFour) {
  const Json& each = tipping()["tripping"][0];
  ContactScene scene = tilted_box(each["mu"], 0);
  scene.q[0] = -0.2;
  scene.v[3] = each["initial_speed"];
  const double end = each["samples"]["t"][17], at = each["samples"]["tilt_from_flat"][17];
  std::vector<double> errors;
  for (const double steps : {64.0, 128.0, 256.0, 512.0})
    errors.push_back(std::abs(tilt_of(run_to(scene, Integrator::rk4, end, end / steps)) - at));
  for (size_t k = 1; k < errors.size(); ++k) {
    const double order = std::log2(errors[k - 1] / errors[k]);
    std::printf("errors %.3e %.3e rad: order %.2f\n", errors[k - 1], errors[k], order);
    EXPECT_GT(order, 3.5);
  }
}

// A run that continues from a restored or loaded state in the middle of contacts has the same bits.
TEST(LocatedContacts, ContinueFromASnapshot) {
  const ContactScene scene = tilted_box(0.3, tipping()["rocking"]["start_tilt"]);
  for (const Integrator integrator : every_integrator()) {
    if (integrator == Integrator::time_stepping) continue;
    SCOPED_TRACE(name(integrator));
    Simulation whole = begin(scene, integrator, 5e-3), other = begin(scene, integrator, 5e-3);
    for (int k = 0; k < 160; ++k) {
      whole.step();
      other.step();
      if (k % 20 != 10) continue;
      const Snapshot state = other.snapshot();
      other.step();
      other.restore(state);
      Simulation fresh = begin(scene, integrator, 5e-3);
      fresh.load(other.save());
      other.step();
      fresh.step();
      ASSERT_EQ(other.state_hash(), fresh.state_hash()) << k;
      other.restore(state);
    }
    EXPECT_EQ(whole.state_hash(), other.state_hash());
  }
}

template <class Function>
std::string message_of(Function f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LocatedContacts, ErrorsSayWhatToChoose) {
  const auto start = [](const CollisionShape& shape, const ContactMaterial& material, double z) {
    RobotDescription robot;
    robot.name = "body";
    add_body(robot, "body", 1, {1, 1, 1, 0, 0, 0}, shape, material);
    return message_of([&] {
      (void)begin({on_plane(robot, material), {0, 0, z, 1, 0, 0, 0}, std::vector<double>(6, 0.0)},
                  Integrator::rk4, 1e-3);
    });
  };
  const CollisionShape ball{ShapeKind::sphere, {0.1, 0, 0}};
  EXPECT_EQ(start(ball, {}, 0.1), "");
  for (const std::string& message :
       {start({ShapeKind::cylinder, {0.1, 0, 0.2}}, {}, 1), start(ball, {.rolling = 0.01}, 1),
        start(ball, {.torsional = 0.01}, 1), start(ball, {}, 0.09)}) {
    EXPECT_NE(message.find("time_stepping"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    std::printf("%s\n", message.c_str());
  }
}

// A rod whose tip is pushed in front of it, with a friction for which no force obeys Coulomb's law.
TEST(LocatedContacts, PainlevesParadoxEndsTheRun) {
  const ContactMaterial material{.mu = 3};
  const double a = M_PI / 4;
  RobotDescription robot;
  robot.name = "rod";
  add_body(robot, "rod", 1, {1.0 / 12, 1.0 / 12, 1e-3, 0, 0, 0},
           convex_shape(std::vector<Vec3<double>>{
               {0, 0, -0.5}, {1e-3, 0, -0.4}, {-1e-3, 1e-3, -0.4}, {-1e-3, -1e-3, -0.4}}),
           material);
  ContactScene scene{
      on_plane(robot, material),
      {0.5 * std::sin(a), 0, 0.5 * std::cos(a), std::cos(a / 2), 0, std::sin(a / 2), 0},
      std::vector<double>(6, 0.0)};
  const Vec3<double> v_body{-1 * std::cos(a), 0, -1 * std::sin(a)};
  scene.v[3] = v_body.x, scene.v[5] = v_body.z;
  const std::string message = message_of([&] {
    Simulation run = begin(scene, Integrator::rk4, 1e-3);
    run.step();
  });
  EXPECT_NE(message.find("Painleve"), std::string::npos) << message;
}

}  // namespace
}  // namespace torsor::test
