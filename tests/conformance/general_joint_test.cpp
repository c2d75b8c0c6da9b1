// Tests of general joints and of a moving base, given to plugins as flat arrays. Plugins do not
// know joint kinds, so they must support one to six dof along any constant screws, in any body
// frames.

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "conformance/flat_tree.hpp"
#include "conformance/raw_solver.hpp"
#include "conformance/solvers.hpp"
#include "support/dense_dynamics.hpp"

namespace torsor::test {
namespace {

class GeneralJoints : public testing::TestWithParam<std::string> {
 protected:
  Matrix ask(const FlatTree& tree, Quantity quantity, const Vector& in) {
    return ask_plugin(build_registry().find<Solver>(GetParam()), tree.model(), tree.state(),
                      quantity, in);
  }
  // Checks every quantity that the plugin offers against the closed form, in the state of the tree.
  void expect_closed_form(const FlatTree& tree) {
    const torsor_model model = tree.model();
    const torsor_state state = tree.state();
    const DenseDynamics exact(model, state);
    const Vector v = to_vector(tree.v), in = to_vector(random_values(random, tree.n_v(), 5));
    const Vector bias = exact.C * v + exact.g;
    if (const Matrix tau = ask(tree, Quantity::inverse, in); tau.size() > 0) {
      EXPECT_TRUE(agree(tau, exact.inverse(v, in)));
    }
    if (const Matrix vdot = ask(tree, Quantity::forward, in); vdot.size() > 0) {
      EXPECT_TRUE(satisfies_equation_of_motion(exact.M, vdot, bias - exact.load, in));
    }
    if (const Matrix M = ask(tree, Quantity::mass_matrix, in); M.size() > 0) {
      EXPECT_TRUE(agree(M, exact.M));
    }
    if (const Matrix Minv = ask(tree, Quantity::inverse_mass_matrix, in); Minv.size() > 0) {
      const double allowed = 10 * condition(exact.M) * std::numeric_limits<double>::epsilon();
      EXPECT_TRUE(close(Minv * exact.M, Matrix::Identity(tree.n_v(), tree.n_v()), 1,
                        std::max(agreement, allowed)));
    }
    if (const Matrix g = ask(tree, Quantity::gravity, in); g.size() > 0) {
      EXPECT_TRUE(agree(g, exact.g));
    }
    if (const Matrix b = ask(tree, Quantity::bias, in); b.size() > 0) {
      EXPECT_TRUE(agree(b, bias));
    }
    if (const Matrix C = ask(tree, Quantity::coriolis_matrix, in); C.size() > 0) {
      EXPECT_TRUE(agree(C * v, exact.C * v));
      EXPECT_TRUE(agree(C + C.transpose(), exact.C + exact.C.transpose()));
    }
  }

