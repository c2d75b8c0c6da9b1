#pragma once
// When two solvers say the same: the rule for every quantity, in one place.
//
// tau, M, C v, Mdot, g and the bias: every entry to 1e-10 of the size of the quantity in that
// state, which is the larger of the two norms (2-norm, Frobenius norm), never a number of its own
// such as 1. vdot: in the 2-norm to the larger of 1e-10 and 10 cond(M) eps, since no algorithm can
// do better; and, what cond(M) does not soften, M vdot + b = tau to 1e-10 of the largest of these
// terms. M^-1: M times it is 1, to max(1e-10, 10 cond(M) eps), n cond(M) eps for more than ten
// columns. What the host had to derive from forward dynamics alone has been through M^-1 and is
// judged with cond(M) as well.
//
// No sum is known better than to a few eps of its terms: 16 eps of their size, where that is more,
// are allowed as well. That is so where a quantity vanishes but its terms do not (gravity about a
// vertical axis), and, since the size is a bound, on chains of about a hundred links. Without
// terms, zero agrees with zero alone.
//
// C is not unique: compared are C v and Mdot = C + C^T.

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "torsor/analysis/term_sizes.hpp"
#include "torsor/plugin/solver.hpp"

namespace torsor {

inline constexpr double agreement = 1e-10;
// max(1e-10, 10 cond eps); a cond that is not a finite number softens nothing.
double tolerance(double cond);

struct Disagreement {
  // Of the size of the quantity; infinite where there is no number to compare with another.
  double value = 0;
  double allowed = agreement;
  bool singular = false;  // nothing was compared: both say that M is singular, at the same joint

  bool broken() const { return !(value <= allowed); }
  double fraction() const { return value / allowed; }
};

// In all of these a result that is not finite disagrees infinitely; terms is the size of what the
// result was summed from (TermSizes).
Disagreement compare_entries(std::span<const double> a, std::span<const double> b, double terms = 0,
                             double allowed = agreement);
// terms: of vdot, that is of tau - b divided by the smallest eigenvalue of M.
Disagreement compare_accelerations(std::span<const double> a, std::span<const double> b,
                                   double cond, double terms = 0);
// M vdot + b = tau, [n] each.
Disagreement compare_motion(std::span<const double> M_vdot, std::span<const double> b,
                            std::span<const double> tau, double terms = 0,
                            double allowed = agreement);
// M Minv = 1, n x n each.
Disagreement compare_inverse(std::span<const double> M, std::span<const double> Minv, double cond);

// The agreements of all quantities, in the order of their table. The first have a name here.
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
// What breaks the rule, as a clause: "disagrees by 2.0e-03, where 1.0e-10 is allowed", or the
// failure.
std::string explain(const Disagreement& broken, const std::string& failure);

// Solvers of one model asked about the same states.
class Comparison {
 public:
  explicit Comparison(std::vector<Solver> solvers);  // one at least
  ~Comparison();
  Comparison(Comparison&&) noexcept;

  std::vector<Solver>& solvers();
  const std::vector<Solver>& solvers() const;

  // Asks every solver for every quantity: inverse dynamics of vdot and forward dynamics of tau,
  // [n_v].
  void ask(const State& state, std::span<const double> vdot, std::span<const double> tau);
  // Asks one solver, where there is no time for all at once; what follows holds once each was asked
  // about the same.
  void ask(int solver, const State& state, std::span<const double> vdot,
           std::span<const double> tau);

  // Of solvers a and b, as last asked. A solver that fails where the other does not disagrees, but
  // for what was to be derived from an M^-1 of which the other says, too, that there is none.
  Disagreement between(int a, int b, Compared quantity) const;
  // Why a solver gave no such quantity, or "".
  std::string failure(int solver, Compared quantity) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
