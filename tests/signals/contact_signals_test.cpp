// Tests of the signals of contacts and sensors, against balances of forces and moments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/signals/recorder.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

constexpr double dt = 1e-3;

LinkDescription floating_body(const std::string& name, double mass, const Sym3<double>& I,
                              const CollisionShape& shape, const ContactMaterial& material) {
  LinkDescription link;
  link.name = name;
  link.joint.name = name + "_free";
  link.joint.kind = JointKind::floating;
  link.inertia = inertia_about_com(mass, {0, 0, 0}, I);
  link.collisions = {{.shape = shape, .material = material}};
  return link;
}

// A box of 2 kg and 0.4 x 0.4 x 0.2 m, with a frame at a corner.
RobotDescription box(const ContactMaterial& material = {}) {
  RobotDescription robot;
  robot.name = "r";
  const double k = 2.0 / 12;
  robot.links = {floating_body("box", 2, {k * 0.2, k * 0.2, k * 0.32, 0, 0, 0},
                               {ShapeKind::box, {0.2, 0.2, 0.1}}, material)};
  robot.frames = {{"corner", "box", translation<double>({0.2, 0.2, 0.1}), ""}};
  return robot;
}

CollisionDescription floor_of(const ContactMaterial& material) {
  return {.name = "floor", .shape = {ShapeKind::half_space}, .material = material};
}

std::shared_ptr<const Model> on_floor(const RobotDescription& robot,
                                      const ContactMaterial& material = {}) {
  ModelBuilder builder;
  builder.add(robot);
  builder.add(floor_of(material));
  return builder.build();
}

Simulation started(std::shared_ptr<const Model> model, const std::vector<double>& q,
                   const std::vector<double>& v, double step = dt) {
  Simulation run(std::move(model), solver_factory(), Integrator::time_stepping, step);
  run.set_state(q, v);
  return run;
}

// Returns the values of signals at the present state by the names of their columns.
class Row {
 public:
  Row(Simulation& run, const std::vector<std::string>& signals)
      : columns_(Recorder(run.model(), signals).columns()) {
    Recorder recorder(run.model(), signals);
    const auto row = recorder.sample(run);
    values_.assign(row.begin(), row.end());
  }
  double operator[](const std::string& name) const {
    for (size_t k = 0; k < columns_.size(); ++k)
      if (columns_[k].name == name) return values_[k];
    ADD_FAILURE() << "no column " << name;
    return NAN;
  }
  Vec3<double> vector(const std::string& signal, const std::string& part = "") const {
    return {(*this)[signal + "." + part + "x"], (*this)[signal + "." + part + "y"],
            (*this)[signal + "." + part + "z"]};
  }

 private:
  std::vector<Column> columns_;
  std::vector<double> values_;
};

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_LT(norm(a - b), tolerance)
      << a.x << " " << a.y << " " << a.z << " instead of " << b.x << " " << b.y << " " << b.z;
}

const std::vector<std::string> of_box{"contacts",
                                      "contact.box.force",
                                      "contact.box.moment",
                                      "contact.box.points",
                                      "contact.box.penetration",
                                      "contact.box.slip",
                                      "contact.floor:box.force",
                                      "contact.box:world.force",
                                      "contact.box_1:floor.moment",
                                      "contact.world.points",
                                      "r.touch.box",
                                      "r.imu.box",
                                      "r.imu.corner"};

