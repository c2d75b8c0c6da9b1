// Tests of the Christoffel symbols of every solver, offered by the plugin or derived by the host:
// against the derivatives of M, and against the torques that they determine.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/dense_dynamics.hpp"
#include "support/known_robots.hpp"
#include "torsor/mechanics/brackets.hpp"

namespace torsor::test {
namespace {

class Christoffel : public testing::TestWithParam<std::tuple<std::string, RobotCase>> {
 protected:
  Christoffel() {
    const RobotCase& robot = std::get<1>(GetParam());
    random = Random(50 + robot.seed);
    model = build(described(robot));
    state = random_state(model, random);
  }

  // Returns M of the closed form after dof k has moved by h.
  Matrix dense_mass_matrix(int k, double h) const {
    State there = state;
    std::vector<double> q(state.q().begin(), state.q().end());
    const Vector unit = Vector::Unit(model->n_v, k);
    integrate(*model, q.data(), unit.data(), h, q.data());
    there.set_q(q);
    const torsor_model flat = model->view();
    return DenseDynamics(flat, there.view()).M;
  }
  // Returns the derivative of M along dof k: extrapolated central differences with an error of
  // order h^4.
  Matrix derivative(int k) const {
    const auto central = [&](double h) -> Matrix {
      return (dense_mass_matrix(k, h) - dense_mass_matrix(k, -h)) / (2 * h);
    };
    return (4 * central(5e-4) - central(1e-3)) / 3;
  }

