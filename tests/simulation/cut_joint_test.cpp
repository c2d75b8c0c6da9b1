// Tests of closures with friction, springs, stops and motors: a four-bar linkage has the same
// motion whether its pin is a closure with these options, or a joint of the tree.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/constraints/cut_joint.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

constexpr double crank = 0.3, coupler = 0.8, rocker = 0.6, ground = 0.9;

LinkDescription bar(const std::string& name, const std::string& parent, const std::string& joint,
                    double x, double from, double length) {
  LinkDescription link;
  link.name = name;
  link.parent = parent;
  link.joint.name = joint;
  link.joint.kind = JointKind::revolute;
  link.joint.placement = ScrewPlacement{translation<double>({x, 0, 0}), {0, 1, 0}};
  const double mass = 3 * length, J = mass * length * length / 12;
  link.inertia = inertia_about_com(mass, {from + length / 2, 0, 0}, {1e-3, J, J, 0, 0, 0});
  return link;
}

// The closure "pin" between coupler and rocker. cut_coupler: the coupler is the second body.
RobotDescription with_pin_closure(const std::optional<JointDescription>& options,
                                  bool cut_coupler = false) {
  RobotDescription robot;
  robot.name = "linkage";
  robot.links = {bar("crank", "", "drive", 0, 0, crank),
                 bar("coupler", "crank", "elbow", crank, 0, coupler),
                 bar("rocker", "", "hinge", ground, 0, rocker)};
  ClosureDescription pin{
      .name = "pin",
      .kind = ClosureKind::revolute,
      .frames = {"coupler", "rocker"},
      .axes = {{0, 1, 0}, {0, 1, 0}},
      .origins = {translation<double>({coupler, 0, 0}), translation<double>({rocker, 0, 0})},
      .joint = options};
  if (cut_coupler) {
    std::swap(pin.frames[0], pin.frames[1]);
    std::swap(pin.origins[0], pin.origins[1]);
    pin.axes[0] = pin.axes[1] = {0, -1, 0};  // the coordinate remains the same
  }
  robot.closures = {pin};
  return robot;
}

// The joint "pin" in the tree; the hinge at the ground closes the loop.
RobotDescription with_pin_in_tree(const JointDescription& options) {
  RobotDescription robot = with_pin_closure({});
  const JointDescription plain = bar("rocker", "coupler", "pin", coupler, -rocker, rocker).joint;
  robot.links[2] = bar("rocker", "coupler", "pin", coupler, -rocker, rocker);
  robot.links[2].joint = options;
  robot.links[2].joint.name = "pin";
  robot.links[2].joint.kind = JointKind::revolute;
  robot.links[2].joint.placement = plain.placement;
  robot.closures = {
      {.name = "hinge",
       .kind = ClosureKind::revolute,
       .frames = {"rocker", "world"},
       .axes = {{0, 1, 0}, {0, 1, 0}},
       .origins = {translation<double>({-rocker, 0, 0}), translation<double>({ground, 0, 0})}}};
  return robot;
}

struct Linkage {
  std::shared_ptr<const Model> model;
  Simulation run;
  Linkage(const RobotDescription& robot, const char* other, double tau)
      : model(build(robot)),
        run(model, solver_factory(), Integrator::dormand_prince, 0.01, {1e-12, 1e-12}) {
    run.set_gravity({0, 0, -g});
    Load load;
    load.tau.assign(size_t(model->n_v), 0.0);
    if (tau != 0) load.tau[size_t(dof("pin"))] = tau;
    run.set_load(load);
    std::vector<double> q(size_t(model->n_q), 0.0), v(q);
    std::vector<char> held(size_t(model->n_v), 0);
    q[size_t(dof("drive"))] = -0.5;
    q[size_t(dof("elbow"))] = -0.1;
    // The hinge at -1.8, or the pin at -1.8 + 0.6.
    if (other) q[size_t(dof(other))] = std::string(other) == "hinge" ? -1.8 : -1.2;
    held[size_t(dof("drive"))] = 1;
    v[size_t(dof("drive"))] = 4;
    run.set_state(q, v, held);
  }
  int dof(const char* joint) const { return model->joints[size_t(model->joint(joint))].v_index; }
  double q(const char* joint) const { return run.state().q()[size_t(dof(joint))]; }
  double v(const char* joint) const { return run.state().v[size_t(dof(joint))]; }
};

JointDescription with(const Drive& drive) {
  JointDescription joint;
  joint.drives = {drive};
  return joint;
}

