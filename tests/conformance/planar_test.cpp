// Tests of RCFS's planar chain of N point masses for every solver, against its closed form.
//
// In absolute angles q, with m_ij = sum of the masses from max(i, j) to the last:
//   M_ij = m_ij l_i l_j cos(q_i - q_j)
//   C_ij = m_ij l_i l_j sin(q_i - q_j)
//   g_i = m_ii g l_i cos q_i
//   M qdd + C diag(qd) qd + g = u          (RCFS 105, 106, 107, 108, 109)
// The joint angles x of the model are relative: q = L x with the lower triangular matrix L of ones,
// and tau = L^T u.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/known_robots.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

struct Planar {
  Matrix M, C;
  Vector g;
};

Planar closed_form(const Vector& length, const Vector& mass, double gravity, const Vector& q) {
  const Eigen::Index n = q.size();
  Planar out{Matrix(n, n), Matrix(n, n), Vector(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const double carried = mass.tail(n - std::max(i, j)).sum() * length[i] * length[j];
      out.M(i, j) = carried * std::cos(q[i] - q[j]);
      out.C(i, j) = carried * std::sin(q[i] - q[j]);
    }
    out.g[i] = mass.tail(n - i).sum() * gravity * length[i] * std::cos(q[i]);
  }
  return out;
}

Matrix ones_below(Eigen::Index n) {
  return Matrix::Ones(n, n).triangularView<Eigen::Lower>();
}

State planar_state(std::shared_ptr<const Model> model, double gravity, const Vector& x,
                   const Vector& xd) {
  State state(std::move(model));
  state.set_q(to_list(x));
  state.v = to_list(xd);
  state.set_gravity({0, -gravity, 0});
  return state;
}

class PlanarChain : public testing::TestWithParam<std::tuple<std::string, int>> {};
INSTANTIATE_TEST_SUITE_P(Lengths, PlanarChain,
                         testing::Combine(testing::ValuesIn(solver_ids("planar_n_link")),
                                          testing::Values(1, 2, 3, 5, 10, 30)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_n" +
                                  std::to_string(std::get<1>(test.param));
                         });

// Equations: RCFS 110.
TEST_P(PlanarChain, EqualsItsClosedForm) {
  const auto [id, n] = GetParam();
  Random random{uint64_t(n)};
  const Vector length = to_vector(random_values(random, n, 1)).cwiseAbs().array() + 0.1;
  const Vector mass = to_vector(random_values(random, n, 2)).cwiseAbs().array() + 0.1;
  const auto model = build(planar_n_link(length, mass));
  TestSolver solver(id, model);
  const Vector x = to_vector(random_values(random, n, 3)),
               xd = to_vector(random_values(random, n, 2));
  const Vector xdd = to_vector(random_values(random, n, 5));
  const State state = planar_state(model, 9.81, x, xd);
  const Matrix L = ones_below(n);
  const Vector qd = L * xd;
  const Planar exact = closed_form(length, mass, 9.81, L * x);
  const Matrix M = L.transpose() * exact.M * L;
  const Vector bias = L.transpose() * (exact.C * qd.cwiseAbs2() + exact.g);
  EXPECT_TRUE(agree(solver.mass_matrix(state), M));
  EXPECT_TRUE(agree(solver.gravity(state), L.transpose() * exact.g));
  EXPECT_TRUE(agree(solver.bias(state), bias));
  EXPECT_TRUE(agree(solver.inverse(state, xdd), M * xdd + bias));
  const Vector tau = to_vector(random_values(random, n, 30));
  EXPECT_TRUE(satisfies_equation_of_motion(M, solver.forward(state, tau), bias, tau));
  EXPECT_NEAR(kinetic_energy(state), 0.5 * xd.dot(M * xd), agreement * xd.dot(M * xd));
}

class PlanarTable : public testing::TestWithParam<std::string> {
 protected:
  void expect_chains_of(const Json& table) {
    for (const Json& sample : table["samples"]) {
      const Eigen::Index n = sample["N"].get<int>();
      SCOPED_TRACE("N = " + std::to_string(n));
      const Matrix L = ones_below(n), M = L.transpose() * matrix(sample["M"]) * L;
      const Vector qd = vector(sample["qd"]), xd = inverse(L).value() * qd,
                   tau = L.transpose() * vector(sample["u"]);
      const auto model = build(planar_n_link(vector(sample["l"]), vector(sample["m"])));
      TestSolver solver(GetParam(), model);
      const State state = planar_state(model, sample["g"], vector(sample["x"]), xd);
      const Vector bias =
          L.transpose() * (matrix(sample["C"]) * qd.cwiseAbs2() + vector(sample["gvec"]));
      EXPECT_TRUE(agree(solver.mass_matrix(state), M));
      EXPECT_TRUE(agree(solver.bias(state), bias));
      EXPECT_TRUE(agree_acceleration(L * solver.forward(state, tau), vector(sample["qdd"]), M));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, PlanarTable, testing::ValuesIn(solver_ids("planar_n_link")),
                         [](const auto& solver) { return solver.param; });

TEST_P(PlanarTable, EqualsTheReference) {
  expect_chains_of(stored_table("planar_nlink.json"));
}

// Checks MK's planar 2R arm, whose table uses relative angles.
TEST_P(PlanarTable, TwoLinksOfMuellerAndKumar) {
  const Json table = stored_table("planar2r_second_order.json");
  const Json& given = table["parameters"];
  const auto model =
      build(planar_n_link(Eigen::Vector2d(given["L1"].get<double>(), given["L2"].get<double>()),
                          Eigen::Vector2d(given["m1"].get<double>(), given["m2"].get<double>())));
  TestSolver solver(GetParam(), model);
  for (const Json& sample : table["samples"]) {
    const State state = planar_state(model, given["g"], vector(sample["q"]), vector(sample["qd"]));
    const Vector qdd = vector(sample["qdd"]), tau = vector(sample["tau"]);
    EXPECT_TRUE(agree(solver.inverse(state, qdd), tau));
    EXPECT_TRUE(satisfies_equation_of_motion(solver.mass_matrix(state), solver.forward(state, tau),
                                             solver.bias(state), tau));
  }
}

// Fixture for planar chains on a base that rotates about any axis and accelerates, with wrenches in
// any direction. The reference is the articulated-body recursion.
class MovingPlane : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, MovingPlane, testing::ValuesIn(solver_ids("planar_n_link")),
                         [](const auto& solver) { return solver.param; });

TEST_P(MovingPlane, AnyBaseMotionIsSupported) {
  for (const RobotCase& robot : planar_cases) {
    SCOPED_TRACE(case_name(robot));
    const auto model = build(described(robot));
    TestSolver closed(GetParam(), model), recursive("articulated_body", model);
    Random random(robot.seed);
    for (int sample = 0; sample < 10; ++sample) {
      State state = random_state(model, random);
      add_random_wrenches(random, state);
      state.set_world_motion({random.vector(3), random.vector(3)},
                             {random.vector(9), random.vector(9)});
      const Vector vdot = to_vector(random_values(random, robot.n, 5));
      const Vector tau = to_vector(random_values(random, robot.n, 20));
      EXPECT_TRUE(agree(closed.inverse(state, vdot), recursive.inverse(state, vdot)));
      EXPECT_TRUE(agree(closed.bias(state), recursive.bias(state)));
      EXPECT_TRUE(agree(closed.gravity(state), recursive.gravity(state)));
      EXPECT_TRUE(agree_acceleration(closed.forward(state, tau), recursive.forward(state, tau),
                                     recursive.mass_matrix(state)));
    }
  }
}

}  // namespace
}  // namespace torsor::test
