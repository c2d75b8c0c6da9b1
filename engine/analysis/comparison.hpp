#pragma once
// Rules by which two solvers agree, one for each quantity.
//
// An error is relative to the size of the quantity in that state. The size is the larger of the two
// norms (2-norm or Frobenius norm), never a constant such as 1. The limits are:
//   tau, M, C v, Mdot, g, bias   every entry: 1e-10
//   vdot                         2-norm: max(1e-10, 10 cond(M) eps); no algorithm is more accurate
//   M vdot + b = tau             1e-10 of the largest term; not relaxed by cond(M)
//   M M^-1 = 1                   max(1e-10, 10 cond(M) eps); n cond(M) eps for n > 10 dof
// Quantities that the host derives from forward dynamics alone depend on M^-1. Therefore cond(M)
// relaxes their limits too.
//
// The rounding error of a sum is a few eps times the size of its terms. Therefore an error of 16
// eps times the size of the terms is always allowed. It is more than the limits above if the terms
// cancel (gravity about a vertical axis). It is also more on chains of about a hundred links,
// because the size of the terms is an upper bound. If all terms are zero, the results must be
// equal.
//
// C is not unique. Therefore C v and Mdot = C + C^T are compared.

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/analysis/term_sizes.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

inline constexpr double agreement = 1e-10;
// Returns max(1e-10, 10 cond eps), or 1e-10 if cond is not finite.
double tolerance(double cond);

struct Disagreement {
  // Error relative to the size of the quantity. Infinite if a result is not finite or is missing.
  double value = 0;
  double allowed = agreement;
  bool singular = false;  // true: not compared, both report a singular M at the same joint

  bool broken() const { return !(value <= allowed); }
  double fraction() const { return value / allowed; }
};

// Compares every entry of a and b. terms: size of the terms whose sums are a and b (TermSizes). All
// compare functions return an infinite disagreement if a result is not finite.
Disagreement compare_entries(std::span<const double> a, std::span<const double> b, double terms = 0,
                             double allowed = agreement);
// Compares accelerations in the 2-norm. terms: a bound of |vdot|, |tau - b| divided by the smallest
// eigenvalue of M.
Disagreement compare_accelerations(std::span<const double> a, std::span<const double> b,
                                   double cond, double terms = 0);
// Checks M vdot + b = tau. All vectors are [n].
Disagreement compare_motion(std::span<const double> M_vdot, std::span<const double> b,
                            std::span<const double> tau, double terms = 0,
                            double allowed = agreement);
// Checks M Minv = 1. Both matrices are n x n.
Disagreement compare_inverse(std::span<const double> M, std::span<const double> Minv, double cond);

// Indices of the compared results: the named agreements of the rows of the table `quantities`, in
// the order of the table.
enum class Compared : int {};
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
// Returns the compared result with this name, which must be in the table: compared("vdot").
consteval Compared compared(std::string_view name) {
  int k = 0;
  for (const QuantityRow& row : quantities)
    for (const Agreement& agreement : row.agreements) {
      if (!agreement.name) continue;
      if (agreement.name == name) return Compared(k);
      ++k;
    }
  throw "no compared result has this name";  // reached only at compile time, as an error
}
const char* name(Compared quantity);         // key in signals and JSON: "vdot"
const char* description(Compared quantity);  // name in reports: "forward dynamics"
// Returns a clause about a broken rule: "disagrees by 2.0e-03; 1.0e-10 is allowed", or one with the
// failure of a solver.
std::string explain(const Disagreement& broken, const std::string& failure);

// Compares solvers of one model at the same states.
class Comparison {
 public:
  explicit Comparison(std::vector<Solver> solvers);  // at least one solver
  ~Comparison();
  Comparison(Comparison&&) noexcept;

  std::vector<Solver>& solvers();
  const std::vector<Solver>& solvers() const;

  // Evaluates every quantity with every solver. Inverse dynamics uses vdot [n_v], forward dynamics
  // tau [n_v].
  void ask(const State& state, std::span<const double> vdot, std::span<const double> tau);
  // Evaluates every quantity with one solver, for callers that cannot evaluate all solvers at once.
  // between() and failure() are valid after every solver has been evaluated for the same state.
  void ask(int solver, const State& state, std::span<const double> vdot,
           std::span<const double> tau);

  // Returns the disagreement of solvers a and b in the last state. It is infinite if a solver
  // fails, with two exceptions. Both solvers may report a singular M at the same joint. A quantity
  // that is derived from M^-1 may fail if M is singular and the other solver's forward dynamics
  // reports this.
  Disagreement between(int a, int b, Compared quantity) const;
  // Returns why a solver failed to compute a quantity, or "".
  std::string failure(int solver, Compared quantity) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
