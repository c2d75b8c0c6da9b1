#pragma once
// The subject of a measurement: a solver of Torsor or another library, with one robot and its
// sample states.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/handles/solver.hpp"

namespace torsor::bench {

// A work to measure: the quantities of a solver (with the values of Quantity), its derivatives, and
// the kinematics that all solvers share. Only the quantities that other libraries compute have an
// enumerator.
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
// Returns whether a work is measured. Quantities with three indices are not, because they have n^3
// numbers.
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
// Returns the number of doubles of a result.
inline size_t result_size(Work work, size_t n_v) {
  if (work == Work::inverse_partials) return 2 * n_v * n_v;
  if (work == Work::forward_partials) return 3 * n_v * n_v;
  if (work == Work::rates) return 3 * n_v;
  return work == Work::kinematics ? 0 : entries(Quantity(work), n_v);
}

// A state and the inputs of all works: q [n_q]; v, vdot and tau [n_v]. The order is that of the
// model's dof.
struct Sample {
  std::vector<double> q, v, vdot, tau;
};

class Subject {
 public:
  virtual ~Subject() = default;
  // Returns the reason why the subject does not compute this work, or "" if it does.
  virtual std::string lacks(Work work) const = 0;
  // [hot] Computes the work for sample k. Returns false if that fails in this state; failure() then
  // returns the reason.
  virtual bool evaluate(Work work, size_t k) = 0;
  virtual std::string failure() const { return ""; }
  // Writes the result of the last evaluate() of this work to out [result_size]. Matrices are stored
  // by rows, in the order of the model's dof.
  virtual void result(Work work, double* out) = 0;
};

}  // namespace torsor::bench
