// Tests of payloads that are attached and released: conserved momentum, and the energy ledger.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"
#include "support/random_state.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

SpatialInertia<double> point(double mass) {
  return inertia_about_com(mass, {0, 0, 0}, {0, 0, 0, 0, 0, 0});
}

// Checks a cart of 1 kg at 3 m/s that attaches 2 kg, at rest or moving, and releases them. This
// happens within a step or at the end of a step.
TEST(Payload, CartAttachesAndReleasesIt) {
  const auto model = build(slider());
  for (const Integrator method : every_integrator())
    for (const double attach : {0.4, 0.4037})
      for (const double speed : {0.0, -0.6}) {
        SCOPED_TRACE(name(method));
        Simulation s(model, solver_factory(), method, 0.01, {},
                     {{.frame = model->frame("cart"),
                       .inertia_F = point(2),
                       .attach = attach,
                       .release = attach + 0.3,
                       .V_WP = {{0, 0, 0}, {speed, 0.5, 0}}}});
        s.set_state(List{0}, List{3});
        while (s.time() < 1 - 1e-9) s.step();
        const double after = (3 + 2 * speed) / 3;
        EXPECT_NEAR(s.state().v[0], after, 1e-14);
        EXPECT_NEAR(s.state().q()[0], 3 * attach + after * (1 - attach), 1e-13);
        // The rail absorbs the momentum of the payload along y.
        const double brought = speed * speed + 0.25, taken = after * after;
        EXPECT_NEAR(s.snapshot()[Work::changes], brought - taken, 1e-13);
        EXPECT_NEAR(s.snapshot()[Work::stops], 1.5 * after * after - 4.5 - brought, 1e-13);
        EXPECT_NEAR(s.ledger_error(), 0, 1e-13);
        EXPECT_EQ(s.present_model(), 2u);
      }
}

Wrench<double> momentum_W(const State& state) {
  const Model& model = state.model();
  std::vector<Twist<double>> V(size_t(model.n_body));
  body_twists(state, V);
  const std::vector<Pose<double>> X = world_poses(state);
  Wrench<double> sum{{0, 0, 0}, {0, 0, 0}};
  for (size_t i = 1; i < V.size(); ++i) sum = sum + transform(X[i], model.inertia_B[i] * V[i]);
  return sum;
}

// Checks a floating robot that attaches a moving payload. The linear and the angular momentum about
// the world's origin must be the sum of both.
TEST(Payload, FloatingRobotConservesMomentum) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    TORSOR_TRACE_SEED(seed);
    RobotDescription robot = random_robot(4, Shape::tree, seed, Kinds::every);
    LinkDescription base;
    base.name = "the_base";
    base.joint.name = "free";
    base.joint.kind = JointKind::floating;
    base.inertia = inertia_about_com(2, {0.1, 0, 0}, {1, 1, 1, 0, 0, 0});
    for (LinkDescription& link : robot.links)
      if (link.parent.empty()) link.parent = base.name;
    if (!robot.dof_order.empty()) robot.dof_order.insert(robot.dof_order.begin(), "free");
    robot.links.insert(robot.links.begin(), base);
    const auto model = build(robot);
    Random random(seed);
    int frame = 0;
    for (int k = 0; k < int(model->frames.size()); ++k)
      if (model->frames[size_t(k)].body == model->n_body - 1) frame = k;
    const Payload payload{.frame = frame,
                          .inertia_F = random_inertia(random, 0.3, 3),
                          .attach = 1e-3,
                          .V_WP = {random.vector(1), random.vector(1)}};
    for (const char* solver : {"articulated_body", "lagrange_christoffel"}) {
      Simulation s(model, solver_factory(solver), Integrator::rk4, 1e-3, {}, {payload}),
          free = Simulation(model, solver_factory(solver), Integrator::rk4, 1e-3);
      const List q = random_position(random, *model, 1), v = random_values(random, model->n_v, 1);
      for (Simulation* each : {&s, &free}) {
        each->set_gravity({0, 0, -3});
        each->set_state(q, v);
        each->step();
      }
      for (size_t k = 0; k < q.size(); ++k)
        EXPECT_NEAR(s.state().q()[k], free.state().q()[k], 1e-15);
      const Pose<double> X = frame_pose(free.state(), model->frames[size_t(frame)]);
      const Twist<double> V{transpose_times(X.R, payload.V_WP.w),
                            transpose_times(X.R, payload.V_WP.v)};
      const Wrench<double> before = momentum_W(free.state()) + transform(X, payload.inertia_F * V),
                           after = momentum_W(s.state());
      const double scale = std::sqrt(dot(before.n, before.n) + dot(before.f, before.f)) + 10;
      EXPECT_NEAR(std::sqrt(dot(before.n - after.n, before.n - after.n)), 0, 1e-13 * scale);
      EXPECT_NEAR(std::sqrt(dot(before.f - after.f, before.f - after.f)), 0, 1e-13 * scale);
      EXPECT_LT(s.snapshot()[Work::stops], 0);
      // The payload adds its own energy, which the ledger counts as a change. The kinetic energy
      // lost in the impact is counted as work of stops.
      const double own =
          0.5 * dot(V, payload.inertia_F * V) -
          dot(Vec3<double>{0, 0, -3}, payload.inertia_F.m * X.p + X.R * payload.inertia_F.h);
      EXPECT_NEAR(s.snapshot()[Work::changes], own, 1e-12 * scale);
      EXPECT_NEAR(s.energy().sum(), free.energy().sum() + own + s.snapshot()[Work::stops],
                  1e-11 * scale);
      EXPECT_GT(s.model().inertia_B.back().m, free.model().inertia_B.back().m + 2.9);
    }
  }
}

