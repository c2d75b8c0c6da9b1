// Tests of the derivatives of constrained forward dynamics against central differences of it.

#include <gtest/gtest.h>

#include "constraints/closed_states.hpp"
#include "torsor/constraints/moved_rows.hpp"

namespace torsor::test {
namespace {

// Accelerations at the state whose independent dof are moved by d_q and whose rates of independent
// dof are changed by d_v. The other joints follow.
Vector acceleration(Solver& solver, const State& start, const ConstrainedDynamics& at,
                    const Vector& d_q, const Vector& d_v, const Vector& tau) {
  const Model& model = start.model();
  State state = start;
  std::vector<char> held(size_t(model.n_v), 0);
  Vector rates(Eigen::Index(at.independent().size()));
  for (size_t k = 0; k < at.independent().size(); ++k) {
    held[size_t(at.independent()[k])] = 1;
    rates[Eigen::Index(k)] = start.v[size_t(at.independent()[k])] + d_v[Eigen::Index(k)];
  }
  const Vector along = at.transfer() * d_q;
  std::vector<double> q(state.q().begin(), state.q().end());
  integrate(model, q.data(), along.data(), 1, q.data());
  state.set_q(q);
  ConstrainedDynamics::assemble(solver, state, held);
  ConstrainedDynamics moved(model, {.independent = at.independent()});
  moved.evaluate(solver, state);
  Eigen::Map<Vector>(state.v.data(), model.n_v) = moved.transfer() * rates;
  moved.evaluate(solver, state);
  return moved.forward(tau).vdot;
}

// Checks that differences with the steps h and h / 2 approach the derivatives with order 2.
void expect_derivatives(Solver& solver, const State& state, const Vector& tau) {
  ConstrainedDynamics dynamics(state.model());
  dynamics.evaluate(solver, state);
  const auto partials = dynamics.forward_partials(solver, tau);
  const Eigen::Index k = dynamics.motions().mobility();
  const auto error = [&](double h) {
    Matrix q(state.model().n_v, k), v = q;
    const Vector none = Vector::Zero(k);
    for (Eigen::Index j = 0; j < k; ++j) {
      const Vector step = h * Vector::Unit(k, j);
      const auto difference = [&](const Vector& d_q, const Vector& d_v) -> Vector {
        return (acceleration(solver, state, dynamics, d_q, d_v, tau) -
                acceleration(solver, state, dynamics, -d_q, -d_v, tau)) /
               (2 * h);
      };
      q.col(j) = difference(step, none);
      v.col(j) = difference(none, step);
    }
    return std::pair{(q - partials.dvdot_dq).norm() / (1 + partials.dvdot_dq.norm()),
                     (v - partials.dvdot_dv).norm() / (1 + partials.dvdot_dv.norm())};
  };
  constexpr double h = 1e-3;
  const auto [q_error, v_error] = error(h);
  const auto [q_half, v_half] = error(h / 2);
  EXPECT_LT(q_half, 1e-3);
  if (q_half > 1e-8) {
    EXPECT_NEAR(observed_order(q_error, q_half), 2, 0.1);
  }
  EXPECT_LT(v_half, 1e-7);  // forward dynamics is quadratic in v
  const Vector other = tau + Vector::Ones(tau.size());
  EXPECT_LT((dynamics.forward(other).vdot - dynamics.forward(tau).vdot -
             partials.dvdot_dtau * Vector::Ones(tau.size()))
                .norm(),
            1e-9 * (1 + dynamics.forward(other).vdot.norm()));
}

// Along v, the derivative of J v for a constant v is Jdot v.
TEST(MovedRows, HaveAccurateDerivatives) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    ClosedRun run(seed);
    const Eigen::Index n = run.state.model().n_v;
    const Vector v = Eigen::Map<const Vector>(run.state.v.data(), n);
    MovedRows rows(run.state);
    const Vector exact = rows(Vector::Zero(n), 0, v).col(n),
                 found = derivative_along(rows, v, v).leftCols(n) * v;
    worst = std::max(worst, (found - exact).norm() / (1 + exact.norm()));
  }
  EXPECT_LT(worst, 1e-11);
  RecordProperty("largest relative error", std::to_string(worst * 1e15) + "e-15");
}

class MechanismPartials : public testing::TestWithParam<const char*> {};

TEST_P(MechanismPartials, AreDerivatives) {
  Mechanism mechanism(GetParam());
  for (size_t row = 1; row < mechanism.rows(); row += 5) {
    mechanism.set_row(row);
    expect_derivatives(mechanism.solver, mechanism.state, mechanism.loads());
  }
}
INSTANTIATE_TEST_SUITE_P(Reference, MechanismPartials,
                         testing::Values("A1_fourbar", "A2_slider_crank", "A3_fivebar",
                                         "A5_bricard"));

TEST(ConstrainedPartials, AreDerivativesForEveryJointKind) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    TORSOR_TRACE_SEED(seed);
    ClosedRun run(seed);
    Random random(seed);
    const std::vector<double> tau = random_values(random, run.state.model().n_v, 5);
    expect_derivatives(run.solver, run.state,
                       Eigen::Map<const Vector>(tau.data(), run.state.model().n_v));
  }
}

}  // namespace
}  // namespace torsor::test
