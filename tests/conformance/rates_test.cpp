// Time derivatives of the torques of a motion, of every solver that offers them: against an independent program's (MK's iiwa), and against
// differences of inverse dynamics along a motion whose derivatives are known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/allocation_counter.hpp"
#include "support/known_robots.hpp"

namespace torsor::test {
namespace {

struct Rates {
  Vector tau, tau_dot, tau_ddot;
};
Rates rates_of(Solver& solver, const State& state, const Vector& vdot, const Vector& vddot,
               const Vector& vdddot) {
  const Eigen::Index n = vdot.size();
  Rates out{Vector(n), Vector(n), Vector(n)};
  const Status status = solver.inverse_rates(state, {vdot.data(), vddot.data(), vdddot.data()},
                                             {out.tau.data(), out.tau_dot.data(), out.tau_ddot.data()});
  EXPECT_TRUE(status) << solver.explain(status);
  return out;
}

std::vector<std::string> with_rates() {
  std::vector<std::string> ids;
  for (const std::string& id : solver_ids())
    if (build_registry().solver(id, build(described(random_cases[0]))).has_rates()) ids.push_back(id);
  return ids;
}

TEST(Rates, AreOfferedByThoseThatHaveThem) {
  EXPECT_THAT(with_rates(), testing::Contains("newton_euler"));
  const auto model = build(described(random_cases[0]));
  Solver without = build_registry().solver("articulated_body", model);
  ASSERT_FALSE(without.has_rates());
  const Vector x = Vector::Zero(model->n_v);
  Vector out(model->n_v);
  const Status status = without.inverse_rates(State(model), {x.data(), x.data(), x.data()},
                                              {out.data(), out.data(), out.data()});
  EXPECT_EQ(without.explain(status),
            "solver 'solver.articulated_body' offers no rates of torques (torsor.solver.rates/1)");
}

class RatesOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, RatesOf, testing::ValuesIn(with_rates()),
                         [](const auto& test) { return test.param; });

// MK's iiwa by another program: q to q4, and the torques with their derivatives.
TEST_P(RatesOf, AreThoseOfAnIndependentProgram) {
  const Json table = stored_table("iiwa_second_order.json");
  const auto model = build(iiwa(table));
  Solver solver = build_registry().solver(GetParam(), model);
  double worst[3] = {}, most[3] = {};
  for (const Json& sample : table["samples"]) {
    State state(model);
    state.set_gravity({0, 0, -9.80665});
    state.set_q(to_list(vector(sample["q"])));
    state.v = to_list(vector(sample["qd"]));
    const Rates found =
        rates_of(solver, state, vector(sample["qdd"]), vector(sample["q3"]), vector(sample["q4"]));
    const Vector* each[] = {&found.tau, &found.tau_dot, &found.tau_ddot};
    const char* names[] = {"tau_phys", "taud_phys", "taudd_phys"};
    for (int k = 0; k < 3; ++k) {
      const Vector expected = vector(sample[names[k]]);
      worst[k] = std::max(worst[k], (*each[k] - expected).lpNorm<Eigen::Infinity>());
      most[k] = std::max(most[k], expected.lpNorm<Eigen::Infinity>());
    }
  }
  std::printf("%s: tau to %.1e of %.0f, tau' %.1e of %.0f, tau'' %.1e of %.0f\n", GetParam().c_str(),
              worst[0], most[0], worst[1], most[1], worst[2], most[2]);
  for (int k = 0; k < 3; ++k) EXPECT_LT(worst[k], 1e-13 * most[k]);
}

// q(t) = q_0 (+) D r(t), r = sin(2 t + 0.3), moves every joint along one screw, so that v = D r' whatever its kind. Differences of fourth
// order of inverse(t), with wrenches that stay in the bodies' axes and a world that moves steadily.
TEST_P(RatesOf, AreTheDerivativesOfInverseDynamics) {
  for (const RobotCase& robot : random_cases) {
    const auto model = build(described(robot));
    const int n = model->n_v;
    Random random(500 + robot.seed);
    Asked solver(GetParam(), model);
    State state = random_state(model, random);
    add_random_wrenches(random, state);
    state.set_world_motion({random.vector(1), random.vector(2)}, {random.vector(1), random.vector(2)});
    const std::vector<double> q0(state.q().begin(), state.q().end());
    const Vector D = to_vector(random_values(random, n, 1));
    const auto r = [](double t, int order) {
      return std::pow(2, order) * std::sin(2 * t + 0.3 + order * M_PI / 2);
    };
    const auto go_to = [&](double t) {
      std::vector<double> q(q0.size());
      integrate(*model, q0.data(), D.data(), r(t, 0), q.data());
      state.set_q(q);
      state.v = to_list(D * r(t, 1));
    };
    const auto tau = [&](double t) {
      go_to(t);
      return solver.inverse(state, D * r(t, 2));
    };
    const double h = 2e-3, t = 0.4;
    const Vector m2 = tau(t - 2 * h), m1 = tau(t - h), at = tau(t), p1 = tau(t + h), p2 = tau(t + 2 * h);
    const Vector dot = (m2 - 8 * m1 + 8 * p1 - p2) / (12 * h),
                 ddot = (-m2 + 16 * m1 - 30 * at + 16 * p1 - p2) / (12 * h * h);
    go_to(t);
    const Rates found = rates_of(solver.solver(), state, D * r(t, 2), D * r(t, 3), D * r(t, 4));
    EXPECT_TRUE(agree(found.tau, at)) << case_name(robot);
    EXPECT_LT((found.tau_dot - dot).norm(), 1e-8 * (dot.norm() + at.norm())) << case_name(robot);
    EXPECT_LT((found.tau_ddot - ddot).norm(), 1e-7 * (ddot.norm() + at.norm())) << case_name(robot);
  }
}

TEST_P(RatesOf, ArePureFunctionsThatDoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  const auto model = build(described(random_cases[7]));
  Random random(7);
  const State state = random_state(model, random);
  const Vector a = to_vector(random_values(random, model->n_v, 3));
  Solver solver = build_registry().solver(GetParam(), model);
  const Rates first = rates_of(solver, state, a, 2 * a, -a);
  (void)rates_of(solver, state, -a, a, a);
  Rates again{Vector(a.size()), Vector(a.size()), Vector(a.size())};
  const Vector b = 2 * a, c = -a;
  const long before = allocations();
  const Status status = solver.inverse_rates(state, {a.data(), b.data(), c.data()},
                                             {again.tau.data(), again.tau_dot.data(), again.tau_ddot.data()});
  EXPECT_EQ(allocations(), before);
  ASSERT_TRUE(status);
  EXPECT_EQ(again.tau, first.tau);
  EXPECT_EQ(again.tau_dot, first.tau_dot);
  EXPECT_EQ(again.tau_ddot, first.tau_ddot);
}

}  // namespace
}  // namespace torsor::test