void expect_same_motion(const JointDescription& options, double tau = 0, double tolerance = 1e-9) {
  for (const bool cut_coupler : {false, true}) {
    Linkage cut(with_pin_closure(options, cut_coupler), "hinge", tau),
        tree(with_pin_in_tree(options), "pin", tau);
    for (int k = 0; k < 100; ++k) {
      cut.run.step();
      tree.run.step();
      for (const char* joint : {"drive", "elbow", "pin"}) {
        ASSERT_NEAR(cut.q(joint), tree.q(joint), tolerance) << joint << " at " << k;
        ASSERT_NEAR(cut.v(joint), tree.v(joint), 30 * tolerance) << joint << " at " << k;
      }
    }
    EXPECT_GT(std::abs(tree.q("drive") + 0.5), 0.5);
    EXPECT_NEAR(cut.run.energy().sum(), tree.run.energy().sum(), 1e-7);
    EXPECT_LT(std::abs(cut.run.ledger_error()), 1e-7);
  }
}

TEST(CutJoint, WithSpringAndDamping) {
  JointDescription joint = with({.spring = {5, -1}, .passive = true});
  joint.damping = 0.2;
  expect_same_motion(joint);
}

TEST(CutJoint, WithFriction) {
  expect_same_motion(with(
      {.friction = {.law = Friction::Law::coulomb, .viscous = 0.1, .coulomb = 1, .breakaway = 1.5},
       .passive = true}));
  expect_same_motion(with({.friction = {.law = Friction::Law::lugre,
                                        .viscous = 0.1,
                                        .coulomb = 1,
                                        .breakaway = 1.5,
                                        .decay = 10,
                                        .bristle_stiffness = 100},
                           .passive = true}));
}

Motor geared_motor() {
  Motor motor;
  motor.rotor_inertia = 1e-3;
  motor.gear_ratio = 10;
  return motor;
}

TEST(CutJoint, WithMotor) {
  expect_same_motion(with({.motor = geared_motor()}), 1.5);
}

TEST(CutJoint, WithElasticMotor) {
  expect_same_motion(with({.elasticity = Elasticity{200, 0, 0.5}, .motor = geared_motor()}), 0.5);
}

TEST(CutJoint, WithStops) {
  JointDescription joint = with({.stop = Stop{0.5}, .passive = true});
  joint.lower = -1.6;
  joint.upper = -0.6;
  Linkage tree(with_pin_in_tree(joint), "pin", 0);
  double lowest = 0, highest = -3;
  for (int k = 0; k < 100; ++k) {
    tree.run.step();
    lowest = std::min(lowest, tree.q("pin")), highest = std::max(highest, tree.q("pin"));
  }
  EXPECT_GT(lowest, -1.6 - 1e-9);
  EXPECT_LT(highest, -0.6 + 1e-9);
  EXPECT_LT(tree.run.snapshot()[Work::stops], -0.01) << "it hits the stops";
  expect_same_motion(joint, 0, 1e-8);
}

// Without options, the cut changes neither the motion nor the wrench of the coupler on the rocker.
TEST(CutJoint, HasTheWrenchOfTheClosure) {
  Linkage plain(with_pin_closure({}), "hinge", 0);
  std::vector<Linkage> cuts;
  cuts.emplace_back(with_pin_closure(JointDescription{}), "hinge", 0);
  cuts.emplace_back(with_pin_closure(JointDescription{}, true), "hinge", 0);
  for (int k = 0; k < 30; ++k) {
    plain.run.step();
    const Wrench<double> F = plain.run.closure_wrenches()[0];
    const Closure& closure = plain.model->closures[0];
    const Mat3<double> R = frame_pose(plain.run.state(), {"", closure.body_A, closure.X_BA}).R;
    for (size_t c = 0; c < cuts.size(); ++c) {
      Linkage& cut = cuts[c];
      cut.run.step();
      const Closure& weld = cut.model->closures[0];
      ASSERT_TRUE(weld.cut);
      Wrench<double> F_cut = cut_joint_wrench(cut.run.state(), cut.run.acceleration(), weld,
                                              cut.run.closure_wrenches()[0]);
      const Mat3<double> R_cut =
          frame_pose(cut.run.state(), {"", weld.cut->body_A, weld.cut->X_BA}).R;
      const double sign = c == 0 ? 1 : -1;  // the second one is the wrench on the coupler
      EXPECT_NEAR(norm(R * F.f - sign * (R_cut * F_cut.f)), 0, 1e-7) << k << " of " << c;
      EXPECT_NEAR(dot(R * F.f, R * F.f), dot(F_cut.f, F_cut.f), 1e-5);
    }
  }
}

TEST(CutJoint, KeepsTheMass) {
  const auto cut = build(with_pin_closure(JointDescription{})), plain = build(with_pin_closure({}));
  double mass_cut = 0, mass_plain = 0, links = 0;
  for (const auto& M : cut->inertia_B) mass_cut += M.m;
  for (const auto& M : plain->inertia_B) mass_plain += M.m;
  for (const Link& link : cut->links) links += link.inertia_L.m;
  EXPECT_DOUBLE_EQ(mass_cut, mass_plain);
  EXPECT_DOUBLE_EQ(links, mass_plain);
}