// The floor carries the weight of a box at rest, and an IMU measures +g upwards.
TEST(ContactSignals, BoxAtRest) {
  Simulation run = started(on_floor(box()), {0.3, -0.2, 0.1, 1, 0, 0, 0}, std::vector<double>(6));
  for (int k = 0; k < 20; ++k) run.step();
  const Row row(run, of_box);
  const double weight = 2 * 9.81;
  expect_near(row.vector("contact.box.force"), {0, 0, weight}, 1e-9);
  expect_near(row.vector("contact.floor:box.force"), {0, 0, weight}, 1e-9);
  expect_near(row.vector("contact.box:world.force"), {0, 0, -weight}, 1e-9);
  expect_near(row.vector("contact.box.moment"), {0, 0, 0}, 1e-9);
  // About the origin of the world, which the plane's shape has no link for.
  expect_near(row.vector("contact.box_1:floor.moment"),
              cross(Vec3<double>{0.3, -0.2, 0}, Vec3<double>{0, 0, -weight}), 1e-8);
  EXPECT_EQ(row["contacts"], 4);
  EXPECT_EQ(row["contact.box.points"], 4);
  EXPECT_EQ(row["contact.world.points"], 4);
  EXPECT_EQ(row["r.touch.box"], 1);
  EXPECT_LT(row["contact.box.penetration"], 2e-9);
  EXPECT_LT(row["contact.box.slip"], 1e-12);
  for (const std::string frame : {"r.imu.box", "r.imu.corner"}) {
    expect_near(row.vector(frame, "a"), {0, 0, 9.81}, 1e-9);
    expect_near(row.vector(frame, "w"), {0, 0, 0}, 1e-9);
  }
}

// A located contact acts now: a block that slides without turning has no moment about its centre.
TEST(ContactSignals, MomentOfLocatedContacts) {
  const ContactMaterial material{.mu = 0.3};
  Simulation run(on_floor(box(material), material), solver_factory(), Integrator::rk4, dt);
  run.set_state(std::vector<double>{0, 0, 0.1, 1, 0, 0, 0}, std::vector<double>{0, 0, 0, 3, 4, 0});
  for (int k = 0; k < 5; ++k) run.step();
  const Row row(run, of_box);
  EXPECT_NEAR(row["contact.box.force.z"], 2 * 9.81, 1e-8);
  expect_near(row.vector("contact.box.moment"), {0, 0, 0}, 1e-8);
}

// The force on a sliding block is that of its weight and of friction mu N.
TEST(ContactSignals, SlidingBlock) {
  const ContactMaterial material{.mu = 0.3};
  Simulation run =
      started(on_floor(box(material), material), {0, 0, 0.1, 1, 0, 0, 0}, {0, 0, 0, 3, 4, 0});
  for (int k = 0; k < 5; ++k) run.step();
  const Row row(run, of_box);
  const double weight = 2 * 9.81, speed = norm(Vec3<double>{run.state().v[3], run.state().v[4], 0});
  expect_near(row.vector("contact.box.force"), {-0.3 * weight * 0.6, -0.3 * weight * 0.8, weight},
              1e-8);
  EXPECT_NEAR(row["contact.box.slip"], speed - 0.3 * 9.81 * dt, 1e-9);
  expect_near(row.vector("r.imu.box", "a"), {-0.3 * 9.81 * 0.6, -0.3 * 9.81 * 0.8, 9.81}, 1e-8);
}

// A falling and spinning box touches nothing. An IMU in its centre measures 0, and one beside it
// the centripetal acceleration.
TEST(ContactSignals, FreeFall) {
  Simulation run = started(on_floor(box()), {0, 0, 2, 1, 0, 0, 0}, {0, 0, 5, 1, 2, 3});
  run.step();
  const Row row(run, of_box);
  for (const std::string signal : {"contact.box.force", "contact.floor:box.force"})
    expect_near(row.vector(signal), {0, 0, 0}, 0 + 1e-300);
  for (const std::string signal : {"contacts", "contact.box.points", "contact.box.slip",
                                   "contact.box.penetration", "r.touch.box"})
    EXPECT_EQ(row[signal], 0) << signal;
  expect_near(row.vector("r.imu.box", "a"), {0, 0, 0}, 1e-12);
  expect_near(row.vector("r.imu.box", "w"), {0, 0, 5}, 1e-12);
  expect_near(row.vector("r.imu.corner", "a"), {-25 * 0.2, -25 * 0.2, 0}, 1e-11);
}

