#include "torsor/analysis/derivative_comparison.hpp"

#include <cmath>

namespace torsor {

const char* name(Derivative quantity) {
  static constexpr const char* names[] = {"tau_dot", "tau_ddot", "dtau_dq", "dtau_dv"};
  return names[int(quantity)];
}
const char* description(Derivative quantity) {
  static constexpr const char* descriptions[] = {"tau'", "tau''", "d tau/dq", "d tau/dv"};
  return descriptions[int(quantity)];
}

DerivativeComparison::DerivativeComparison(std::vector<Solver>& solvers)
    : solvers_(solvers),
      n_(size_t(solvers.front().model().n_v)),
      sizes_(solvers.front().model()),
      answers_(solvers.size()),
      motion_(3 * n_) {
  for (Answers& a : answers_) {
    a.tau.resize(3 * n_);
    a.dq.resize(n_ * n_);
    a.dv = a.dq;
  }
}

bool DerivativeComparison::offers(int solver, Derivative quantity) const {
  const Solver& asked = solvers_[size_t(solver)];
  return quantity <= Derivative::tau_ddot ? asked.max_rate_order() >= 2 : asked.has_partials();
}

// Bounds the terms of the derivatives by those of tau. tau is a sum of products with at most four
// factors. Differentiating one factor multiplies the product by a joint rate, or replaces v or vdot
// by its derivative.
void DerivativeComparison::ask(const State& state, std::span<const double> vdot) {
  for (size_t k = 0; k < motion_.size(); ++k) motion_[k] = vdot[k % n_];
  for (size_t k = 0; k < solvers_.size(); ++k) {
    Answers& a = answers_[k];
    const auto why_not = [&](Status status) { return status ? "" : solvers_[k].explain(status); };
    if (offers(int(k), Derivative::tau_dot))
      a.rates_failure = why_not(solvers_[k].rates(state, {2, motion_.data()}, a.tau.data()));
    if (offers(int(k), Derivative::dtau_dq))
      a.partials_failure =
          why_not(solvers_[k].inverse_partials(state, vdot.data(), {a.dq.data(), a.dv.data()}));
  }
  double speed = 1, acceleration = 0;
  for (size_t k = 0; k < n_; ++k) speed += std::abs(state.v[k]), acceleration += std::abs(vdot[k]);
  const double torque = sizes_.torque(state, {state.v, vdot, true, true}),
               first = (1 + 4 * speed) * torque,
               second = 4 * speed * first + (1 + 4 * acceleration) * torque;
  const double terms[] = {first, second, 4 * torque, 2 * sizes_.coriolis(state)};
  std::copy(std::begin(terms), std::end(terms), terms_);
}

std::span<const double> DerivativeComparison::values(int solver, Derivative quantity) const {
  const Answers& a = answers_[size_t(solver)];
  switch (quantity) {
    case Derivative::tau_dot:
      return std::span(a.tau).subspan(n_, n_);
    case Derivative::tau_ddot:
      return std::span(a.tau).subspan(2 * n_, n_);
    case Derivative::dtau_dq:
      return a.dq;
    case Derivative::dtau_dv:
      return a.dv;
  }
  return {};
}

Disagreement DerivativeComparison::between(int a, int b, Derivative quantity) const {
  if (!failure(a, quantity).empty() || !failure(b, quantity).empty())
    return {.value = std::numeric_limits<double>::infinity()};
  return compare_entries(values(a, quantity), values(b, quantity), terms_[int(quantity)]);
}

const std::string& DerivativeComparison::failure(int solver, Derivative quantity) const {
  const Answers& a = answers_[size_t(solver)];
  return quantity <= Derivative::tau_ddot ? a.rates_failure : a.partials_failure;
}

}  // namespace torsor