// Checks that a payload attached at the start is equivalent to a link that includes it.
TEST(Payload, FromTheStartIsPartOfTheLink) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2)), laden = robot;
  laden.links[1].inertia = laden.links[1].inertia +
                           transform(Pose<double>{Mat3<double>::identity(), {1, 0, 0}}, point(0.5));
  const auto model = build(robot);
  Simulation a(model, solver_factory(), Integrator::rk4, 1e-3, {},
               {{.frame = model->frame("tip2"), .inertia_F = point(0.5)}});
  Simulation b(build(laden), solver_factory(), Integrator::rk4, 1e-3);
  for (Simulation* s : {&a, &b}) {
    s->set_gravity({0, -g, 0});
    s->set_state(List{0.3, 0.4}, List{1, -1});
    for (int k = 0; k < 500; ++k) s->step();
  }
  for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-12);
  EXPECT_EQ(a.snapshot()[Work::changes], 0);
}

// Checks a joint that static friction keeps at rest. It slips while it carries the payload, and
// sticks again without it.
TEST(Payload, MayBeTooHeavyForStiction) {
  RobotDescription robot = slider();
  robot.links[0].joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  robot.links[0].joint.drives = {
      {.friction = {.law = Friction::Law::coulomb, .coulomb = 12, .breakaway = 15}}};
  const auto model = build(robot);
  Simulation s(
      model, solver_factory(), Integrator::rk4, 0.01, {},
      {{.frame = model->frame("cart"), .inertia_F = point(1), .attach = 0.2, .release = 0.5}});
  s.set_gravity({0, 0, -g});
  while (s.time() < 0.195) s.step();
  EXPECT_EQ(s.state().v[0], 0);
  while (s.time() < 0.495) s.step();
  const double down = 0.3 * (2 * g - 12) / 2, up = 12 - g;
  EXPECT_NEAR(s.state().v[0], -down, 1e-12);
  while (s.time() < 2) s.step();
  EXPECT_EQ(s.state().v[0], 0);
  EXPECT_NEAR(s.state().q()[0], -(0.15 * down + down * down / (2 * up)), 1e-11);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-11);
}