// Near the floor, a point within the margin of a step has no force before it touches.
TEST(ContactSignals, NearlyTouchingPointsDoNotTouch) {
  Simulation run = started(on_floor(box()), {0, 0, 0.1 + 0.0015, 1, 0, 0, 0}, {0, 0, 0, 0, 0, -1});
  ASSERT_FALSE(run.contact_forces().empty());
  EXPECT_EQ(Row(run, of_box)["contacts"], 0);
  run.step();
  EXPECT_EQ(Row(run, of_box)["contacts"], 4);
}

// A turntable that turns at w with the acceleration alpha: the IMU at the distance r measures the
// centripetal and the tangential acceleration, and gravity.
TEST(ContactSignals, ImuOnATurntable) {
  LinkDescription table;
  table.name = "table";
  table.joint.name = "axis";
  table.joint.kind = JointKind::revolute;
  table.joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  table.inertia = inertia_about_com(3, {0, 0, 0}, {1, 1, 2, 0, 0, 0});
  RobotDescription robot;
  robot.name = "t";
  robot.links = {table};
  // The axes of the sensor: x forward along the motion, y inward.
  Pose<double> X = rotation_z(M_PI / 2);
  X.p = {0.5, 0, 0.1};
  robot.frames = {{"sensor", "table", X, ""}};
  const double w = 3, alpha = 4;
  Simulation run(build(robot), solver_factory(), Integrator::rk4, dt);
  run.set_load({.tau = {2 * alpha}});
  run.set_state(std::vector{0.7}, std::vector{w});
  const Row row(run, {"t.imu.sensor", "t.joint_wrench.axis", "t.joint_wrench.axis:sensor"});
  expect_near(row.vector("t.imu.sensor", "w"), {0, 0, w}, 1e-12);
  expect_near(row.vector("t.imu.sensor", "a"), {alpha * 0.5, w * w * 0.5, 9.81}, 1e-12);
  expect_near(row.vector("t.joint_wrench.axis", "f"), {0, 0, 3 * 9.81}, 1e-12);
  expect_near(row.vector("t.joint_wrench.axis", "n"), {0, 0, 2 * alpha}, 1e-12);
  // The weight acts 0.5 m behind the sensor's y axis.
  expect_near(row.vector("t.joint_wrench.axis:sensor", "f"), {0, 0, 3 * 9.81}, 1e-12);
  expect_near(row.vector("t.joint_wrench.axis:sensor", "n"), {0.5 * 3 * 9.81, 0, 2 * alpha}, 1e-12);
}

