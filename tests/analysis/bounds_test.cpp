// Tests of the bounds of M, C and g: closed forms, and random states that must not exceed them.

#include "torsor/analysis/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "support/known_robots.hpp"
#include "support/random_robot.hpp"
#include "support/random_state.hpp"
#include "support/table_solver.hpp"

namespace torsor::test {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using testing::HasSubstr;

double norm_of(const Matrix& A) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues()[0];
}
Solver solver_of(const std::shared_ptr<const Model>& model) {
  return table_solver(dense_solver_table(), model);
}
Matrix symbols(Solver& solver, const State& state) {
  const Eigen::Index n = state.model().n_v;
  Matrix G(n * n, n);
  EXPECT_TRUE(solver.evaluate(Quantity::christoffel_symbols, state, nullptr, G.data()));
  return G;
}
// Returns C_ij = sum_k G_ijk v_k.
Matrix coriolis(const Matrix& G, const Eigen::VectorXd& v) {
  const Eigen::VectorXd C = G * v;
  return Eigen::Map<const Matrix>(C.data(), v.size(), v.size());
}

// Returns a chain of joints about or along the given axes, with a point mass of 2 kg at the end of
// the last one. All origins coincide at p = 0.
std::shared_ptr<const Model> spherical_arm(double upper) {
  RobotDescription robot;
  const Vec3<double> axes[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  for (int k = 0; k < 3; ++k) {
    LinkDescription link;
    link.name = "link" + std::to_string(k + 1);
    if (k > 0) link.parent = robot.links.back().name;
    link.inertia = inertia_about_com(k == 2 ? 2 : 0, {0, 0, 0}, {0, 0, 0, 0, 0, 0});
    link.joint.name = "joint" + std::to_string(k + 1);
    link.joint.kind = k == 2 ? JointKind::prismatic : JointKind::revolute;
    link.joint.placement = ScrewPlacement{.axis = axes[k]};
    link.joint.lower = k == 2 ? -upper : -INFINITY;
    link.joint.upper = k == 2 ? upper : INFINITY;
    robot.links.push_back(link);
  }
  return build(robot);
}

// Checks RCFS's 2R arm of unit masses and lengths: M = (3 + 2c, 1 + c; 1 + c, 1), and C = -s (v2,
// v1 + v2; -v1, 0).
TEST(Bounds, MatchTheClosedFormOfAPlanarArm) {
  Solver solver =
      solver_of(build(planar_n_link(Eigen::VectorXd::Ones(2), Eigen::VectorXd::Ones(2))));
  const DynamicsBounds bounds = dynamics_bounds(solver, {0, -9.81, 0});
  double C = 0;
  for (int k = 0; k < 100'000; ++k) {
    const double u = 2 * M_PI * k / 100'000, v1 = std::cos(u), v2 = std::sin(u);
    const double a = v2, b = v1 + v2, c = -v1;  // (a, b; c, 0)
    const double sum = a * a + b * b + c * c;
    C = std::max(C, std::sqrt((sum + std::sqrt(sum * sum - 4 * b * b * c * c)) / 2));
  }
  EXPECT_NEAR(bounds.a[0].value, 3 + std::sqrt(8.0), 1e-9);
  EXPECT_NEAR(bounds.a[3].value, C, 1e-8);
  EXPECT_NEAR(bounds.a[5].value, 9.81 * std::sqrt(10.0), 1e-9);
  for (const int k : {1, 2, 4, 6, 7}) EXPECT_EQ(bounds.a[size_t(k)].value, 0);
  ASSERT_TRUE(bounds.within_limits);
  EXPECT_NEAR(bounds.within_limits->M.value, bounds.a[0].value, 1e-9);
  EXPECT_NEAR(bounds.within_limits->C.value, C, 1e-8);
  EXPECT_NEAR(bounds.within_limits->M_least.value, 3 - std::sqrt(8.0), 1e-9);
}

// A mass m at the distance r: M = diag(m r^2 cos^2 q2, m r^2, m), and |g| <= m g (1 + r).
TEST(Bounds, OfASphericalArmGrowWithItsLength) {
  const double m = 2;
  for (const double L : {1.0, 0.5}) {
    Solver solver = solver_of(spherical_arm(INFINITY));
    const DynamicsBounds bounds = dynamics_bounds(solver, {0, 0, -9.81}, L);
    EXPECT_NEAR(bounds.a[0].value, m * L * L, 1e-9) << "the mass along its own axis";
    EXPECT_EQ(bounds.a[1].value, 0);
    EXPECT_NEAR(bounds.a[2].value, m * L * L, 1e-9);
    // The part of C with r^2 is -m r^2 sin q2 cos q2 (v2, v1; -v1, 0). Its norm is largest at 45
    // degrees: half of that of (v2, v1; -v1, 0), which is the golden ratio's 1.
    double C = 0;
    for (int k = 0; k < 100'000; ++k) {
      const double u = 2 * M_PI * k / 100'000, sum = 1 + std::pow(std::cos(u), 2);
      C = std::max(C, std::sqrt((sum + std::sqrt(sum * sum - 4 * std::pow(std::cos(u), 4))) / 2));
    }
    EXPECT_NEAR(bounds.a[7].value, m * L * L * C / 2, 1e-8) << "missing in KHALIL";
    EXPECT_NEAR(bounds.a[5].value, m * 9.81 * L, 1e-8);
    EXPECT_NEAR(bounds.a[6].value, m * 9.81 * L, 1e-8);
    EXPECT_FALSE(bounds.within_limits);
  }
  Solver limited = solver_of(spherical_arm(3));
  const DynamicsBounds bounds = dynamics_bounds(limited, {0, 0, -9.81});
  ASSERT_TRUE(bounds.within_limits);
  EXPECT_NEAR(bounds.within_limits->M.value, m * 9, 1e-8);
}

// Checks random trees with joints of every kind but unlimited screws. Random states, also far away,
// must not exceed the bounds, and the bounds are reached where they were found.
TEST(Bounds, AreNotExceededAndAreReached) {
  const struct {
    int joints;
    uint64_t seed;
    std::vector<JointKind> kinds;
  } cases[] = {{3, 1, {JointKind::revolute, JointKind::prismatic, JointKind::cylindrical}},
               {3, 2, {JointKind::revolute, JointKind::prismatic}},
               {2, 3, {JointKind::spherical, JointKind::planar}}};
  for (const auto& [joints, seed, kinds] : cases) {
    TORSOR_TRACE_SEED(seed);
    const auto model = build(random_robot(joints, Shape::tree, seed, kinds));
    const double L = 0.7;
    const Vec3<double> gravity{1, -2, -9};
    Solver solver = solver_of(model);
    const DynamicsBounds of = dynamics_bounds(solver, gravity, L);
    const Eigen::Index n = model->n_v;
    Eigen::VectorXd D(n);
    for (Eigen::Index k = 0; k < n; ++k) D[k] = model->dof(int(k)).turns() ? 1 : L;
    Random random(seed);
    State state(model);
    state.set_gravity(gravity);
    const auto direction = [&] {
      const std::vector<double> x = random_values(random, int(n), 1);
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), n));
    };
    const auto at = [&](const std::vector<double>& q) {
      state.set_q(q);
      Matrix M(n, n);
      Eigen::VectorXd g(n);
      EXPECT_TRUE(solver.mass_matrix(state, M.data()));
      EXPECT_TRUE(solver.gravity(state, g.data()));
      return std::pair{norm_of(D.asDiagonal() * M * D.asDiagonal()), D.cwiseProduct(g).norm()};
    };
    for (int k = 0; k < 1000; ++k) {
      std::vector<double> q = random_position(random, *model, 3);
      const double far = std::pow(10, random.uniform(-2, 2));
      double p = 0;
      for (const Joint& joint : model->joints)
        for (int c = 0; c < traits(joint.kind).n_q; ++c) {
          if (traits(joint.kind).coordinates[size_t(c)].unit != "m") continue;
          double& x = q[size_t(joint.q_index + c)] = random.uniform(-far, far);
          p += x * x / (L * L);
        }
      p = std::sqrt(p);
      const auto [M, g] = at(q);
      const Eigen::VectorXd rates = direction(), metric = D.cwiseProduct(rates);
      const double v = rates.norm(),
                   C = norm_of(D.asDiagonal() * coriolis(symbols(solver, state), metric) *
                               D.asDiagonal());
      const auto a = [&](int i) { return of.a[size_t(i) - 1].value; };
      EXPECT_LE(M, (a(1) + a(2) * p + a(3) * p * p) * (1 + 1e-7));
      EXPECT_LE(C, v * (a(4) + a(5) * p + a(8) * p * p) * (1 + 1e-7));
      EXPECT_LE(g, (a(6) + a(7) * p) * (1 + 1e-7));
    }
    EXPECT_NEAR(at(of.a[0].q).first, of.a[0].value, 1e-9 * of.a[0].value);
    EXPECT_NEAR(at(of.a[5].q).second, of.a[5].value, 1e-9 * of.a[5].value);
    // The largest |C| over the directions of v, where a_4 was found.
    state.set_q(of.a[3].q);
    const Matrix G = symbols(solver, state);
    double C = 0;
    for (int k = 0; k < 20'000; ++k) {
      const Eigen::VectorXd v = D.cwiseProduct(direction().normalized());
      C = std::max(C, norm_of(D.asDiagonal() * coriolis(G, v) * D.asDiagonal()));
    }
    EXPECT_LE(C, of.a[3].value * (1 + 1e-9));
    EXPECT_GE(C, of.a[3].value * 0.7) << "random directions come near";
  }
}

