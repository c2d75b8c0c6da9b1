// Tests of the rows of closures: their rates against differences of the position errors, and the
// power of their wrenches.

#include "torsor/constraints/closure_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/random_robot.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

// A random tree with a closure of each kind between two of its bodies or the world.
std::shared_ptr<const Model> closed_tree(uint64_t seed) {
  Random random(seed);
  Model model = *build(random_robot(6, Shape::tree, seed, Kinds::every));
  for (const std::string& name : closure_kind_names()) {
    const ClosureKind kind = *closure_kind(name);
    // The rate of a screw assumes that both axes are parallel.
    if (kind == ClosureKind::screw || traits(kind).is_linear()) continue;
    const int b = 1 + int(random.uniform() * (model.n_body - 1)), a = int(random.uniform() * b);
    const Pose<double> X_BA = random.pose(1), X_BB = random.pose(1);
    model.closures.push_back({name, kind, a, b, X_BA, X_BB, 0.7});
  }
  return std::make_shared<Model>(model);
}

// Bodies on cylindrical joints about z, with a screw between the second one and the world, and one
// between both bodies.
std::shared_ptr<const Model> screws() {
  RobotDescription robot;
  robot.name = "screws";
  for (const char* name : {"a", "b"}) {
    LinkDescription link;
    link.name = name;
    link.parent = robot.links.empty() ? "" : "a";
    link.joint = {.name = std::string(name) + "_joint",
                  .kind = JointKind::cylindrical,
                  .placement = ScrewPlacement{translation<double>({0.2, 0.1, 0.3}), {0, 0, 1}}};
    link.inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    robot.links.push_back(link);
  }
  robot.closures = {
      {.name = "first", .kind = ClosureKind::screw, .frames = {"world", "a"}, .parameter = 0.3},
      {.name = "second", .kind = ClosureKind::screw, .frames = {"a", "b"}, .parameter = -0.1}};
  return build(robot);
}

// Compares J v and Jdot v with central differences of phi along q (+) t v, on which v is constant.
void expect_rates(const std::shared_ptr<const Model>& model, uint64_t seed) {
  Random random(seed);
  ClosureRows rows(*model);
  State state(model);
  const std::vector<double> q = random_position(random, *model, 1),
                            v = random_values(random, model->n_v, 1);
  const auto errors = [&](double t) {
    std::vector<double> at = q, out;
    integrate(*model, q.data(), v.data(), t, at.data());
    state.set_q(at);
    state.v = v;
    rows.evaluate(state);
    for (size_t k = 0; k < rows.size(); ++k) out.push_back(rows.error(k));
    return out;
  };
  constexpr double h = 1e-3;
  const std::vector<double> far_before = errors(-2 * h), before = errors(-h), after = errors(h),
                            far_after = errors(2 * h), now = errors(0);
  for (size_t k = 0; k < rows.size(); ++k) {
    const double rate = (8 * (after[k] - before[k]) - (far_after[k] - far_before[k])) / (12 * h),
                 second =
                     (16 * (after[k] + before[k]) - (far_after[k] + far_before[k]) - 30 * now[k]) /
                     (12 * h * h);
    EXPECT_NEAR(along(rows.rows()[k], v.data()), rate, 1e-8)
        << model->closures[rows.closure(k)].name << ", row " << k;
    EXPECT_NEAR(rows.bias(k), second, 1e-6)
        << model->closures[rows.closure(k)].name << ", row " << k;
  }
}

TEST(ClosureRows, AreTheDerivativesOfTheErrors) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    expect_rates(closed_tree(seed), seed);
    expect_rates(screws(), seed);
  }
}

// A force f along a row has the torques f J. The wrench of A on B has the same virtual work if A
// does not move.
TEST(ClosureRows, HaveTheWorkOfTheirWrenches) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    Model of_world = *closed_tree(seed);
    for (Closure& closure : of_world.closures) closure.body_A = 0;
    const auto model = std::make_shared<const Model>(of_world);
    State state(model);
    state.set_q(random_position(random, *model, 1));
    state.v = random_values(random, model->n_v, 1);
    ClosureRows rows(*model);
    rows.evaluate(state);
    for (size_t k = 0; k < rows.size(); ++k) {
      const Closure& closure = model->closures[rows.closure(k)];
      const Twist<double> V = frame_twist(state, {"", closure.body_B, closure.X_BB}, Axes::world);
      const Wrench<double>& F = rows.wrench(k);
      EXPECT_NEAR(along(rows.rows()[k], state.v.data()), dot(V, F), 1e-12) << closure.name;
    }
  }
}

// Linear conditions between coordinates of a random tree: the rows are the derivatives of the
// errors, and constant.
TEST(ClosureRows, OfGearsAreConstant) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    Model model = *build(random_robot(8, Shape::tree, seed, Kinds::every));
    std::vector<ClosureTerm> terms;
    for (int dof = 0; dof < model.n_v; ++dof)
      if (model.coordinate[size_t(dof)] >= 0) terms.push_back({dof, random.uniform(-2, 2)});
    const Pose<double> none = Pose<double>::identity();
    model.closures = {{"cable", ClosureKind::cable, 0, 0, none, none, 0.3, "", terms}};
    const auto made = std::make_shared<const Model>(model);
    expect_rates(made, seed);
    ClosureRows rows(*made);
    State state(made);
    state.set_q(random_position(random, *made, 1));
    rows.evaluate(state);
    EXPECT_EQ(rows.bias(0), 0);
    EXPECT_TRUE(rows.is_distance(0));
    for (size_t k = 0; k < terms.size(); ++k) EXPECT_EQ(rows.rows()[0][k].factor, terms[k].factor);
  }
}

// A weld is open if a frame is turned by half a turn about any axis.
TEST(ClosureRows, OfWeldsRejectHalfTurns) {
  RobotDescription robot;
  robot.name = "ball";
  LinkDescription link;
  link.name = "ball";
  link.joint.name = "joint";
  link.joint.kind = JointKind::spherical;
  link.inertia = {1, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};
  robot.links = {link};
  robot.closures = {{.name = "weld", .frames = {"world", "ball"}}};
  const auto model = build(robot);
  State state(model);
  ClosureRows rows(*model);
  for (const auto& axis : {Vec3<double>{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0, 0.8}})
    for (const double angle : {1e-9, 0.02, 1.0, 2.0, 3.0, std::numbers::pi}) {
      const double s = std::sin(angle / 2);
      state.set_q(std::vector<double>{std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z});
      rows.evaluate(state);
      double largest = 0;
      for (size_t k = 3; k < 6; ++k) largest = std::max(largest, std::abs(rows.error(k)));
      EXPECT_GT(largest, 0.5 * angle) << angle;
      EXPECT_LT(largest, 1.0001 * angle) << angle;
    }
}

// The screw counts whole turns: at every angle, the error is that of the same turn.
TEST(ClosureRows, OfScrewsCountTurns) {
  const auto model = screws();
  State state(model);
  ClosureRows rows(*model);
  for (const double angle : {-20.0, -3.2, 0.0, 3.2, 50.0}) {
    state.set_q(std::vector<double>{angle, 0.3 + 0.3 * angle - 0.3, 0, 0});
    rows.evaluate(state);
    EXPECT_NEAR(std::remainder(rows.error(4) - 0.3, 2 * std::numbers::pi * 0.3), 0, 1e-12) << angle;
  }
}

}  // namespace
}  // namespace torsor::test
