#pragma once
// What is timed: a solver of Torsor or another library, holding one robot and the states it is
// asked about.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/plugin/solver.hpp"

namespace torsor::bench {

// The quantities of a solver, in the order of Quantity, its derivatives, and the kinematics that
// all solvers share.
enum class Work {
  inverse,
  forward,
  mass_matrix,
  inverse_mass_matrix,
  coriolis_matrix,
  gravity,
  bias,
  inverse_partials,  // d tau/d(q, v)
  forward_partials,  // d vdot/d(q, v, tau)
  rates,             // tau, tau', tau''
  kinematics
};
inline constexpr Work all_works[] = {
    Work::inverse,          Work::forward, Work::mass_matrix, Work::inverse_mass_matrix,
    Work::coriolis_matrix,  Work::gravity, Work::bias,        Work::inverse_partials,
    Work::forward_partials, Work::rates,   Work::kinematics};
inline bool is_quantity(Work work) {
  return work <= Work::bias;
}
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
