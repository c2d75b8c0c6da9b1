// Tests of the partial derivatives of every solver that offers them. They are compared with central
// differences of the solver's own dynamics, and those of forward dynamics with those of inverse
// dynamics.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "conformance/random_case.hpp"
#include "conformance/raw_solver.hpp"
#include "support/allocation_counter.hpp"
#include "support/table_solver.hpp"

namespace torsor::test {
namespace {

std::vector<std::string> with_partials(const RobotCase& robot, std::string_view family) {
  std::vector<std::string> ids;
  for (const std::string& id : solver_ids(family))
    if (build_registry().solver(id, build(described(robot))).has_partials()) ids.push_back(id);
  return ids;
}
std::vector<std::string> for_any_tree() {
  return with_partials(random_cases[0], "");
}
std::vector<std::string> for_planar_chains() {
  return with_partials(planar_cases[0], "planar_n_link");
}

TEST(Partials, AreOfferedBySomeSolvers) {
  EXPECT_THAT(for_any_tree(), testing::Contains("newton_euler"));
  EXPECT_THAT(for_planar_chains(), testing::Contains("planar_lagrange"));
}

class PartialsOf : public testing::TestWithParam<std::tuple<std::string, RobotCase>> {
 protected:
  PartialsOf() {
    add_random_wrenches(random, state);
    state.add_wrench(model->frames.back(), {random.vector(5), random.vector(20)});
    state.set_world_motion({random.vector(1), random.vector(2)},
                           {random.vector(1), random.vector(2)});
  }
  const RobotCase& robot() const { return std::get<1>(GetParam()); }
  Matrix square() const { return Matrix::Constant(n, n, std::numeric_limits<double>::quiet_NaN()); }

  // Returns the central differences of ask() for each dof, with step h in q or in v.
  template <class Ask>
  Matrix difference(bool of_q, double h, const Ask& ask) const {
    Matrix out;
    for (int k = 0; k < n; ++k) {
      Vector side[2];
      for (const int s : {0, 1}) {
        State there = state;
        const Vector unit = Vector::Unit(n, k);
        std::vector<double> q(state.q().begin(), state.q().end());
        if (of_q) integrate(*model, q.data(), unit.data(), s ? h : -h, q.data());
        there.set_q(q);
        if (!of_q) there.v[size_t(k)] += s ? h : -h;
        side[s] = ask(there);
      }
      if (k == 0) out.resize(side[0].size(), n);
      out.col(k) = (side[1] - side[0]) / (2 * h);
    }
    return out;
  }
  // Checks a derivative against central differences of ask(): to 1e-7 at a small step, with an
  // error of order h^2 at larger steps. `rounding` is the relative rounding error of ask().
  template <class Ask>
  void expect_derivative(const Matrix& exact, bool of_q, const Ask& ask, double rounding) {
    const auto error = [&](double h) { return (difference(of_q, h, ask) - exact).norm(); };
    const double size = ask(state).norm() * std::sqrt(n);
    const auto noise = [&](double h) { return rounding * size / h; };
    EXPECT_LE(error(1e-5), 1e-7 * exact.norm() + noise(1e-5));
    const double coarse = error(2e-3), fine = error(1e-3);
    // If ask() is quadratic in v, central differences are exact, and the order cannot be measured.
    if (fine > 1e-9 * exact.norm() + 100 * noise(1e-3)) {
      EXPECT_NEAR(observed_order(coarse, fine), 2, 0.1);
    }
  }
  static constexpr double eps = std::numeric_limits<double>::epsilon();

