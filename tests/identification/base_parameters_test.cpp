// Tests of the linear model and the base parameters. Y pi must be the dynamics with friction. The
// ranks, names and values must be those of the literature, and the rules of Gautier and Khalil must
// agree with the numerical method.

#include "torsor/identification/base_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/dense_dynamics.hpp"
#include "support/known_robots.hpp"
#include "support/random_robot.hpp"
#include "torsor/identification/grouping_rules.hpp"
#include "torsor/mechanics/random_state.hpp"

namespace torsor::test {
namespace {

constexpr Vec3<double> gravity_W{0, 0, -9.81};
constexpr ParameterChoice inertial{Included::none, Included::none},
    with_rotors{Included::all, Included::none};

Vector values(const LinearModel& linear) {
  Vector pi(Eigen::Index(linear.parameters().size()));
  for (Eigen::Index p = 0; p < pi.size(); ++p) pi[p] = linear.parameters()[size_t(p)].value;
  return pi;
}
Matrix regressor(LinearModel& linear, const State& state, const Vector& vdot) {
  Matrix Y(state.model().n_v, Eigen::Index(linear.parameters().size()));
  linear.regressor(state, vdot.data(), Y.data());
  return Y;
}
Vector random_vector(Random& random, int n, double size) {
  return Eigen::Map<const Vector>(random_values(random, n, size).data(), n);
}

// Checks Y pi for trees with every joint kind and fixed links, against the matrices of MK and the
// law of friction.
// Equations: KHALIL 7.28, 9.3.
TEST(LinearModel, IncludesFriction) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    RobotDescription robot = random_robot(7, Shape::tree, seed, Kinds::every);
    for (LinkDescription& link : robot.links) {
      link.joint.damping = link.joint.kind == JointKind::fixed ? 0 : random.uniform(0, 1);
      if (!traits(link.joint.kind).actuated || traits(link.joint.kind).n_v == 0) continue;
      link.joint.drives.resize(size_t(traits(link.joint.kind).n_v));
      link.joint.drives[0].friction = {
          .law = Friction::Law::coulomb, .viscous = 0.3, .coulomb = 0.7, .breakaway = 0.7};
      link.joint.drives[0].motor.friction = {
          .law = Friction::Law::coulomb, .coulomb = 0.2, .breakaway = 0.2};
    }
    const auto model = build(robot);
    LinearModel linear(model);
    EXPECT_TRUE(linear.left_out().empty());
    const State state = random_state(model, random);
    const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v),
                 vdot = random_vector(random, model->n_v, 5);
    Vector expected = DenseDynamics(model->view(), state.view()).inverse(v, vdot);
    for (int c = 0; c < model->n_v; ++c) {
      const Drive& drive = model->drives[size_t(c)];
      expected[c] += (model->damping[size_t(c)] + drive.friction.viscous) * v[c] +
                     (drive.friction.coulomb + drive.motor.friction.coulomb) * (v[c] > 0 ? 1 : -1);
    }
    EXPECT_TRUE(agree(regressor(linear, state, vdot) * values(linear), expected));
  }
}

TEST(LinearModel, ReportsNonlinearFriction) {
  RobotDescription robot = rx90(stored_table("rx90.json"), RxParameters::standard);
  robot.links[2].joint.drives.resize(1);
  robot.links[2].joint.drives[0].friction = {
      .law = Friction::Law::stribeck, .viscous = 1, .coulomb = 2, .breakaway = 3, .decay = 5};
  const LinearModel linear(build(robot));
  ASSERT_THAT(linear.left_out(), testing::SizeIs(1));
  EXPECT_EQ(linear.left_out()[0],
            "joint 'joint3': the stribeck law beyond its Coulomb and viscous parts");
  EXPECT_TRUE(LinearModel(build(robot), inertial).left_out().empty());
}

