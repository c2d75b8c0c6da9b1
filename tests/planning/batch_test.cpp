// Tests of the batch matrices of RCFS 112 against the equivalent linear recursion, against motions
// of robots, and in absolute and in relative joint angles.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "planning/chains.hpp"
#include "support/random_robot.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/planning/absolute_angles.hpp"
#include "torsor/planning/batch.hpp"

namespace torsor::test {
namespace {

// Returns linearised steps of a chain at random states and torques.
std::vector<LinearStep> linear_steps(int n, size_t count, Random& random) {
  SteppedChain chain(equal_links(n), 0.02);
  std::vector<LinearStep> steps(count);
  for (LinearStep& step : steps)
    EXPECT_TRUE(chain.dynamics.linearise(to_vector(random_values(random, 2 * n, 2)),
                                         to_vector(random_values(random, n, 5)), step));
  return steps;
}

TEST(Batch, EqualsTheRecursion) {
  Random random(1);
  for (const int n : {1, 2, 5}) {
    const std::vector<LinearStep> steps = linear_steps(n, 12, random);
    const Eigen::MatrixXd S = batch_response(steps);
    ASSERT_EQ(S.rows(), 2 * n * 13);
    ASSERT_EQ(S.cols(), n * 12);
    const Vector du = to_vector(random_values(random, n * 12, 1)), response = S * du;
    Vector dx = Vector::Zero(2 * n);
    for (Eigen::Index t = 0; t < 13; ++t) {
      EXPECT_TRUE(close(response.segment(2 * n * t, 2 * n), dx, response.norm(), 1e-13))
          << "t = " << t;
      if (t < 12) dx = (steps[size_t(t)].A * dx + steps[size_t(t)].B * du.segment(n * t, n)).eval();
    }
    EXPECT_GT(response.norm(), 0.01);
  }
}

// Checks that x_1 acts through S_x as in the recursion.
TEST(Batch, IncludesTheFirstState) {
  Random random(5);
  const std::vector<LinearStep> steps = linear_steps(3, 9, random);
  const Matrix S = free_response(steps);
  Vector dx = to_vector(random_values(random, 6, 1));
  const Vector response = S * dx;
  for (size_t t = 0; t < 10; ++t) {
    EXPECT_TRUE(close(response.segment(6 * Eigen::Index(t), 6), dx, response.norm(), 1e-13));
    if (t < 9) dx = (steps[t].A * dx).eval();
  }
}

// The differences of the states of a motion when its first state or one control changes.
struct SteppedMotion {
  StepDynamics& dynamics;
  Vector x_1;
  std::vector<Vector> u;
  std::vector<Vector> states() const {
    std::vector<Vector> x{x_1};
    for (const Vector& each : u) {
      x.emplace_back();
      EXPECT_TRUE(dynamics.step(x[x.size() - 2], each, x.back()));
    }
    return x;
  }
};

// A tree with a floating base without motors, a spherical joint and two arms.
std::shared_ptr<const Model> floating_tree() {
  RobotDescription robot;
  robot.name = "tree";
  const auto link = [&](const char* name, const char* parent, JointKind kind) -> auto& {
    LinkDescription& out = robot.links.emplace_back();
    out.name = name;
    out.parent = parent;
    out.joint.name = std::string(name) + "_joint";
    out.joint.kind = kind;
    out.inertia = inertia_about_com(1, {0.1, 0.05, -0.2}, {0.03, 0.02, 0.04, 0, 0, 0});
    return out.joint;
  };
  const auto beside = [](double x) {
    return ScrewPlacement{.X_PL = translation<double>({x, 0.1, 0}), .axis = {0, 0.6, 0.8}};
  };
  link("base", "", JointKind::floating);
  link("ball", "base", JointKind::spherical);
  link("left", "base", JointKind::revolute).placement = beside(0.3);
  link("slide", "left", JointKind::prismatic).placement = beside(0.2);
  return build(robot);
}

// Compares S_u and S_x with central differences of motions, for a chain and for a tree on a
// manifold, with several integrators.
TEST(Batch, IsTheDerivativeOfAMotion) {
  for (const Integrator method :
       {Integrator::euler, Integrator::semi_implicit_euler, Integrator::rk4}) {
    const auto model = floating_tree();
    StepDynamics dynamics(solvers(general_solver), model, {0, 0, -9.81},
                          {.method = method, .dt = 0.02});
    const Eigen::Index n = model->n_v, n_q = model->n_q;
    Random random(7);
    Vector x_1(n_q + n);
    std::vector<double> q = neutral(*model);
    integrate(*model, q.data(), random_values(random, int(n), 0.5).data(), 1, q.data());
    x_1 << to_vector(q), to_vector(random_values(random, int(n), 1));
    SteppedMotion motion{dynamics, x_1, {}};
    for (int t = 0; t < 6; ++t) motion.u.push_back(to_vector(random_values(random, int(n), 2)));
    const std::vector<Vector> at = motion.states();
    std::vector<LinearStep> steps(6);
    for (size_t t = 0; t < 6; ++t) ASSERT_TRUE(dynamics.linearise(at[t], motion.u[t], steps[t]));
    const Matrix S_u = batch_response(steps), S_x = free_response(steps);
    constexpr double h = 1e-5;
    const auto differences = [&](const SteppedMotion& up, const SteppedMotion& down) {
      Vector out(7 * 2 * n);
      const std::vector<Vector> high = up.states(), low = down.states();
      for (Eigen::Index t = 0; t < 7; ++t)
        out.segment(2 * n * t, 2 * n) = (dynamics.difference(at[size_t(t)], high[size_t(t)]) -
                                         dynamics.difference(at[size_t(t)], low[size_t(t)])) /
                                        (2 * h);
      return out;
    };
    double worst = 0;
    for (Eigen::Index k = 0; k < 6 * n; ++k) {
      SteppedMotion up = motion, down = motion;
      up.u[size_t(k / n)][k % n] += h, down.u[size_t(k / n)][k % n] -= h;
      worst = std::max(worst, (differences(up, down) - S_u.col(k)).norm() / S_u.norm());
    }
    for (Eigen::Index k = 0; k < 2 * n; ++k) {
      const auto moved = [&](double by) {
        SteppedMotion out = motion;
        const Vector d = by * Vector::Unit(2 * n, k);
        integrate(*model, x_1.data(), d.data(), 1, out.x_1.data());
        out.x_1.tail(n) += d.tail(n);
        return out;
      };
      worst = std::max(worst, (differences(moved(h), moved(-h)) - S_x.col(k)).norm() / S_x.norm());
    }
    EXPECT_LT(worst, 1e-8) << name(method);
    EXPECT_GT(S_u.norm(), 0.1);
    std::printf("%s: largest difference %.1e\n", std::string(name(method)).c_str(), worst);
  }
}

// Checks minimise_in_batch() against the normal equations with the complete matrix S_u.
TEST(Batch, MinimisesAModelOfTheCost) {
  Random random(11);
  const int n = 2, T = 8;
  const std::vector<LinearStep> steps = linear_steps(n, T - 1, random);
  std::vector<CostModel> models(T);
  Matrix Q = Matrix::Zero(2 * n * T, 2 * n * T), R = Matrix::Zero(n * (T - 1), n * (T - 1)),
         P = Matrix::Zero(n * (T - 1), 2 * n * T);
  Vector l_x(2 * n * T), l_u(n * (T - 1));
  for (int t = 0; t < T; ++t) {
    const Matrix root =
        Eigen::Map<const Matrix>(random_values(random, 9 * n * n, 1).data(), 3 * n, 3 * n);
    const Matrix all = root * root.transpose() + 0.1 * Matrix::Identity(3 * n, 3 * n);
    const Vector slope = to_vector(random_values(random, 3 * n, 1));
    models[size_t(t)] = {slope.head(2 * n), slope.tail(n), all.topLeftCorner(2 * n, 2 * n),
                         all.bottomLeftCorner(n, 2 * n), all.bottomRightCorner(n, n)};
    Q.block(2 * n * t, 2 * n * t, 2 * n, 2 * n) = models[size_t(t)].l_xx;
    l_x.segment(2 * n * t, 2 * n) = models[size_t(t)].l_x;
    if (t + 1 == T) break;
    R.block(n * t, n * t, n, n) = models[size_t(t)].l_uu;
    P.block(n * t, 2 * n * t, n, 2 * n) = models[size_t(t)].l_ux;
    l_u.segment(n * t, n) = models[size_t(t)].l_u;
  }
  const Matrix S = batch_response(steps);
  for (const double mu : {0.0, 0.7}) {
    const Matrix H = S.transpose() * Q * S + R + P * S + S.transpose() * P.transpose();
    const Vector g = l_u + S.transpose() * l_x, du = -solve(H + mu * S.transpose() * S, g);
    const auto step = minimise_in_batch(steps, models, mu, [] {});
    ASSERT_TRUE(step);
    EXPECT_TRUE(close(step->du, du, du.norm(), 1e-11));
    EXPECT_NEAR(step->slope, g.dot(du), 1e-11 * std::abs(g.dot(du)));
    EXPECT_NEAR(step->curvature, du.dot(H * du), 1e-11 * std::abs(g.dot(du)));
  }
  for (CostModel& model : models) model.l_uu -= 1e3 * Matrix::Identity(n, n);
  EXPECT_FALSE(minimise_in_batch(steps, models, 0, [] {}));
}

// Checks that A and B of relative angles, which the solver provides, can be transformed to absolute
// angles: q = L x, u = L^-T tau.
TEST(Batch, OfAbsoluteAnglesBecomesThatOfRelativeOnes) {
  const int n = 4;
  Random random(2);
  const Matrix L = absolute_angles(*build(equal_links(n)));
  EXPECT_EQ(L, ones_below(n));
  const std::vector<LinearStep> relative = linear_steps(n, 10, random);
  std::vector<LinearStep> absolute = relative;
  for (LinearStep& step : absolute) step = in_absolute_angles(step, L);
  const Matrix expected = batch_response(relative), S_u = batch_response(absolute);
  EXPECT_TRUE(close(relative_response(S_u, L), expected, expected.norm(), 1e-12));
  EXPECT_GT((S_u - expected).norm(), 0.1 * expected.norm());
}

// A planar tree: two arms on a slide, one of them with an axis in the opposite direction.
std::shared_ptr<const Model> planar_tree(const Vec3<double>& last_axis) {
  RobotDescription robot;
  robot.name = "tree";
  const auto link = [&](const char* name, const char* parent, JointKind kind,
                        const Vec3<double>& axis) {
    LinkDescription out;
    out.name = name;
    out.parent = parent;
    out.joint.name = std::string(name) + "_joint";
    out.joint.kind = kind;
    out.joint.placement = ScrewPlacement{.X_PL = translation<double>({0.3, 0, 0}), .axis = axis};
    out.inertia = inertia_about_com(1, {0.1, 0, 0}, {0.03, 0.02, 0.04, 0, 0, 0});
    robot.links.push_back(out);
  };
  link("slide", "", JointKind::prismatic, {1, 0, 0});
  link("upper", "slide", JointKind::revolute, {0, 0, 1});
  link("lower", "upper", JointKind::revolute, {0, 0, -1});
  link("other", "upper", JointKind::revolute, last_axis);
  return build(robot);
}

TEST(AbsoluteAngles, AreTheAnglesOfTheLinksOfATree) {
  const auto model = planar_tree({0, 0, 1});
  const Matrix L = absolute_angles(*model);
  Matrix expected(4, 4);
  expected << 1, 0, 0, 0, 0, 1, 0, 0, 0, -1, 1, 0, 0, 1, 0, 1;
  EXPECT_EQ(L, expected);
  // The angle of each link about its joint's axis, from its pose.
  State state(model);
  const std::vector<double> q{0.4, 0.3, -0.5, 0.8};
  state.set_q(q);
  const Vector angle = L * to_vector(q);
  for (const auto& [name, sign, k] :
       {std::tuple{"upper", 1, 1}, std::tuple{"lower", -1, 2}, std::tuple{"other", 1, 3}}) {
    const Mat3<double> R = frame_pose(state, model->frames[size_t(model->frame(name))]).R;
    EXPECT_NEAR(std::atan2(R(1, 0), R(0, 0)), sign * angle[k], 1e-14) << name;
  }
}

TEST(AbsoluteAngles, NeedParallelAxes) {
  const auto message = [](const Model& model) {
    try {
      absolute_angles(model);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(*planar_tree({0, 1, 0})),
            "joints 'upper_joint' and 'other_joint' rotate about axes that are not parallel; "
            "absolute angles need parallel axes");
  EXPECT_THAT(message(*floating_tree()), testing::HasSubstr("rotate about axes that are not"));
}

}  // namespace
}  // namespace torsor::test
