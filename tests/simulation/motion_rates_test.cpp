// Tests of the derivatives of a motion's rates, and of the rates of its works alone.

#include <gtest/gtest.h>

#include "simulation/contact_bodies.hpp"
#include "simulation/elastic_arms.hpp"
#include "support/random_robot.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor::test {
namespace {

// Returns a motion with constant torques at the motors. locates_contacts: see Motion.
std::unique_ptr<Motion> motion_of(std::shared_ptr<const Model> model, const std::string& solver,
                                  double locates_contacts = 1e-3) {
  auto out = std::make_unique<Motion>(model, solver_factory(solver), 0, std::vector<Payload>{},
                                      MultiplierSolver(), locates_contacts);
  Load load;
  load.tau.assign(size_t(model->n_v), 0.7);
  out->set_load(load);
  return out;
}

std::vector<double> random_state(const Motion& motion, uint64_t seed) {
  Random random(seed);
  return random_values(random, motion.layout().size(), 0.5);
}

// Returns J = dz'/dz without the columns of works, by central differences.
Eigen::MatrixXd differences(Motion& motion, std::vector<double> z) {
  constexpr double h = 1e-6;
  const int size = motion.layout().size(), columns = motion.layout().first_work();
  Eigen::MatrixXd out(size, columns);
  Vector ahead(size), behind(size);
  for (int j = 0; j < columns; ++j) {
    const double at = z[size_t(j)];
    z[size_t(j)] = at + h;
    EXPECT_TRUE(motion.rate(0, z.data(), 0, ahead.data()));
    z[size_t(j)] = at - h;
    EXPECT_TRUE(motion.rate(0, z.data(), 0, behind.data()));
    z[size_t(j)] = at;
    out.col(j) = (ahead - behind) / (2 * h);
  }
  return out;
}

void expect_derivatives(std::shared_ptr<const Model> model) {
  TORSOR_TRACE_SEED(21);
  const auto motion = motion_of(model, "newton_euler");
  const std::vector<double> z = random_state(*motion, 21);
  const Eigen::MatrixXd expected = differences(*motion, z);
  Eigen::MatrixXd J(expected.rows(), expected.cols());
  ASSERT_TRUE(motion->jacobian(0, z.data(), J.data()));
  // The bound is the rounding error of forward differences, sqrt(eps), with a margin of 100.
  EXPECT_LT((J - expected).norm(), 1.5e-6 * expected.norm());
}

TEST(MotionRates, DerivativesWithMotorsAndSpringsEqualDifferences) {
  expect_derivatives(mixed_tree());
}

TEST(MotionRates, DerivativesWithBristlesEqualDifferences) {
  RobotDescription robot = pendulum(0.3);
  Drive drive;
  drive.friction = {.law = Friction::Law::lugre,
                    .viscous = 0.2,
                    .coulomb = 0.5,
                    .breakaway = 0.8,
                    .decay = 3,
                    .bristle_stiffness = 40,
                    .bristle_damping = 2};
  robot.links[0].joint.drives = {drive};
  expect_derivatives(build(robot));
}

// Returns whether derivatives of the rates at a random state have a formula.
bool has_derivatives(Motion& motion) {
  const std::vector<double> z = random_state(motion, 22);
  std::vector<double> J(z.size() * z.size());
  return motion.jacobian(0, z.data(), J.data());
}

TEST(MotionRates, DerivativesAreNotOfferedWithoutThoseOfTheSolverAndOfForces) {
  const auto model = mixed_tree();
  EXPECT_FALSE(has_derivatives(*motion_of(model, "articulated_body")));
  const auto motion = motion_of(model, "newton_euler");
  EXPECT_TRUE(has_derivatives(*motion));
  Load load = motion->load();
  int moving = 0;
  while (model->frames[size_t(moving)].body == 0) ++moving;
  load.wrench_F = {{moving, {{0.1, -0.2, 0.3}, {1, 2, -1}}}};
  motion->set_load(load);
  EXPECT_FALSE(has_derivatives(*motion));
}

// Returns a chain of two hinges with axes that are not parallel.
RobotDescription chain() {
  RobotDescription out = pendulum(0.3);
  LinkDescription link = out.links[0];
  link.inertia = inertia_about_com(2, {0.2, 0.1, 0.05}, {0.05, 0.06, 0.07, 0.01, 0, 0});
  link.name = "second";
  link.parent = out.links[0].name;
  link.joint.name = "second_joint";
  link.joint.placement =
      ScrewPlacement{.X_PL = translation<double>({0.1, 0.2, -0.4}), .axis = {1, 0, 0}};
  out.links.push_back(link);
  return out;
}

// Checks each joint kind at the end of the chain. Its formula needs v = dq/dt.
TEST(MotionRates, DerivativesAreOfferedForJointsWhoseRatesAreThoseOfCoordinates) {
  for (const std::string& name : joint_kind_names()) {
    SCOPED_TRACE(name);
    RobotDescription robot = chain();
    robot.links[1].joint.kind = *joint_kind(name);
    if (!traits(*joint_kind(name)).axis) robot.links[1].joint.placement = ScrewPlacement{};
    robot.links[1].joint.pitch = traits(*joint_kind(name)).user_pitch ? 0.1 : 0;
    if (traits(*joint_kind(name)).n_v == 0) robot.links[1].joint.damping = 0;
    const auto model = build(robot);
    EXPECT_EQ(has_derivatives(*motion_of(model, "newton_euler")), model->mapped.empty());
    if (model->mapped.empty()) expect_derivatives(model);
  }
}

TEST(MotionRates, DerivativesAreNotOfferedWithConstraints) {
  EXPECT_TRUE(has_derivatives(*motion_of(build(chain()), "newton_euler")));
  RobotDescription mimics = chain();
  mimics.links[1].joint.mimic = Mimic{mimics.links[0].joint.name, 2, 0.1};
  EXPECT_FALSE(has_derivatives(*motion_of(build(mimics), "newton_euler"))) << "mimic joint";
  RobotDescription closed = chain();
  closed.closures = {{.name = "loop", .kind = ClosureKind::distance, .parameter = 1}};
  closed.closures[0].frames[0] = "second";
  closed.closures[0].frames[1] = "world";
  closed.closures[0].origins[0] = translation<double>({0, 0, -1});
  EXPECT_FALSE(has_derivatives(*motion_of(build(closed), "newton_euler"))) << "closure";
}

TEST(MotionRates, DerivativesAreNotOfferedWithPrescribedJoints) {
  const auto motion = motion_of(build(chain()), "newton_euler");
  Load load = motion->load();
  load.tau[1] = 0;
  load.prescriptions = {
      {.joint = 1, .motion = [](double, std::span<double> v, std::span<double> vdot) {
         v[0] = 0.4, vdot[0] = 0.2;
       }}};
  motion->set_load(load);
  EXPECT_FALSE(has_derivatives(*motion));
}

// Checks contacts that are constraints, and contacts with springs.
TEST(MotionRates, DerivativesAreNotOfferedWithContacts) {
  RobotDescription robot = chain();
  EXPECT_TRUE(has_derivatives(*motion_of(on_plane(robot, {}), "newton_euler")));
  robot.links[1].collisions = {{.shape = {ShapeKind::sphere, {0.1, 0, 0}}}};
  EXPECT_FALSE(has_derivatives(*motion_of(on_plane(robot, {}), "newton_euler")));
  EXPECT_TRUE(has_derivatives(*motion_of(on_plane(robot, {}), "newton_euler", 0)))
      << "the contacts are impulses of steps";
  ContactMaterial soft;
  soft.stiffness = 1e4;
  robot.links[1].collisions[0].material = soft;
  EXPECT_FALSE(has_derivatives(*motion_of(on_plane(robot, soft), "newton_euler", 0)));
}

TEST(MotionRates, WorkRatesAreThoseOfAllRates) {
  for (const bool moves : {false, true}) {
    const auto model = mixed_tree();
    const auto motion = motion_of(model, "articulated_body");
    Load load = motion->load();
    if (moves) {
      const int joint = model->joint("slide_joint");
      load.tau[size_t(model->joints[size_t(joint)].v_index)] = 0;
      load.prescriptions = {
          {.joint = joint, .motion = [](double, std::span<double> v, std::span<double> vdot) {
             v[0] = 0.4, vdot[0] = 0.2;
           }}};
    }
    motion->set_load(load);
    const std::vector<double> z = random_state(*motion, 23);
    std::vector<double> expected(z.size()), works(z.size());
    ASSERT_TRUE(motion->rate(0, z.data(), 0, expected.data()));
    ASSERT_TRUE(motion->work_rates(0, z.data(), works.data()));
    for (size_t i = size_t(motion->layout().first_work()); i < z.size(); ++i)
      EXPECT_EQ(works[i], expected[i]) << i;
    EXPECT_NE(expected[size_t(motion->layout().first_work())], 0);
  }
}

}  // namespace
}  // namespace torsor::test