TEST(LinearModel, ChoosesParameters) {
  const auto model = build(iiwa(stored_table("iiwa_second_order.json")));  // no rotors, no friction
  EXPECT_EQ(LinearModel(model).parameters().size(), 70u);
  const LinearModel all(model, {Included::all, Included::all});
  ASSERT_EQ(all.parameters().size(), 70u + 21);
  EXPECT_EQ(all.parameters()[14].name, "link2.XX");
  EXPECT_EQ(all.parameters()[14].unit, "kg m^2");
  EXPECT_EQ(all.parameters()[70].name, "joint1.Ia");
  EXPECT_EQ(all.parameters()[72].name, "joint1.Fc");
  EXPECT_EQ(LinearModel(build(rx90(stored_table("rx90.json"), RxParameters::standard)))
                .parameters()
                .size(),
            66u);
}

// Checks transmissions, in which a motor moves several joints. Rotor inertia and friction belong to
// the shafts of the motors.
// Equations: KHALIL 7.31.
TEST(LinearModel, SupportsTransmissions) {
  RobotDescription robot = rx90(stored_table("rx90.json"), RxParameters::standard);
  for (LinkDescription& link : robot.links) link.joint.armature = link.name == "link5" ? 0.3 : 0;
  Motor motor;
  motor.rotor_inertia = 1e-3;
  motor.friction = {
      .law = Friction::Law::coulomb, .viscous = 0.01, .coulomb = 0.02, .breakaway = 0.02};
  robot.transmissions = {{{"joint5", "joint6"}, {{0.02, 0}, {0.01, 0.03}}, {motor, motor}, ""}};
  const auto model = build(robot);
  LinearModel linear(model);
  EXPECT_EQ(linear.parameters().size(), 67u);
  EXPECT_EQ(linear.parameters()[60].name, "joint5.Ia");
  EXPECT_NEAR(linear.parameters()[60].value, 0.3, 1e-14);
  EXPECT_EQ(linear.parameters()[61].name, "joint5.Jm");
  Random random(1);
  State state = random_state(model, random);
  const Vector vdot = random_vector(random, 6, 5), v = Eigen::Map<const Vector>(state.v.data(), 6);
  Matrix J(2, 2);
  J << 0.02, 0, 0.01, 0.03;
  Matrix N(2, 2);  // the inverse of J, from joint rates to shaft rates
  N << 50, 0, -0.01 / (0.02 * 0.03), 1 / 0.03;
  Vector expected = DenseDynamics(model->view(), state.view()).inverse(v, vdot);
  for (int c = 0; c < 6; ++c)
    // Removes the diagonal inertias. Those of the rotors are added as a matrix below.
    expected[c] -= model->armature[size_t(c)] * vdot[c];
  expected[4] += 0.3 * vdot[4];
  const Vector shaft = N * v.tail(2);
  expected.tail(2) +=
      N.transpose() * (1e-3 * N * vdot.tail(2) + 0.01 * shaft + 0.02 * shaft.cwiseSign());
  EXPECT_TRUE(agree(regressor(linear, state, vdot) * values(linear), expected));
}

// Compares the regressors of a batch with those of its states, one by one.
void expect_same_in_a_batch(const std::shared_ptr<const Model>& model, Random& random) {
  constexpr size_t n_states = 11;
  LinearModel linear(model, {Included::all, Included::all});
  StateBatch batch(model, n_states);
  const size_t n_v = size_t(model->n_v), stride = batch.stride();
  std::vector<double> vdot(n_v * stride), Y(vdot.size() * linear.parameters().size());
  std::vector<State> states;
  for (size_t k = 0; k < n_states; ++k) {
    states.push_back(random_state(model, random));
    states[k].clear_wrenches();
    if (k == 5) std::ranges::fill(states[k].v, 0.0);  // no Coulomb friction
    batch.set(k, states[k]);
    states[k].set_gravity(states[0].gravity_W());
    states[k].set_world_motion(states[0].V_W(), states[0].Vdot_W());
    const std::vector<double> own = random_values(random, model->n_v, 5);
    for (size_t c = 0; c < n_v; ++c) vdot[c * stride + k] = own[c];
  }
  batch.set_world(states[0]);
  linear.regressor(batch, vdot.data(), Y.data());
  for (size_t k = 0; k < n_states; ++k) {
    Vector own(model->n_v);
    for (size_t c = 0; c < n_v; ++c) own[Eigen::Index(c)] = vdot[c * stride + k];
    const Matrix one = regressor(linear, states[k], own);
    Matrix of_batch(one.rows(), one.cols());
    for (Eigen::Index i = 0; i < one.size(); ++i) of_batch.data()[i] = Y[size_t(i) * stride + k];
    EXPECT_TRUE(close(of_batch, one, one.norm(), agreement)) << "state " << k;
  }
}