// A spherical, universal or cylindrical pin with damping: the energy ledger closes, and the closure
// errors vanish.
TEST(CutJoint, OfEveryKind) {
  for (const ClosureKind kind :
       {ClosureKind::prismatic, ClosureKind::cylindrical, ClosureKind::universal,
        ClosureKind::spherical, ClosureKind::planar, ClosureKind::screw}) {
    for (const bool swapped : {false, true}) {
      RobotDescription robot;
      robot.name = "pair";
      LinkDescription floating;
      floating.name = "base";
      floating.joint.name = "free";
      floating.joint.kind = JointKind::floating;
      floating.inertia = inertia_about_com(2, {0.1, 0, 0.2}, {0.3, 0.4, 0.5, 0.01, 0, 0});
      robot.links = {floating};
      ClosureDescription closure{.name = "guide", .kind = kind, .frames = {"world", "base"}};
      if (swapped) std::swap(closure.frames[0], closure.frames[1]);
      if (kind == ClosureKind::universal) closure.axes[1] = {1, 0, 0};
      if (kind == ClosureKind::screw) closure.parameter = 0.1;
      RobotDescription plain = robot;
      plain.closures = {closure};
      closure.joint = JointDescription{};
      robot.closures = {closure};
      Simulation a(build(plain), solver_factory(), Integrator::dormand_prince, 0.01,
                   {1e-11, 1e-11}),
          b(build(robot), solver_factory(), Integrator::dormand_prince, 0.01, {1e-11, 1e-11});
      const Vec3<double> tilted{1, 2, -9};
      for (Simulation* s : {&a, &b}) {
        s->set_gravity(tilted);
        State start(s->state().model_ptr());
        if (s == &b) fit_cut_joint(start, 0);
        std::vector<char> held(size_t(s->model().n_v), 0);
        std::fill_n(held.begin(), 6, char(1));
        s->set_state(start.q(), std::vector<double>(held.size(), 0.0), held);
      }
      for (int k = 0; k < 30; ++k) a.step(), b.step();
      const Frame base{"", 1, Pose<double>::identity()};
      const Pose<double> X_a = frame_pose(a.state(), base), X_b = frame_pose(b.state(), base);
      for (int i = 0; i < 9; ++i)
        EXPECT_NEAR(X_a.R.m[i], X_b.R.m[i], 1e-8) << traits(kind).name << swapped;
      EXPECT_NEAR(norm(X_a.p - X_b.p), 0, 1e-8) << traits(kind).name << swapped;
      EXPECT_LT(std::abs(b.ledger_error()), 1e-8) << traits(kind).name;
    }
  }
}

// The rest of the spring of a spherical closure is the rotation of the second frame relative to the
// first, whichever body is cut. A link on a hinge along x between the world and a link that is at
// rest settles where the spring has no torque.
TEST(CutJoint, RestOfASpringDoesNotDependOnTheBodyThatIsCut) {
  const double angle = 2 * std::atan2(0.6, 0.8);
  for (const bool massless : {false, true})
    for (const bool swapped : {false, true}) {
      RobotDescription robot;
      robot.name = "robot";
      LinkDescription link;
      link.name = "c";
      link.joint.name = "hinge";
      link.joint.kind = JointKind::revolute;
      link.joint.placement = ScrewPlacement{Pose<double>::identity(), {1, 0, 0}};
      link.joint.armature = 0.01;
      if (!massless) link.inertia = inertia_about_com(1, {0, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
      LinkDescription base;
      base.name = "b";
      base.joint.name = "post";
      base.joint.kind = JointKind::prismatic;
      base.inertia = inertia_about_com(1, {0, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
      robot.links = {base, link};
      ClosureDescription ball{.name = "ball", .kind = ClosureKind::spherical, .frames = {"b", "c"}};
      if (swapped) std::swap(ball.frames[0], ball.frames[1]);
      ball.joint = JointDescription{};
      ball.joint->spring = PoseSpring{.angular = 5, .rest = {0.8, 0.6, 0, 0}};
      robot.closures = {ball};
      const auto model = build(robot);
      Simulation s(model, solver_factory(), Integrator::dormand_prince, 0.01, {1e-11, 1e-11});
      s.set_gravity({0, 0, 0});
      const double at_rest = swapped ? -angle : angle;
      State start(model);
      std::vector<double> q(start.q().begin(), start.q().end());
      q[size_t(model->coordinate[size_t(model->joints[size_t(model->joint("hinge"))].v_index)])] =
          at_rest;
      start.set_q(q);
      fit_cut_joint(start, 0);
      s.set_state(start.q(), std::vector<double>(size_t(model->n_v), 0.0));
      EXPECT_EQ(model->closures[0].cut->is_A_cut, massless && !swapped);
      EXPECT_NEAR(s.energy().elastic, 0, 1e-12) << "massless " << massless << ", " << swapped;
      for (int k = 0; k < 10; ++k) s.step();
      EXPECT_NEAR(s.energy().kinetic, 0, 1e-12) << "massless " << massless << ", " << swapped;
    }
}

}  // namespace
}  // namespace torsor::test