// Checks that an attachment does not change the velocity of prescribed joints.
TEST(Payload, DoesNotSlowPrescribedJoints) {
  RobotDescription robot = slider();
  LinkDescription block = slider().links[0];
  block.name = "block", block.parent = "cart", block.joint.name = "slide";
  robot.links.push_back(block);
  const auto model = build(robot);
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01, {},
               {{.frame = model->frame("block"), .inertia_F = point(3), .attach = 0.1}});
  Load load;
  load.prescriptions = {{model->joint("rail"), [](double, std::span<double> v,
                                                  std::span<double> a) { v[0] = 2, a[0] = 0; }}};
  s.set_load(load);
  s.set_state(List{0, 0}, List{2, 2});
  for (int k = 0; k < 20; ++k) s.step();
  EXPECT_EQ(s.state().v[0], 2);
  // The block of 1 kg moves at 4 m/s when it attaches 3 kg at rest. The cart moves at 2 m/s.
  EXPECT_NEAR(s.state().v[1], 4.0 / 4 - 2, 1e-14);
  EXPECT_NEAR(s.snapshot()[Work::stops], 0.5 * 4 * 1 - 0.5 * 1 * 16, 1e-13);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-13);
}

// Checks that an attachment does not change the velocity of joints that mimic prescribed ones. The
// payload is on the follower, or on a block that slides on it.
//
// The follower moves at -2 times the velocity of the cart relative to it, so at -2 m/s. On the
// follower, the payload of 3 kg at rest receives the impulse -6 N s. The generalised impulse of the
// drive is therefore (1 - 2) (-6 N s) at 2 m/s, or 12 J. Half of it is the kinetic energy of the
// payload, and the impact dissipates the other half.
TEST(Payload, DoesNotSlowMimicsOfPrescribedJoints) {
  RobotDescription robot = slider();
  LinkDescription follower = slider().links[0], block = slider().links[0];
  follower.name = "follower", follower.parent = "cart", follower.joint.name = "follow";
  follower.joint.mimic = Mimic{"rail", -2, 0};
  block.name = "block", block.parent = "follower", block.joint.name = "slide";
  robot.links.push_back(follower);
  robot.links.push_back(block);
  const auto model = build(robot);
  for (const Integrator method : every_integrator())
    for (const char* carrier : {"follower", "block"}) {
      SCOPED_TRACE(std::string(name(method)) + " " + carrier);
      Simulation s(model, solver_factory(), method, 0.01, {},
                   {{.frame = model->frame(carrier), .inertia_F = point(3), .attach = 0.1}});
      Load load;
      load.prescriptions = {
          {model->joint("rail"),
           [](double, std::span<double> v, std::span<double> a) { v[0] = 2, a[0] = 0; }}};
      s.set_load(load);
      s.set_state(List{0, 0, 0}, List{2, -4, 5});
      for (int k = 0; k < 20; ++k) s.step();
      EXPECT_EQ(s.state().v[0], 2);
      EXPECT_EQ(s.state().v[1], -4);
      EXPECT_NEAR(s.state().q()[1], -0.8, 1e-13);
      if (carrier == std::string("follower")) {
        EXPECT_NEAR(s.state().v[2], 5, 1e-13);
        EXPECT_NEAR(s.snapshot()[Work::motors], 12, 1e-12);
        EXPECT_NEAR(s.snapshot()[Work::stops], -6, 1e-12);
      } else {
        // The block of 1 kg moves at -2 + 5 = 3 m/s when it attaches 3 kg at rest.
        EXPECT_NEAR(s.state().v[2], 3.0 / 4 + 2, 1e-13);
        EXPECT_NEAR(s.snapshot()[Work::motors], 0, 1e-12);
        EXPECT_NEAR(s.snapshot()[Work::stops], 0.5 * 4 * 0.75 * 0.75 - 0.5 * 9, 1e-12);
      }
      EXPECT_NEAR(s.ledger_error(), 0, 1e-12);
    }
}

// Checks a driven platform that attaches a load at rest. The drive provides twice the energy that
// the load receives.
TEST(Payload, IsAcceleratedByADrive) {
  const auto model = build(slider());
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01, {},
               {{.frame = model->frame("cart"), .inertia_F = point(3), .attach = 0.1}});
  Load load;
  load.prescriptions = {
      {0, [](double, std::span<double> v, std::span<double> a) { v[0] = 2, a[0] = 0; }}};
  s.set_load(load);
  for (int k = 0; k < 20; ++k) s.step();
  EXPECT_NEAR(s.snapshot()[Work::motors], 12, 1e-13);
  EXPECT_NEAR(s.snapshot()[Work::stops], -6, 1e-13);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-13);
}

