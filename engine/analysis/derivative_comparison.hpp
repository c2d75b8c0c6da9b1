#pragma once
// Whether solvers that offer derivatives say the same of them (comparison.hpp, whose rule this is):
// of a motion whose derivatives from vdot on are all alike, tau' and tau''; d tau/dq and d tau/dv.

#include "torsor/analysis/comparison.hpp"

namespace torsor {

enum class Derivative { tau_dot, tau_ddot, dtau_dq, dtau_dv };
inline constexpr Derivative all_derivatives[] = {Derivative::tau_dot, Derivative::tau_ddot,
                                                 Derivative::dtau_dq, Derivative::dtau_dv};
const char* name(Derivative quantity);         // "tau_dot": in JSON
const char* description(Derivative quantity);  // "tau'"

class DerivativeComparison {
 public:
  // Of solvers of one model, which outlive this.
  explicit DerivativeComparison(std::vector<Solver>& solvers);

  bool offers(int solver, Derivative quantity) const;
  // Asks every solver for what it offers, at vdot [n_v].
  void ask(const State& state, std::span<const double> vdot);
  // Of two that offer it, as last asked; one that fails disagrees infinitely.
  Disagreement between(int a, int b, Derivative quantity) const;
  // Why a solver gave no such quantity, or "".
  const std::string& failure(int solver, Derivative quantity) const;

 private:
  struct Answers {
    std::string rates_failure, partials_failure;  // or ""
    std::vector<double> tau, dq, dv;              // [3][n_v], [n_v][n_v]
  };
  std::span<const double> values(int solver, Derivative quantity) const;

  std::vector<Solver>& solvers_;
  size_t n_;
  TermSizes sizes_;
  std::vector<Answers> answers_;
  std::vector<double> motion_;
  double terms_[std::size(all_derivatives)] = {};
};

}  // namespace torsor
