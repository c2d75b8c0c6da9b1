#pragma once
// Compares the derivatives that solvers offer, by the rule of comparison.hpp. These are tau' and
// tau'' along a motion in which vdot and its derivatives are equal, d tau/dq and d tau/dv.

#include "torsor/analysis/comparison.hpp"

namespace torsor {

enum class Derivative { tau_dot, tau_ddot, dtau_dq, dtau_dv };
inline constexpr Derivative all_derivatives[] = {Derivative::tau_dot, Derivative::tau_ddot,
                                                 Derivative::dtau_dq, Derivative::dtau_dv};
const char* name(Derivative quantity);         // "tau_dot": in JSON
const char* description(Derivative quantity);  // "tau'"

class DerivativeComparison {
 public:
  // Compares solvers of one model. They must outlive this object.
  explicit DerivativeComparison(std::vector<Solver>& solvers);

  bool offers(int solver, Derivative quantity) const;
  // Evaluates with every solver the derivatives that it offers, at vdot [n_v].
  void ask(const State& state, std::span<const double> vdot);
  // Returns the disagreement of two solvers that offer a derivative, in the last state. It is
  // infinite if one of them fails.
  Disagreement between(int a, int b, Derivative quantity) const;
  // Returns why a solver failed to compute a derivative, or "".
  const std::string& failure(int solver, Derivative quantity) const;

 private:
  struct Answers {
    std::string rates_failure, partials_failure;  // "" if there is none
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
