#pragma once
// What is timed: a solver of Torsor or another library, holding one robot and the states it is asked about.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/dynamics/solver.hpp"

namespace torsor::bench {

// The quantities of a solver, in the order of Quantity, and the kinematics that all solvers share.
enum class Work {
  inverse,
  forward,
  mass_matrix,
  inverse_mass_matrix,
  coriolis_matrix,
  gravity,
  bias,
  kinematics
};
inline constexpr Work all_works[] = {
    Work::inverse,         Work::forward, Work::mass_matrix, Work::inverse_mass_matrix,
    Work::coriolis_matrix, Work::gravity, Work::bias,        Work::kinematics};
inline const char* name(Work work) {
  return work == Work::kinematics ? "kinematics" : name(Quantity(work));
}
inline bool is_matrix(Work work) {
  return work != Work::kinematics && indices(Quantity(work)) == 2;
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
  // [hot] Computes it in sample k. False where that cannot be done in this state; failure() says why.
  virtual bool evaluate(Work work, size_t k) = 0;
  virtual std::string failure() const { return ""; }
  // What the last evaluate() of this work gave: [n_v], or [n_v x n_v] by rows, in the model's column order.
  virtual void result(Work work, double* out) = 0;
};

}  // namespace torsor::bench
