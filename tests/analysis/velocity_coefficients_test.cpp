// Tests of the velocity coefficients h_ijk against differences of M and the Christoffel symbols.

#include "torsor/analysis/velocity_coefficients.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "support/random_robot.hpp"
#include "support/random_state.hpp"
#include "support/table_solver.hpp"
#include "torsor/mechanics/brackets.hpp"

namespace torsor::test {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A random robot in a random state, with a solver that offers M, C and inverse dynamics only.
struct Case {
  explicit Case(uint64_t seed, Kinds kinds, int joints = 5)
      : random(seed), model(build(random_robot(joints, Shape::tree, seed, kinds))) {}

  Matrix M(const State& at) {
    Matrix out(n, n);
    EXPECT_TRUE(solver.mass_matrix(at, out.data()));
    return out;
  }
  // Returns the derivative of M along the screw of dof k, from differences of the fourth order.
  Matrix slope(int k) {
    const auto there = [&](double t) {
      std::vector<double> along(size_t(n), 0.0), q(state.q().size());
      along[size_t(k)] = 1;
      integrate(*model, state.q().data(), along.data(), t, q.data());
      State at = state;
      at.set_q(q);
      return M(at);
    };
    const double h = 2e-3;
    return (8 * (there(h) - there(-h)) - (there(2 * h) - there(-2 * h))) / (12 * h);
  }
  double h_at(int i, int j, int k) const { return h[size_t((i * n + j) * n + k)]; }
  double G_at(int i, int j, int k) const { return G[size_t((i * n + j) * n + k)]; }

  Random random;
  std::shared_ptr<const Model> model;
  State state = random_state(model, random);
  Solver solver = table_solver(dense_solver_table(), model);
  int n = model->n_v;
  std::vector<double> h = coefficients(), G = symbols();

 private:
  std::vector<double> coefficients() {
    std::vector<double> out(size_t(n) * size_t(n) * size_t(n));
    EXPECT_TRUE(velocity_coefficients(solver, state, out.data()));
    return out;
  }
  std::vector<double> symbols() {
    std::vector<double> out(size_t(n) * size_t(n) * size_t(n));
    EXPECT_TRUE(solver.evaluate(Quantity::christoffel_symbols, state, nullptr, out.data()));
    return out;
  }
};

// Checks JIN 41 as printed, for joints with one dof.
TEST(VelocityCoefficients, AreDerivativesOfTheMassMatrix) {
  for (const uint64_t seed : {1, 2, 3}) {
    TORSOR_TRACE_SEED(seed);
    Case at(seed, Kinds::one_column);
    const double size = at.M(at.state).norm();
    std::vector<Matrix> d;
    for (int k = 0; k < at.n; ++k) d.push_back(at.slope(k));
    for (int i = 0; i < at.n; ++i)
      for (int j = 0; j < at.n; ++j)
        for (int k = 0; k < at.n; ++k)
          EXPECT_NEAR(at.h_at(i, j, k), d[size_t(k)](i, j) - 0.5 * d[size_t(i)](j, k), 1e-8 * size);
  }
}

// Checks joints of every kind: the derivatives are along screws, and the brackets of a joint with
// several dof are added.
TEST(VelocityCoefficients, ContainTheBracketsOfAJoint) {
  for (const uint64_t seed : {1, 2, 3}) {
    TORSOR_TRACE_SEED(seed);
    Case at(seed, Kinds::every);
    const int n = at.n;
    Matrix B = at.M(at.state);
    for (int k = 0; k < n; ++k) B(k, k) -= at.model->armature[size_t(k)];
    std::vector<Matrix> bracket(size_t(n), Matrix::Zero(n, n));  // [i](j, k): B([k, i], j)
    for (const auto& [k, i, l, c] : brackets(*at.model)) bracket[size_t(i)].col(k) += c * B.col(l);
    std::vector<Matrix> d;
    for (int k = 0; k < n; ++k) d.push_back(at.slope(k));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          EXPECT_NEAR(at.h_at(i, j, k),
                      d[size_t(k)](i, j) - 0.5 * d[size_t(i)](j, k) -
                          0.5 * (bracket[size_t(i)](j, k) + bracket[size_t(i)](k, j)),
                      1e-8 * (1 + B.norm()));
  }
}

// The symmetric parts of both coefficients are equal, because both give C v.
TEST(VelocityCoefficients, HaveTheSymmetricPartOfTheChristoffelSymbols) {
  for (const Kinds kinds : {Kinds::one_column, Kinds::every}) {
    Case at(4, kinds);
    double difference = 0, asymmetry = 0, size = 0;
    for (int i = 0; i < at.n; ++i)
      for (int j = 0; j < at.n; ++j)
        for (int k = 0; k < at.n; ++k) {
          const double h = at.h_at(i, j, k) + at.h_at(i, k, j),
                       G = at.G_at(i, j, k) + at.G_at(i, k, j);
          difference = std::max(difference, std::abs(h - G));
          asymmetry = std::max(asymmetry, std::abs(at.h_at(i, j, k) - at.h_at(i, k, j)));
          size = std::max(size, std::abs(G));
        }
    EXPECT_LT(difference, 1e-12 * size);
    EXPECT_GT(asymmetry, 0.1 * size) << "h itself is not symmetric";
  }
}

// The matrix N = Mdot - 2C with C_ij = sum_k h_ijk v_k does no work, but is not skew-symmetric.
TEST(VelocityCoefficients, GiveNoSkewSymmetricMatrix) {
  Case at(5, Kinds::one_column);
  const Eigen::Map<const Eigen::VectorXd> v(at.state.v.data(), at.n);
  Matrix N = Matrix::Zero(at.n, at.n);
  for (int k = 0; k < at.n; ++k) N += v[k] * at.slope(k);
  const double size = N.norm();
  for (int i = 0; i < at.n; ++i)
    for (int j = 0; j < at.n; ++j)
      for (int k = 0; k < at.n; ++k) N(i, j) -= 2 * at.h_at(i, j, k) * v[k];
  EXPECT_LT(std::abs(v.dot(N * v)), 1e-7 * size * v.squaredNorm());
  EXPECT_GT((N + N.transpose()).norm(), 0.1 * size);
}

}  // namespace
}  // namespace torsor::test