  Random random{GetParam().size()};
};
INSTANTIATE_TEST_SUITE_P(Solvers, GeneralJoints, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

TEST_P(GeneralJoints, EqualTheClosedForm) {
  expect_closed_form(general_tree(random));
}

TEST_P(GeneralJoints, EqualTheClosedFormAlmostAlongZ) {
  expect_closed_form(almost_along_z(random));
}

TEST_P(GeneralJoints, EqualTheClosedFormOnAWideTree) {
  expect_closed_form(wide_tree(random));
}

TEST_P(GeneralJoints, EqualTheClosedFormOnLongPaths) {
  expect_closed_form(long_tree(random));
}

TEST_P(GeneralJoints, MassMatrixIsSymmetricPositiveDefinite) {
  const FlatTree tree = general_tree(random);
  const Matrix M = ask(tree, Quantity::mass_matrix, {});
  if (M.size() == 0) return;  // not offered
  EXPECT_TRUE(agree(M, M.transpose()));
  EXPECT_GT(eigenvalues(M).minCoeff(), 0);
}

// Checks C + C^T = Mdot. The reference is central differences of M of the closed form along v.
// Their error must be of second order.
// Equations: MK 61.
TEST_P(GeneralJoints, MdotMinus2CIsSkew) {
  const FlatTree tree = general_tree(random);
  const Matrix C = ask(tree, Quantity::coriolis_matrix, {});
  if (C.size() == 0) return;  // not offered
  const Vector still = Vector::Zero(tree.n_v());
  const auto mass_matrix = [&](double h) {
    const FlatTree there = tree.along(still.data(), h);
    return DenseDynamics(there.model(), there.state()).M;
  };
  const auto error = [&](double h) {
    const Matrix Mdot = (mass_matrix(h) - mass_matrix(-h)) / (2 * h);
    return (Mdot - C - C.transpose()).norm();
  };
  EXPECT_LT(error(1e-4), 1e-5 * mass_matrix(0).norm());
  EXPECT_NEAR(observed_order(error(1e-2), error(5e-3)), 2, 0.1);
}

// Checks d/dt (1/2 v.M v + U) = tau.v + power of the wrenches. The reference is central differences
// of the energy along the motion that the plugin computes. Their error must be of second order.
TEST_P(GeneralJoints, PowerBalance) {
  const FlatTree tree = general_tree(random);
  const DenseDynamics exact(tree.model(), tree.state());
  const Vector v = to_vector(tree.v), in = to_vector(random_values(random, tree.n_v(), 5));
  const auto energy = [&](const Vector& vdot, double h) {
    const FlatTree there = tree.along(vdot.data(), h);
    const Vector v_there = to_vector(there.v);
    double E = v_there.dot(DenseDynamics(there.model(), there.state()).M * v_there) / 2;
    std::vector<Pose<double>> X_WB = there.X_PB;
    for (size_t i = 1; i < X_WB.size(); ++i) {
      X_WB[i] = X_WB[size_t(there.parent[i])] * X_WB[i];
      const SpatialInertia<double>& M = there.inertia_B[i];
      E += dot(there.A_W.v, M.m * X_WB[i].p + X_WB[i].R * M.h);
    }
    return E;
  };
  const auto expect_balance = [&](const Vector& vdot, const Vector& tau) {
    const double power = (tau + exact.load).dot(v), slow = v.norm() / (v.norm() + vdot.norm());
    const auto error = [&](double h) {
      return std::abs((energy(vdot, h * slow) - energy(vdot, -h * slow)) / (2 * h * slow) - power);
    };
    EXPECT_LT(error(1e-4), 1e-4 * (std::abs(power) + std::abs(energy(vdot, 0)) / slow));
    EXPECT_NEAR(observed_order(error(1e-2), error(5e-3)), 2, 0.2);
  };
  if (const Matrix tau = ask(tree, Quantity::inverse, in); tau.size() > 0) expect_balance(in, tau);
  if (const Matrix vdot = ask(tree, Quantity::forward, in); vdot.size() > 0)
    expect_balance(vdot, in);
}

// Checks that C_ij = sum_k G_ijk v_k is a Coriolis matrix, and that G_ijk = G_ikj for dof j and k
// of different joints.
TEST_P(GeneralJoints, TheSymbolsGiveACoriolisMatrix) {
  FlatTree tree;
  for (const auto& [parent, count] :
       std::array<std::array<int, 2>, 5>{{{0, 3}, {1, 1}, {2, 2}, {1, 6}, {4, 1}}})
    tree.add(random, parent, count);
  tree.number_columns(random);
  const Eigen::Index n = tree.n_v();
  const Matrix G = ask(tree, Quantity::christoffel_symbols, Vector::Zero(n));
  if (G.size() == 0) return;  // not offered
  const torsor_model model = tree.model();
  const torsor_state state = tree.state();
  const DenseDynamics exact(model, state);
  const Vector v = to_vector(tree.v);
  Matrix C(n, n);
  for (Eigen::Index i = 0; i < n; ++i) C.row(i) = G.row(i).reshaped<Eigen::RowMajor>(n, n) * v;
  EXPECT_TRUE(agree(C * v, exact.C * v));
  EXPECT_TRUE(agree(C + C.transpose(), exact.C + exact.C.transpose()));
  const auto joint = [&](Eigen::Index k) {
    size_t body = 1;
    while (k < tree.v_index[body] || k >= tree.v_index[body] + tree.v_count[body]) ++body;
    return body;
  };
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index k = 0; k < n; ++k)
        if (joint(j) != joint(k)) {
          EXPECT_NEAR(G(i, j * n + k), G(i, k * n + j), agreement * G.norm());
        }
}

// Checks a moving base: the tree in a world that rotates and accelerates against the tree on a
// carrier with six dof, in a world at rest. The twist of the world and its componentwise derivative
// equal those of the carrier.
// Equations: MR 9.72, 9.73, 9.77, 9.78.
TEST_P(GeneralJoints, AMovingBaseIsABodyWithSixDof) {
  // Each entry is the parent of a body and its number of dof.
  const std::vector<std::array<int, 2>> bodies{{0, 1}, {1, 2}, {0, 1}, {2, 1}};
  FlatTree carried, moving;
  carried.add(random, 0, 6);
  const Random same = random;
  for (const auto& [parent, count] : bodies) carried.add(random, parent + 1, count);
  random = same;
  for (const auto& [parent, count] : bodies) moving.add(random, parent, count);
  const Random same_columns = random;
  moving.number_columns(random);
  random = same_columns;
  carried.number_columns(random);  // the carrier's dof come last
  const int n = moving.n_v();
  std::copy_n(moving.S_B.begin(), 6 * n, carried.S_B.begin());
  std::copy_n(moving.v.begin(), n, carried.v.begin());
  std::copy_n(moving.armature.begin(), n, carried.armature.begin());
  for (int k = 0; k < 36; ++k) carried.S_B[size_t(6 * n + k)] = k % 7 == 0;

  const Vec3<double> turning = random.vector(2), sliding = random.vector(2),
                     turning_faster = random.vector(3), pulled = random.vector(5);
  const double v6[] = {turning.x, turning.y, turning.z, sliding.x, sliding.y, sliding.z};
  std::copy_n(v6, 6, carried.v.begin() + n);
  Vector vdot = to_vector(random_values(random, n + 6, 3));
  vdot.tail(6) << turning_faster.x, turning_faster.y, turning_faster.z, pulled.x, pulled.y,
      pulled.z;
  moving.V_W = {turning, sliding};
  const Twist<double> falling = inverse_transform(carried.X_PB[1], carried.A_W);
  moving.A_W = Twist<double>{turning_faster, pulled} + falling;

  const Matrix on_a_body = ask(carried, Quantity::inverse, vdot),
               on_the_world = ask(moving, Quantity::inverse, vdot.head(n));
  if (on_a_body.size() > 0) {
    EXPECT_TRUE(agree(on_the_world, on_a_body.topRows(n)));
  }
  if (const Matrix forward = ask(moving, Quantity::forward, on_a_body.topRows(n));
      forward.size() > 0) {
    EXPECT_TRUE(
        agree_acceleration(forward, vdot.head(n), DenseDynamics(moving.model(), moving.state()).M));
  }
  // The bias is the torque for vdot = 0. So the acceleration of the carrier is zero too, except for
  // gravity.
  moving.A_W = falling;
  if (const Matrix bias = ask(moving, Quantity::bias, vdot); bias.size() > 0) {
    EXPECT_TRUE(agree(bias, ask(carried, Quantity::bias, vdot).topRows(n)));
  }
}

}  // namespace
}  // namespace torsor::test