TEST(LinearModel, ABatchHasTheRegressorsOfItsStates) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    expect_same_in_a_batch(build(random_robot(7, Shape::tree, seed, Kinds::every)), random);
  }
  RobotDescription robot = rx90(stored_table("rx90.json"), RxParameters::standard);
  Motor motor;
  motor.rotor_inertia = 1e-3;
  robot.transmissions = {{{"joint5", "joint6"}, {{0.02, 0}, {0.01, 0.03}}, {motor, motor}, ""}};
  Random random(5);
  expect_same_in_a_batch(build(robot), random);
}

// Checks at random states that the base parameters give the same torques as the standard
// parameters.
void expect_same_motion(const std::shared_ptr<const Model>& model, const BaseParameters& base,
                        const Vec3<double>& gravity, const ParameterChoice& choice,
                        Random& random) {
  LinearModel linear(model, choice);
  const Eigen::MatrixXd G = free_rows(*model);
  for (int k = 0; k < 3; ++k) {
    State state(model);
    std::vector<double> q = random_position(random, *model, 3);
    state.v = random_values(random, model->n_v, 2);
    follow_mimics(*model, q, state.v);
    state.set_q(q);
    state.set_gravity(gravity);
    const Vector vdot = G * random_vector(random, int(G.cols()), 5);
    const Matrix Y = G.transpose() * regressor(linear, state, vdot);
    Matrix Y_kept(Y.rows(), Eigen::Index(base.rank()));
    for (Eigen::Index i = 0; i < Y_kept.cols(); ++i)
      Y_kept.col(i) = Y.col(base.grouping.independent[size_t(i)]);
    const Vector pi = random_vector(random, int(Y.cols()), 1);
    EXPECT_TRUE(close(Y_kept * (base.grouping.B * pi), Y * pi, (Y * pi).norm(), 1e-9));
  }
}

TEST(BaseParameters, GiveTheSameTorquesAsStandardParameters) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(6, Shape::tree, seed, Kinds::every));
    const BaseParameters base = base_parameters(model, gravity_W, with_rotors);
    EXPECT_LT(base.rank(), LinearModel(model, with_rotors).parameters().size());
    expect_same_motion(model, base, gravity_W, with_rotors, random);
  }
}

TEST(BaseParameters, FollowMimics) {
  RobotDescription robot = rx90(stored_table("rx90.json"), RxParameters::standard);
  robot.links[2].joint.mimic = Mimic{"joint2", -0.5, 0.1};
  robot.links[4].joint.mimic = Mimic{"joint3", 2, 0};
  const auto model = build(robot);
  Random random(1);
  const BaseParameters base = base_parameters(model, gravity_W, with_rotors);
  EXPECT_FALSE(base.by_rules);
  expect_same_motion(model, base, gravity_W, with_rotors, random);
}

