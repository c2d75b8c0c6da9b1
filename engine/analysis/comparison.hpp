#pragma once
// The agreement of two solvers: the rule for every quantity, in one place.
//
// An error is measured relative to the size of the quantity in that state: the larger of the two
// norms (2-norm, Frobenius norm), never a constant such as 1.
//   tau, M, C v, Mdot, g, bias: every entry to 1e-10.
//   vdot: in the 2-norm, to max(1e-10, 10 cond(M) eps). No algorithm is more accurate.
//   M vdot + b = tau: to 1e-10 of the largest of these terms. cond(M) does not relax this.
//   M^-1: M M^-1 = 1 to max(1e-10, 10 cond(M) eps), with more than ten dof n cond(M) eps.
// Quantities that the host derives from forward dynamics alone depend on M^-1. Therefore cond(M)
// relaxes their limits too.
//
// A sum is only accurate to a few eps of its terms. If 16 eps of the size of the terms are more
// than these limits, they are allowed. This is the case if a quantity vanishes but its terms do not
// (gravity about a vertical axis). Because the size of the terms is a bound, it is also the case on
// chains of about a hundred links. Without terms, zero agrees with zero only.
//
// C is not unique. Therefore C v and Mdot = C + C^T are compared.

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "torsor/analysis/term_sizes.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

inline constexpr double agreement = 1e-10;
// Returns max(1e-10, 10 cond eps), or 1e-10 if cond is not finite.
double tolerance(double cond);

struct Disagreement {
  // Relative to the size of the quantity; infinite if there is no finite number to compare.
  double value = 0;
  double allowed = agreement;
  bool singular = false;  // nothing was compared: both report that M is singular at the same joint

  bool broken() const { return !(value <= allowed); }
  double fraction() const { return value / allowed; }
};

// Compares every entry. terms: magnitude of the terms whose sums are a and b (TermSizes). This and
// the following comparisons return an infinite disagreement if a result is not finite.
Disagreement compare_entries(std::span<const double> a, std::span<const double> b, double terms = 0,
                             double allowed = agreement);
// Compares in the 2-norm. terms: a bound of vdot, the size of tau - b divided by the smallest
// eigenvalue of M.
Disagreement compare_accelerations(std::span<const double> a, std::span<const double> b,
                                   double cond, double terms = 0);
// Checks M vdot + b = tau, [n] each.
Disagreement compare_motion(std::span<const double> M_vdot, std::span<const double> b,
                            std::span<const double> tau, double terms = 0,
                            double allowed = agreement);
// Checks M Minv = 1, n x n each.
Disagreement compare_inverse(std::span<const double> M, std::span<const double> Minv, double cond);

// The agreements of all quantities, in the order of their table. The first ones have a name here.
enum class Compared : int { tau, vdot, motion, M, Minv, Cv, Mdot, g, bias };
inline constexpr size_t n_compared = [] {
  size_t count = 0;
  for (const QuantityRow& row : quantities)
    for (const Agreement& agreement : row.agreements) count += agreement.name != nullptr;
  return count;
}();
inline constexpr auto all_compared = [] {
  std::array<Compared, n_compared> out{};
  for (size_t k = 0; k < n_compared; ++k) out[k] = Compared(k);
  return out;
}();
const char* name(Compared quantity);         // "vdot": in signals and JSON
const char* description(Compared quantity);  // "forward dynamics"
// Returns how the rule is broken, as a clause: "disagrees by 2.0e-03; 1.0e-10 is allowed", or the
// failure.
std::string explain(const Disagreement& broken, const std::string& failure);

// A comparison of solvers of one model on the same states.
class Comparison {
 public:
  explicit Comparison(std::vector<Solver> solvers);  // at least one
  ~Comparison();
  Comparison(Comparison&&) noexcept;

  std::vector<Solver>& solvers();
  const std::vector<Solver>& solvers() const;

  // Evaluates every quantity with every solver: inverse dynamics for vdot, forward dynamics for
  // tau, [n_v] each.
  void ask(const State& state, std::span<const double> vdot, std::span<const double> tau);
  // Evaluates every quantity with one solver, for callers that cannot evaluate all at once.
  // between() and failure() are valid once every solver has been evaluated for the same state.
  void ask(int solver, const State& state, std::span<const double> vdot,
           std::span<const double> tau);

  // Returns the disagreement of solvers a and b in the last state. It is infinite if only one of
  // them fails. An exception is a quantity derived from an M^-1 that does not exist, if the other
  // solver reports the same singular M.
  Disagreement between(int a, int b, Compared quantity) const;
  // Returns why a solver failed to compute a quantity, or "".
  std::string failure(int solver, Compared quantity) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