// a_1 of a stretched chain of unit masses and lengths is sum i^2.
// Equations: KHALIL 9.6.
TEST(LargestInertias, AreThoseOfAStretchedChain) {
  Solver solver =
      solver_of(build(planar_n_link(Eigen::VectorXd::Ones(4), Eigen::VectorXd::Ones(4))));
  const std::vector<double> found = largest_inertias(solver);
  const double expected[] = {30, 14, 5, 1};
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-8);
}

// The inertia for q_2 = 2 q_1 + c is M_11 + 4 M_12 + 4 M_22, at most 5 + 4 * 2 + 4.
// Equations: KHALIL 9.6.
TEST(LargestInertias, IncludeThoseOfJointsThatFollow) {
  RobotDescription robot = planar_n_link(Eigen::VectorXd::Ones(2), Eigen::VectorXd::Ones(2));
  robot.links[1].joint.mimic = Mimic{robot.links[0].joint.name, 2, 0.3};
  Solver solver = solver_of(build(robot));
  const std::vector<double> found = largest_inertias(solver);
  EXPECT_NEAR(found[0], 17, 1e-8);
  EXPECT_EQ(found[1], 0);
}

TEST(Bounds, ErrorsNameTheCause) {
  const auto error = [](const std::shared_ptr<const Model>& model, double length) {
    Solver solver = solver_of(model);
    try {
      dynamics_bounds(solver, {0, 0, -9.81}, length);
    } catch (const Error& thrown) {
      return std::string(thrown.what());
    }
    return std::string();
  };
  const auto arm = build(planar_n_link(Eigen::VectorXd::Ones(2), Eigen::VectorXd::Ones(2)));
  for (const double length : {0.0, -1.0, double(INFINITY), double(NAN)})
    EXPECT_THAT(error(arm, length), HasSubstr("it must be positive"));
  EXPECT_THAT(error(build(planar_n_link(Eigen::VectorXd::Ones(41), Eigen::VectorXd::Ones(41))), 1),
              HasSubstr("41 degrees of freedom; bounds are computed for 40 at most"));
  EXPECT_THAT(error(build(random_robot(3, Shape::chain, 1, {JointKind::helical})), 1),
              HasSubstr("has no limits"));
}

}  // namespace
}  // namespace torsor::test
