#pragma once
// What is timed: a solver of Torsor or another library, holding one robot and the states it is
// asked about.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/handles/solver.hpp"

namespace torsor::bench {

// The quantities of a solver, by Quantity, then its derivatives and the kinematics that all solvers
// share.
enum class Work : int {
  inverse = int(Quantity::inverse),
  forward = int(Quantity::forward),
  mass_matrix = int(Quantity::mass_matrix),
  inverse_mass_matrix = int(Quantity::inverse_mass_matrix),
  coriolis_matrix = int(Quantity::coriolis_matrix),
  gravity = int(Quantity::gravity),
  bias = int(Quantity::bias),
  inverse_partials = int(n_quantities),  // d tau/d(q, v)
  forward_partials,                      // d vdot/d(q, v, tau)
  rates,                                 // tau, tau', tau''
  kinematics
};
inline constexpr size_t n_works = size_t(Work::kinematics) + 1;
constexpr bool is_quantity(Work work) {
  return size_t(work) < n_quantities;
}
// Quantities of three indices are not measured: they are n^3 numbers.
constexpr bool is_measured(Work work) {
  return !is_quantity(work) || indices(Quantity(work)) < 3;
}
inline constexpr auto all_works = [] {
  constexpr size_t count = [] {
    size_t k = 0;
    for (size_t work = 0; work < n_works; ++work) k += is_measured(Work(work));
    return k;
  }();
  std::array<Work, count> out{};
  size_t k = 0;
  for (size_t work = 0; work < n_works; ++work)
    if (is_measured(Work(work))) out[k++] = Work(work);
  return out;
}();
inline const char* name(Work work) {
  switch (work) {
    case Work::inverse_partials:
      return "inverse_dynamics_partials";
    case Work::forward_partials:
      return "forward_dynamics_partials";
    case Work::rates:
      return "inverse_dynamics_rates";
    case Work::kinematics:
      return "kinematics";
    default:
      return name(Quantity(work));
  }
}
inline bool is_matrix(Work work) {
  return is_quantity(work) && indices(Quantity(work)) == 2;
}
// How many numbers a result has.
inline size_t result_size(Work work, size_t n_v) {
  if (work == Work::inverse_partials) return 2 * n_v * n_v;
  if (work == Work::forward_partials) return 3 * n_v * n_v;
  if (work == Work::rates) return 3 * n_v;
  return work == Work::kinematics ? 0 : entries(Quantity(work), n_v);
}

// A state and what acts in it: q [n_q], the others [n_v], in the model's column order.
struct Sample {
  std::vector<double> q, v, vdot, tau;
};

class Subject {
 public:
  virtual ~Subject() = default;
  // Why it does not compute this; "" where it does.
  virtual std::string lacks(Work work) const = 0;
  // [hot] Computes it in sample k. False where that cannot be done in this state; failure() says
  // why.
  virtual bool evaluate(Work work, size_t k) = 0;
  virtual std::string failure() const { return ""; }
  // What the last evaluate() of this work gave: [result_size], matrices by rows, in the model's
  // column order.
  virtual void result(Work work, double* out) = 0;
};

}  // namespace torsor::bench