TEST(Payload, ContinuesFromASnapshot) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  const auto make = [&](double mass) {
    Simulation s(model, solver_factory(), Integrator::dormand_prince, 0.01, {},
                 {{.frame = model->frame("tip2"),
                   .inertia_F = point(mass),
                   .attach = 0.1,
                   .release = 0.255}});
    s.set_gravity({0, -g, 0});
    s.set_state(List{0.1, 0.2}, List{1, 0});
    return s;
  };
  Simulation whole = make(0.5);
  std::vector<std::byte> saved;
  for (int k = 0; k < 40; ++k) {
    Simulation fork = make(0.5);
    fork.load(saved = whole.save());
    EXPECT_EQ(fork.present_model(), whole.present_model());
    whole.step();
    fork.step();
    ASSERT_EQ(bits(whole.snapshot()), bits(fork.snapshot())) << k;
  }
  EXPECT_THROW(make(0.6).load(saved), Error);
}

// Checks a payload that is released when another is attached. The two decimal times are equal
// except for rounding. Both changes happen at once, so the cart never carries both payloads.
TEST(Payload, IsReleasedWhenTheNextIsAttached) {
  const auto model = build(slider());
  const int cart = model->frame("cart");
  for (const double dt : {0.1, 0.25}) {
    Experiment experiment;
    experiment.model = model;
    experiment.q = {0}, experiment.v = {3};
    experiment.dt = dt, experiment.duration = 0.5;
    experiment.compare = {"newton_euler"};
    experiment.payloads = {
        {.frame = cart,
         .inertia_F = point(2),
         .attach = 0.1,
         .release = 0.1 + 0.2,
         .V_WP = {{0, 0, 0}, {3, 0, 0}}},
        {.frame = cart, .inertia_F = point(4), .attach = 0.3, .V_WP = {{0, 0, 0}, {-2, 0, 0}}}};
    torsor::Run run(with_solvers(experiment));
    run.execute([](std::span<const double>) {}, [](const Simulation&) { return true; });
    EXPECT_NEAR(run.simulation().state().v[0], (3 - 8) / 5.0, 1e-14);
    EXPECT_EQ(run.simulation().models().size(), 3u);
  }
}

TEST(Payload, IsComparedWithTheOtherSolvers) {
  Experiment experiment = swing({"newton_euler", "lagrange_christoffel", "lie_group"});
  experiment.payloads = {{.frame = experiment.model->frame("tip2"),
                          .inertia_F = point(2),
                          .attach = 0.1,
                          .release = 0.2}};
  experiment.duration = 0.3;
  torsor::Run run(with_solvers(experiment));
  run.execute([](std::span<const double>) {}, [](const Simulation&) { return true; });
  EXPECT_EQ(run.simulation().present_model(), 2u);
  for (int solver = 0; solver < 3; ++solver)
    for (const Compared quantity : all_compared)
      EXPECT_FALSE(run.comparison()->worst(solver, quantity).disagreement.broken())
          << name(quantity);
}

TEST(Payload, RejectsInvalidPayloads) {
  const auto model = build(slider());
  const auto rejection_message = [&](const Payload& payload) -> std::string {
    try {
      Simulation s(model, solver_factory(), Integrator::rk4, 0.01, {}, {payload});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const int cart = model->frame("cart");
  EXPECT_EQ(rejection_message({.frame = cart, .inertia_F = point(1)}), "");
  EXPECT_THAT(rejection_message({.frame = cart, .inertia_F = point(1), .attach = -1}),
              HasSubstr("attached at -1 s"));
  EXPECT_THAT(rejection_message({.frame = cart, .inertia_F = point(1), .attach = 2, .release = 2}),
              HasSubstr("released at 2 s, which is not after 2 s"));
  EXPECT_THAT(rejection_message({.frame = cart, .inertia_F = point(1), .attach = std::nan("")}),
              HasSubstr("attached at nan s"));
}

}  // namespace
}  // namespace torsor::test