// The wrench of the contacts on a free body is the rate of its momentum minus the weight. The
// inertia is that of a ball, so that the angular momentum is I omega in all axes. The body hits the
// floor with its edges, slides and turns.
TEST(ContactSignals, WrenchOnAFreeBodyIsTheRateOfItsMomentum) {
  const double m = 1.5, I = 0.02;
  RobotDescription robot;
  robot.name = "r";
  robot.links = {floating_body("box", m, {I, I, I, 0, 0, 0}, {ShapeKind::box, {0.2, 0.1, 0.05}},
                               {.restitution = 0.4})};
  Simulation run = started(on_floor(robot), {0, 0, 0.4, 1, 0, 0, 0}, {4, -3, 2, 1, 0.5, -1});
  int touching = 0;
  for (int k = 0; k < 1500; ++k) {
    const Row row(run, {"contacts", "contact.box.force", "contact.box.moment"});
    const auto twist = [&] {
      const std::vector<double>& v = run.state().v;
      return Twist<double>{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    };
    const auto axes = [&] {
      const std::span<const double> q = run.state().q();
      return rotation(Quaternion{q[3], q[4], q[5], q[6]});
    };
    const Mat3<double> R0 = axes();
    const Twist<double> V0 = twist();
    run.step();
    const Mat3<double> R1 = axes();
    const Twist<double> V1 = twist();
    const Vec3<double> force = (m / dt) * (R1 * V1.v - R0 * V0.v) + Vec3<double>{0, 0, m * 9.81},
                       moment = (I / dt) * (R1 * V1.w - R0 * V0.w);
    expect_near(row.vector("contact.box.force"), force, 1e-8 * (1 + norm(force)));
    expect_near(row.vector("contact.box.moment"), moment, 1e-8 * (1 + norm(force)));
    touching += row["contacts"] > 0;
  }
  EXPECT_GT(touching, 500);
  EXPECT_LT(touching, 1500);
}

// A beam of 1 m on a hinge, which lies on a ball at its end. On a floor without friction, the hinge
// and the floor carry half of the weight each.
RobotDescription beam() {
  LinkDescription link;
  link.name = "beam";
  link.joint.name = "hinge";
  link.joint.kind = JointKind::revolute;
  link.joint.placement = ScrewPlacement{translation<double>({0, 0, 0.1}), {0, 1, 0}, {0, 0, 0}};
  link.inertia = inertia_about_com(2, {0.5, 0, 0}, {0.01, 0.2, 0.2, 0, 0, 0});
  link.collisions = {{.name = "ball",
                      .X_LC = translation<double>({1, 0, 0}),
                      .shape = {ShapeKind::sphere, {0.1, 0, 0}}}};
  LinkDescription plate;
  plate.name = "plate";
  plate.parent = "beam";
  plate.joint.name = "glue";
  RobotDescription robot;
  robot.name = "r";
  robot.links = {link, plate};
  robot.frames = {{"tip", "beam", translation<double>({1, 0, 0}), ""}};
  return robot;
}

TEST(ContactSignals, JointWrenchOfABeamOnTheFloor) {
  Simulation run = started(on_floor(beam(), {.mu = 0}), {0}, {0});
  for (int k = 0; k < 10; ++k) run.step();
  const Row row(run, {"contact.beam.force", "contact.beam.moment", "r.joint_wrench.hinge",
                      "r.joint_wrench.hinge:tip", "r.touch.beam"});
  const double half = 9.81;
  expect_near(row.vector("contact.beam.force"), {0, 0, half}, 1e-9);
  expect_near(row.vector("contact.beam.moment"), {0, -half, 0}, 1e-9);
  expect_near(row.vector("r.joint_wrench.hinge", "f"), {0, 0, half}, 1e-9);
  expect_near(row.vector("r.joint_wrench.hinge", "n"), {0, 0, 0}, 1e-9);
  expect_near(row.vector("r.joint_wrench.hinge:tip", "n"), {0, half, 0}, 1e-9);
  EXPECT_EQ(row["r.touch.beam"], 1);
}

// The same beam as a free body, which a closure holds: the wrench of the closure does not contain
// the force of the contact. With damping, the closure is a joint of the tree that carries a half of
// the beam.
TEST(ContactSignals, ClosureOfABeamOnTheFloor) {
  RobotDescription robot = beam();
  robot.links[0].joint = {};
  robot.links[0].joint.name = "free";
  robot.links[0].joint.kind = JointKind::floating;
  robot.closures = {{.name = "pin",
                     .kind = ClosureKind::revolute,
                     .frames = {"world", "beam"},
                     .axes = {{0, 1, 0}, {0, 1, 0}},
                     .origins = {translation<double>({0, 0, 0.1}), Pose<double>::identity()}}};
  for (const bool is_cut : {false, true}) {
    if (is_cut) robot.closures[0].joint.emplace().damping = 0.1;
    const auto model = on_floor(robot, {.mu = 0});
    ASSERT_EQ(model->closures[0].cut.has_value(), is_cut);
    std::vector<double> q = neutral(*model);
    q[size_t(model->joints[size_t(model->joint("free"))].q_index) + 2] = 0.1;
    Simulation run = started(model, q, std::vector<double>(size_t(model->n_v)));
    for (int k = 0; k < 10; ++k) run.step();
    const Row row(run, {"closure.pin", "contact.beam.force", "r.joint_wrench.free"});
    expect_near(row.vector("contact.beam.force"), {0, 0, 9.81}, 1e-7);
    EXPECT_NEAR(norm(row.vector("closure.pin", "f")), 9.81, 1e-7);
    expect_near(row.vector("closure.pin", "n"), {0, 0, 0}, 1e-7);
    expect_near(row.vector("r.joint_wrench.free", "f"), {0, 0, 0}, 1e-7);
    expect_near(row.vector("r.joint_wrench.free", "n"), {0, 0, 0}, 1e-7);
  }
}

// Passive joints of a chain that falls on the floor transmit no torque about their axes. The
// contacts act in the middle of a step, so the error has order 1. It is compared with the moment of
// all forces at 1 m.
TEST(ContactSignals, PassiveJointsOfAChainOnTheFloor) {
  RobotDescription robot;
  robot.name = "r";
  for (int k = 0; k < 3; ++k) {
    LinkDescription link;
    link.name = "link" + std::to_string(k);
    if (k > 0) link.parent = "link" + std::to_string(k - 1);
    link.joint.name = "joint" + std::to_string(k);
    link.joint.kind = JointKind::revolute;
    link.joint.placement = ScrewPlacement{
        translation<double>(k == 0 ? Vec3<double>{0, 0, 1} : Vec3<double>{0.5, 0, 0}),
        {0, 1, 0},
        {0, 0, 0}};
    link.inertia = inertia_about_com(1, {0.25, 0, 0}, {0.01, 0.02, 0.02, 0, 0, 0});
    link.collisions = {
        {.X_LC = translation<double>({0.5, 0, 0}), .shape = {ShapeKind::sphere, {0.03, 0, 0}}}};
    robot.links.push_back(link);
  }
  std::vector<double> worst;
  for (const double step : {1e-3, 2.5e-4}) {
    Simulation run = started(on_floor(robot), {0.8, 0.3, 0.2}, std::vector<double>(3), step);
    worst.push_back(0);
    int touching = 0;
    while (run.time() < 1) {
      const Row row(run, {"contacts", "contact.world.force", "r.joint_wrench.joint0",
                          "r.joint_wrench.joint1", "r.joint_wrench.joint2"});
      for (int k = 0; k < 3; ++k) {
        const std::string signal = "r.joint_wrench.joint" + std::to_string(k);
        worst.back() = std::max(worst.back(), std::abs(row[signal + ".ny"]) /
                                                  (1 + norm(row.vector("contact.world.force")) +
                                                   norm(row.vector(signal, "f"))));
      }
      touching += row["contacts"] > 0;
      run.step();
    }
    EXPECT_GT(touching, 100);
  }
  std::printf("torque of passive joints / force: %.2e m, %.2e m\n", worst[0], worst[1]);
  EXPECT_LT(worst[0], 1e-2);
  EXPECT_LT(worst[1], 0.4 * worst[0]);
}

// Rows depend only on the state, and recording them does not change the run.
TEST(ContactSignals, ReplayedRowsHaveTheSameBits) {
  const auto model = on_floor(box());
  std::vector<std::string> signals = of_box;
  signals.insert(signals.end(), {"r.joint_wrench.box_free", "r.vdot", "energy"});
  Recorder recorder(*model, signals);
  const std::vector<double> q{0, 0, 0.3, 0.8, 0.6, 0, 0}, v{1, 2, 3, 0.5, 0, 0};
  Simulation run = started(model, q, v), unrecorded = started(model, q, v);
  std::vector<Snapshot> states;
  std::vector<std::vector<double>> rows;
  for (int k = 0; k < 300; ++k) {
    const auto row = recorder.sample(run);
    rows.emplace_back(row.begin(), row.end());
    states.push_back(run.snapshot());
    run.step();
    unrecorded.step();
  }
  EXPECT_EQ(run.state_hash(), unrecorded.state_hash());
  for (const size_t k : {280u, 20u, 150u, 299u, 0u}) {
    run.restore(states[k]);
    const auto row = recorder.sample(run);
    EXPECT_EQ(std::vector<double>(row.begin(), row.end()), rows[k]) << k;
  }
}

TEST(ContactSignals, ListedSignalsCanBeRecorded) {
  for (const auto& model : {on_floor(box()), on_floor(beam())}) {
    const std::vector<std::string> all = Recorder::signals(*model);
    EXPECT_THAT(all, testing::Contains("contact.world.penetration"));
    EXPECT_THAT(all, testing::Contains("contacts"));
    EXPECT_NO_THROW(Recorder(*model, all));
  }
}

TEST(ContactSignals, TwoRobotsHaveTheirOwnNames) {
  ModelBuilder builder;
  RobotDescription left = box(), right = box();
  left.name = "left";
  right.name = "contact";
  builder.add(left);
  builder.add(right, translation<double>({0, 1, 0}));
  builder.add(floor_of({}));
  const auto model = builder.build();
  const Recorder recorder(*model, {"left.touch.box", "contact.touch.box", "contact.q",
                                   "contact.contact.box.force", "contact.left.box:contact.box.slip",
                                   "left.joint_wrench.box_free:box", "contact.imu.corner"});
  EXPECT_EQ(recorder.columns()[1].name, "left.touch.box");
}

TEST(ContactSignals, UnknownNamesAreRejected) {
  const auto model = on_floor(beam());
  const auto error = [&](const std::string& signal,
                         std::shared_ptr<const Model> of = nullptr) -> std::string {
    try {
      Recorder(of ? *of : *model, {signal});
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("contact.floor:beam.force"), "no error");
  EXPECT_THAT(error("contact.beam.forse"), HasSubstr("does not end with a quantity"));
  EXPECT_THAT(error("contact.beam.forse"), HasSubstr("did you mean 'force'"));
  EXPECT_THAT(error("contact.beam"), HasSubstr("does not end with a quantity"));
  EXPECT_THAT(error("contact.force"), HasSubstr("does not end with a quantity"));
  EXPECT_THAT(error("contact..force"), HasSubstr("with names of beam, ball, world, floor"));
  EXPECT_THAT(error("contact.baem.force"), HasSubstr("did you mean 'beam'"));
  EXPECT_THAT(error("contact.beam:flor.force"), HasSubstr("does not name links or shapes"));
  EXPECT_THAT(error("contact.beam:beam.force"), HasSubstr("names the same collider twice"));
  EXPECT_THAT(error("contact.beam:ball.force"), HasSubstr("names the same collider twice"));
  EXPECT_THAT(error("r.touch.plate"), HasSubstr("has no collision shapes"));
  EXPECT_THAT(error("r.touch.baem"), HasSubstr("did you mean 'r.touch.beam'"));
  EXPECT_THAT(error("r.imu.tipp"), HasSubstr("did you mean 'r.imu.tip'"));
  EXPECT_THAT(error("r.joint_wrench.hing"), HasSubstr("did you mean 'r.joint_wrench.hinge'"));
  EXPECT_THAT(error("r.joint_wrench.hinge:top"), HasSubstr("there is no signal"));
  EXPECT_THAT(error("r.joint_wrench.glue"),
              HasSubstr("names the fixed joint 'glue', whose links move as one body"));
  const auto without = build(pendulum());
  EXPECT_THAT(error("contacts", without), HasSubstr("needs collision shapes"));
  EXPECT_THAT(error("contact.link1.force", without), HasSubstr("needs collision shapes"));
  RobotDescription apart = beam();
  apart.links[0].collisions[0].group = "g";
  ModelBuilder builder;
  builder.add(apart);
  CollisionDescription floor = floor_of({});
  floor.group = "g";
  builder.add(floor);
  EXPECT_THAT(error("contact.beam:floor.force", builder.build()),
              HasSubstr("this pair is not tested for contact"));
}

}  // namespace
}  // namespace torsor::test
