#pragma once
// Helpers for checks of a solver on random robots.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>

#include "torsor/validation/trial.hpp"

namespace torsor::validation {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

inline constexpr int law_robots = 12;

inline Matrix mass_matrix(Solver& solver, const State& state) {
  Matrix M(state.v.size(), state.v.size());
  require(solver, solver.mass_matrix(state, M.data()), "mass matrix");
  return M;
}
inline void require_below(double error, double allowed, const char* what) {
  if (!(error <= allowed))
    throw Failed(fmt::format("{} by {:.1e}; {:.1e} is allowed", what, error, allowed));
}

inline std::string at_most(double worst) {
  return fmt::format("error at most {:.0e} on {} robots", worst, law_robots);
}

// Calls function(case, solver), which returns an error, for random robots. Returns a message with
// the largest error.
template <class Function>
std::string worst_on_robots(Trial& trial, Function function) {
  double worst = 0;
  trial.on_robots(law_robots, [&](Case& at) {
    Solver solver = trial.solver(at);
    worst = std::max(worst, function(at, solver));
  });
  return at_most(worst);
}

}  // namespace torsor::validation