TEST(BaseParameters, OfTheRx90MatchKhalil) {
  const Json table = stored_table("rx90.json");
  const auto model = build(rx90(table, RxParameters::standard));
  const BaseParameters base = base_parameters(model, gravity_W);
  EXPECT_TRUE(base.by_rules);
  ASSERT_THAT(base.names,
              testing::ElementsAre("link1.ZZR", "link2.MXR", "link2.MY", "link2.XXR", "link2.ZZR",
                                   "link2.XY", "link2.XZR", "link2.YZ", "link3.MX", "link3.MYR",
                                   "link3.XXR", "link3.ZZR", "link3.XY", "link3.XZ", "link3.YZ",
                                   "link4.MX", "link4.MYR", "link4.XXR", "link4.ZZR", "link4.XY",
                                   "link4.XZ", "link4.YZ", "link5.MX", "link5.MYR", "link5.XXR",
                                   "link5.ZZR", "link5.XY", "link5.XZ", "link5.YZ", "link6.MX",
                                   "link6.MY", "link6.XXR", "link6.ZZ", "link6.XY", "link6.XZ",
                                   "link6.YZ", "joint3.Ia", "joint4.Ia", "joint5.Ia", "joint6.Ia"));
  // The same robot, described with base parameters, has their values at the kept parameters and
  // zero at the others.
  const LinearModel grouped(build(rx90(table, RxParameters::base)), with_rotors);
  for (size_t i = 0; i < base.rank(); ++i)
    EXPECT_NEAR(base.values[i], grouped.parameters()[size_t(base.grouping.independent[i])].value,
                1e-14 * 20)
        << base.names[i];
  EXPECT_THAT(relations(base),
              testing::Contains(
                  "link1.ZZR = link1.ZZ + link2.YY + 0.2025 link3.M + link3.YY + 0.2025 link4.M + "
                  "0.2025 link5.M + 0.2025 link6.M + joint1.Ia"));
  EXPECT_THAT(relations(base), testing::Contains("link2.XZR = link2.XZ - 0.45 link3.MZ"));
  EXPECT_THAT(without_effect(base), testing::Contains("link1.MX"));
  EXPECT_EQ(base_parameters(model, gravity_W, inertial).rank(), 36u);
}

TEST(BaseParameters, AreAsManyAsInTheLiterature) {
  const auto two = build(planar_n_link(Vector::Constant(2, 0.5), Vector::Constant(2, 1.0)));
  EXPECT_EQ(base_parameters(two, {0, -9.81, 0}, inertial).rank(), 6u);
  EXPECT_EQ(base_parameters(two, gravity_W, inertial).rank(), 4u);
  EXPECT_EQ(
      base_parameters(build(iiwa(stored_table("iiwa_second_order.json"))), gravity_W, inertial)
          .rank(),
      43u);
}

// Returns a robot whose axes are parallel, orthogonal or collinear at random. Special rules apply
// to these. No two lengths are equal.
RobotDescription aligned_robot(Random& random) {
  RobotDescription robot;
  robot.name = "aligned";
  const int n = 1 + random.below(5);
  for (int i = 0; i < n; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    const int parent = i - 1 - (random.below(4) == 0 ? 1 : 0);
    if (parent >= 0) link.parent = robot.links[size_t(parent)].name;
    link.joint.name = "joint" + std::to_string(i);
    link.joint.kind = random.below(3) == 0 ? JointKind::prismatic : JointKind::revolute;
    ModifiedDh row;
    row.alpha = random.below(3) == 0 ? M_PI / 2 : 0;
    if (random.below(2)) row.d = random.uniform(0.2, 1);
    if (random.below(2)) row.r = random.uniform(0.2, 1);
    if (random.below(2)) row.theta = M_PI / 2;
    link.joint.placement = row;
    link.inertia = random_inertia(random, 0.3, 2);
    robot.links.push_back(link);
  }
  return robot;
}

TEST(BaseParameters, RulesAndTheNumericalMethodAgree) {
  Random random(7);
  int many = 0;
  for (int k = 0; k < 400; ++k) {
    SCOPED_TRACE(k);
    const auto model = build(aligned_robot(random));
    const Vec3<double> gravities[] = {gravity_W, {0, 9.81, 0}, {3, -4, -8}};
    const Vec3<double>& gravity = gravities[k % 3];
    const BaseParameters base = base_parameters(model, gravity, with_rotors);
    const auto rules = group_by_rules(LinearModel(model, with_rotors), gravity);
    ASSERT_TRUE(rules);
    EXPECT_EQ(rules->independent, base.grouping.independent);
    EXPECT_TRUE(base.by_rules);
    many += base.rank() > 10;
  }
  EXPECT_GT(many, 100);
}

}  // namespace
}  // namespace torsor::test
