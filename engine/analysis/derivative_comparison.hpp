#pragma once
// Compares the derivatives that solvers offer, by the rules of comparison.hpp: d tau/dq, d tau/dv,
// and the time derivatives tau' and tau''. The time derivatives are taken along a motion whose
// vddot and vdddot are equal to vdot in value.

#include "torsor/analysis/comparison.hpp"

namespace torsor {

enum class Derivative { tau_dot, tau_ddot, dtau_dq, dtau_dv };
inline constexpr Derivative all_derivatives[] = {Derivative::tau_dot, Derivative::tau_ddot,
                                                 Derivative::dtau_dq, Derivative::dtau_dv};
const char* name(Derivative quantity);         // key in JSON: "tau_dot"
const char* description(Derivative quantity);  // text for reports: "tau'"

class DerivativeComparison {
 public:
  // Compares solvers of one model. The solvers must outlive this object.
  explicit DerivativeComparison(std::vector<Solver>& solvers);

  bool offers(int solver, Derivative quantity) const;
  // Evaluates the derivatives that each solver offers, at vdot [n_v].
  void ask(const State& state, std::span<const double> vdot);
  // Returns the disagreement of two solvers in the last state. Both must offer the derivative. The
  // disagreement is infinite if one of them fails.
  Disagreement between(int a, int b, Derivative quantity) const;
  // Returns why a solver failed to compute a derivative, or "".
  const std::string& failure(int solver, Derivative quantity) const;

 private:
  struct Answers {
    std::string rates_failure, partials_failure;  // reason of the failure, or ""
    std::vector<double> tau, dq, dv;  // tau [3][n_v] with derivatives, dq and dv [n_v][n_v]
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