  Random random{300 + robot().seed};
  std::shared_ptr<const Model> model = build(described(robot()));
  const int n = model->n_v;
  State state = random_state(model, random);
  TestSolver solver{std::get<0>(GetParam()), model};
};
INSTANTIATE_TEST_SUITE_P(Planar, PartialsOf,
                         testing::Combine(testing::ValuesIn(for_planar_chains()),
                                          testing::ValuesIn(planar_cases)),
                         random_case_name);
INSTANTIATE_TEST_SUITE_P(Random, PartialsOf,
                         testing::Combine(testing::ValuesIn(for_any_tree()),
                                          testing::ValuesIn(random_cases)),
                         random_case_name);

TEST_P(PartialsOf, InverseEqualCentralDifferences) {
  const Vector vdot = to_vector(random_values(random, n, 5));
  Matrix dq = square(), dv = square();
  ASSERT_TRUE(solver.solver().inverse_partials(state, vdot.data(), {dq.data(), dv.data()}));
  const auto tau = [&](const State& there) { return solver.inverse(there, vdot); };
  expect_derivative(dq, true, tau, eps);
  expect_derivative(dv, false, tau, eps);
}

TEST_P(PartialsOf, ForwardEqualCentralDifferences) {
  const Vector tau = to_vector(random_values(random, n, 20));
  Matrix dq = square(), dv = square(), dtau = square();
  ASSERT_TRUE(
      solver.solver().forward_partials(state, tau.data(), {dq.data(), dv.data(), dtau.data()}));
  const auto vdot = [&](const State& there) { return solver.forward(there, tau); };
  const double rounding = eps * condition(solver.mass_matrix(state));
  expect_derivative(dq, true, vdot, rounding);
  expect_derivative(dv, false, vdot, rounding);
  EXPECT_TRUE(agree_inverse(dtau, solver.inverse_mass_matrix(state), solver.mass_matrix(state)));
}

// Checks that the derivatives are finite in the zero position, where the sine of every angle is 0.
TEST_P(PartialsOf, AreFiniteInTheZeroPosition) {
  state = State(model);
  state.v = random_values(random, n, 2);
  const Vector in = to_vector(random_values(random, n, 5));
  Matrix dq = square(), dv = square(), dtau = square();
  ASSERT_TRUE(solver.solver().inverse_partials(state, in.data(), {dq.data(), dv.data()}));
  EXPECT_TRUE(dq.allFinite() && dv.allFinite());
  const Status status =
      solver.solver().forward_partials(state, in.data(), {dq.data(), dv.data(), dtau.data()});
  ASSERT_TRUE(status) << solver.solver().explain(status);
  EXPECT_TRUE(dq.allFinite() && dv.allFinite() && dtau.allFinite());
}

// Checks M d vdot + d tau = 0 for the derivatives along each dof of q and v, at vdot =
// forward(tau).
TEST_P(PartialsOf, ForwardAndInverseAreConsistent) {
  const Vector tau = to_vector(random_values(random, n, 20)), vdot = solver.forward(state, tau);
  Matrix dq = square(), dv = square(), dtau = square(), inverse_dq = square(),
         inverse_dv = square();
  ASSERT_TRUE(
      solver.solver().forward_partials(state, tau.data(), {dq.data(), dv.data(), dtau.data()}));
  ASSERT_TRUE(
      solver.solver().inverse_partials(state, vdot.data(), {inverse_dq.data(), inverse_dv.data()}));
  const Matrix M = solver.mass_matrix(state);
  EXPECT_TRUE(agree(-(M * dq), inverse_dq));
  EXPECT_TRUE(agree(-(M * dv), inverse_dv));
}

// Checks second partial derivatives against central differences. Entry [i][j][k] is the change of
// entry [i][j] of the first derivative, or of M, along dof k of q or v.
TEST_P(PartialsOf, SecondEqualCentralDifferences) {
  if (!solver.solver().has_second_partials() || n > 20) return;  // planar_lagrange has none
  const Vector vdot = to_vector(random_values(random, n, 5));
  const size_t size = size_t(n) * size_t(n) * size_t(n);
  std::vector<double> qq(size), vq(size), vv(size), Mq(size);
  ASSERT_TRUE(solver.solver().second_partials(state, vdot.data(),
                                              {qq.data(), vq.data(), vv.data(), Mq.data()}));
  const auto first = [&](bool of_q) {
    return [&, of_q](const State& there) {
      Matrix dq = square(), dv = square();
      EXPECT_TRUE(solver.solver().inverse_partials(there, vdot.data(), {dq.data(), dv.data()}));
      return Vector((of_q ? dq : dv).reshaped<Eigen::RowMajor>());
    };
  };
  const auto M = [&](const State& there) {
    return Vector(solver.mass_matrix(there).reshaped<Eigen::RowMajor>());
  };
  // Returns x with one row for each [i][j].
  const auto by_pair = [&](const std::vector<double>& x) {
    return Matrix(Eigen::Map<const Matrix>(x.data(), n * n, n));
  };
  expect_derivative(by_pair(qq), true, first(true), 10 * eps);
  expect_derivative(by_pair(vq), true, first(false), 10 * eps);
  expect_derivative(by_pair(vv), false, first(false), 10 * eps);
  expect_derivative(by_pair(Mq), true, M, 10 * eps);
}

// Checks that results have the same bits for any previous contents of the work area, that nothing
// beyond the work area and the results is written, and that nothing is allocated.
TEST_P(PartialsOf, ArePureFunctions) {
  const RawSolver raw(build_registry().find<Solver>(std::get<0>(GetParam())), model->view());
  const torsor_solver_partials& table = *raw.partials();
  const std::vector<double> in = random_values(random, n, 4);
  const size_t guards = 8, square = size_t(n) * size_t(n), cube = n <= 20 ? square * size_t(n) : 0;
  const std::vector<size_t> sizes{square, square, square, square, square, cube, cube, cube, cube};
  constexpr double guard = 12345.678;
  std::vector<std::vector<double>> seen;
  for (const double filling : {std::numeric_limits<double>::quiet_NaN(), 0.0, 1e300}) {
    WorkArea work(raw.work_doubles() + guards, guard);
    std::fill_n(work.data(), raw.work_doubles(), filling);
    std::vector<double> out(5 * square + 4 * cube + sizes.size() * guards, guard);
    std::vector<double*> part{out.data()};
    for (const size_t size : sizes) part.push_back(part.back() + size + guards);
    torsor_state view = state.view();
    view.min_pivot = raw.min_pivot();
    const auto call = [&](auto function, auto... results) {
      if (function) {
        EXPECT_EQ(function(raw.plugin(), raw.model(), &view, in.data(), work.data(), results...),
                  TORSOR_OK);
      }
    };
    const long before = allocations();
    call(table.inverse_partials, part[0], part[1]);
    call(table.forward_partials, part[2], part[3], part[4]);
    if (cube > 0) call(table.second_partials, part[5], part[6], part[7], part[8]);
    EXPECT_EQ(allocations() - before, 0);
    for (size_t k = 0; k < guards; ++k) {
      EXPECT_EQ(work.data()[raw.work_doubles() + k], guard);
      for (size_t result = 0; result < sizes.size(); ++result)
        EXPECT_EQ(part[result][sizes[result] + k], guard);
    }
    seen.push_back(out);
  }
  for (const auto& out : seen)
    EXPECT_EQ(std::memcmp(out.data(), seen[0].data(), sizeof(double) * out.size()), 0);
}

TEST(Partials, ASolverWithoutThemReportsThis) {
  const auto model = build(random_robot(2, Shape::chain, 1));
  Solver solver = table_solver(dense_solver_table(), model);
  EXPECT_FALSE(solver.has_partials());
  std::vector<double> in(2), out(4);
  const Status forward =
      solver.forward_partials(State(model), in.data(), {out.data(), out.data(), out.data()});
  const Status inverse = solver.inverse_partials(State(model), in.data(), {out.data(), out.data()});
  EXPECT_EQ(solver.explain(forward),
            "solver 'solver.table' offers no partial derivatives (torsor.solver.partials/1)");
  EXPECT_EQ(inverse.value, forward.value);
}

}  // namespace
}  // namespace torsor::test