  Random random{0};
  std::shared_ptr<const Model> model = build(random_robot(1, Shape::chain, 1, Kinds::every));
  State state{model};
};
INSTANTIATE_TEST_SUITE_P(Random, Christoffel,
                         testing::Combine(testing::ValuesIn(solver_ids()),
                                          testing::Values(RobotCase{1, Shape::chain, 1},
                                                          RobotCase{6, Shape::chain, 2},
                                                          RobotCase{12, Shape::tree, 3})),
                         random_case_name);
INSTANTIATE_TEST_SUITE_P(Planar, Christoffel,
                         testing::Combine(testing::ValuesIn(solver_ids("planar_n_link")),
                                          testing::ValuesIn(planar_cases)),
                         random_case_name);

// Checks the symbols against derivatives of M (JIN 46, KHALIL 7.7):
//   2 G_ijk = d_k M_ij + d_j M_ik - d_i M_jk + B([k,j], i) - B([k,i], j) - B([j,i], k)
// d_k is the derivative along dof k, and B is M without armature. [j,k] is the Lie bracket of two
// dof of one joint (Hamel); it is zero for dof of different joints.
// Equations: MR 9.13, 9.86.
TEST_P(Christoffel, SymbolsAreDerivativesOfTheMassMatrix) {
  const int n = model->n_v;
  std::vector<Matrix> dM;
  double scale = 0;
  for (int k = 0; k < n; ++k) {
    dM.push_back(derivative(k));
    scale = std::max(scale, dM.back().norm());
  }
  TestSolver solver(std::get<0>(GetParam()), model);
  const std::vector<Matrix> G = solver.christoffel_symbols(state);
  Matrix B = dense_mass_matrix(0, 0);
  const double rounding = 1e-9 * B.norm();
  for (int k = 0; k < n; ++k) B(k, k) -= model->armature[size_t(k)];
  std::vector<Matrix> twice(size_t(n), Matrix::Zero(n, n));
  for (const auto& [a, b, l, c] : brackets(*model)) {
    for (int i = 0; i < n; ++i) twice[size_t(i)](b, a) += c * B(l, i);
    twice[size_t(b)].col(a) -= c * B.row(l).transpose();
    twice[size_t(b)].row(a) -= c * B.row(l);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        EXPECT_NEAR(G[i](j, k), (dM[k](i, j) + dM[j](i, k) - dM[i](j, k) + twice[i](j, k)) / 2,
                    1e-8 * scale + rounding)
            << i << " " << j << " " << k;
      }
}

TEST_P(Christoffel, SymbolsAreSymmetricAcrossJointsAndGiveC) {
  TestSolver solver(std::get<0>(GetParam()), model);
  const std::vector<Matrix> G = solver.christoffel_symbols(state);
  const torsor_model flat = model->view();
  const DenseDynamics exact(flat, state.view());
  Matrix C(model->n_v, model->n_v);
  for (int i = 0; i < model->n_v; ++i) {
    Matrix skew = G[i] - G[i].transpose();
    for (int j = 0; j < model->n_v; ++j)
      for (int k = 0; k < model->n_v; ++k)
        if (model->joint_of_dof(j).v_index == model->joint_of_dof(k).v_index) skew(j, k) = 0;
    EXPECT_LT(skew.norm(), 1e-13 * (exact.M.norm() + G[i].norm())) << i;
    C.row(i) = G[i] * velocity(state);
  }
  const double scale = exact.C.norm() + (exact.C * velocity(state)).norm();
  EXPECT_TRUE(close(C * velocity(state), exact.C * velocity(state), scale, agreement));
  EXPECT_TRUE(close(C + C.transpose(), exact.C + exact.C.transpose(), scale, agreement));
}

TEST_P(Christoffel, TheTorqueSplitFollowsFromTheSymbols) {
  const int n = model->n_v;
  TestSolver solver(std::get<0>(GetParam()), model);
  const Vector vdot = to_vector(random_values(random, n, 5)), v = velocity(state);
  Matrix split(4, n);
  ASSERT_TRUE(solver.solver().torque_split(
      state, vdot.data(),
      {split.row(0).data(), split.row(1).data(), split.row(2).data(), split.row(3).data()}));
  const torsor_model flat = model->view();
  const DenseDynamics exact(flat, state.view());
  const std::vector<Matrix> G = solver.christoffel_symbols(state);
  const double scale = split.norm();
  EXPECT_TRUE(close(split.row(0).transpose(), exact.M * vdot, scale, agreement));
  EXPECT_TRUE(close(split.row(3).transpose(), exact.g, scale, agreement));
  for (int i = 0; i < n; ++i) {
    const double centrifugal = G[i].diagonal().dot(v.cwiseAbs2());
    EXPECT_NEAR(split(1, i), centrifugal, agreement * scale) << i;
    EXPECT_NEAR(split(2, i), v.dot(G[i] * v) - centrifugal, agreement * scale) << i;
  }
}

class TwoLinks : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, TwoLinks, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

// Checks the planar arm with point masses at the ends of its links, in relative angles, with h = m2
// l1 l2 sin q2:
//   G_112 = G_121 = -h,  G_122 = -h,  G_211 = h,  all others 0
// These follow from MR 9.8. In the expanded equations that MR prints next, cos theta_1 of tau_1
// must be cos theta_2, and tau_2 must end with m2 l1 l2 v_1^2 sin theta_2 + m2 g l2 cos(theta_1 +
// theta_2).
TEST_P(TwoLinks, EqualTheirClosedForm) {
  const auto model = build(planar_n_link(Vector{{0.7, 0.4}}, Vector{{2.0, 1.5}}));
  State state(model);
  state.set_q(std::vector{0.3, 0.9});
  state.v = {1.5, -2};
  state.set_gravity({0, -9.81, 0});
  const double h = 1.5 * 0.7 * 0.4 * std::sin(0.9);
  TestSolver solver(GetParam(), model);
  const std::vector<Matrix> G = solver.christoffel_symbols(state);
  EXPECT_TRUE(close(G[0], Matrix{{0, -h}, {-h, -h}}, h, 1e-13));
  EXPECT_TRUE(close(G[1], Matrix{{h, 0}, {0, 0}}, h, 1e-13));

  double inertial[2], centrifugal[2], coriolis[2], gravity[2];
  const double vdot[] = {0, 1};
  ASSERT_TRUE(
      solver.solver().torque_split(state, vdot, {inertial, centrifugal, coriolis, gravity}));
  const double tip = 1.5 * 0.4 * 0.4, elbow = 1.5 * 0.7 * 0.4 * std::cos(0.9),
               reach = 1.5 * 9.81 * 0.4 * std::cos(1.2);
  const double close_to = 1e-13 * (2 + 1.5) * 9.81;
  EXPECT_NEAR(inertial[0], tip + elbow, close_to);
  EXPECT_NEAR(inertial[1], tip, close_to);
  EXPECT_NEAR(centrifugal[0], -h * 4, close_to);
  EXPECT_NEAR(centrifugal[1], h * 2.25, close_to);
  EXPECT_NEAR(coriolis[0], -2 * h * 1.5 * -2, close_to);
  EXPECT_NEAR(coriolis[1], 0, close_to);
  EXPECT_NEAR(gravity[0], (2 + 1.5) * 9.81 * 0.7 * std::cos(0.3) + reach, close_to);
  EXPECT_NEAR(gravity[1], reach, close_to);
}

}  // namespace
}  // namespace torsor::test
