// constraint_solver.@NAME@: solves one row after the other, with the present multipliers of the
// others, until the rates w = G lambda + c satisfy the conditions of torsor_constraint_problem:
//   lambda_i <- clamp(lambda_i - w_i / G_ii, lower_i, upper_i)
// Contacts also have friction groups. A solver receives them if it has the member
//   static constexpr bool handles_friction = true;
// sdk::Contact and sdk::for_each_block (constraint_view.hpp) read them.

#include "torsor/sdk/constraints/constraint_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct ConstraintSolver {
  static constexpr const char* id = "constraint_solver.@NAME@";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "projected Gauss-Seidel";
  static constexpr torsor_param params[] = {
      // name, unit, help, min, max, initial
      sdk::real("tolerance", "1", "residual at which the iterations end", 0, 1, 1e-10),
      // name, help, min, max, initial
      sdk::integer("iterations", "maximum number of sweeps over the rows", 1, 1e9, 100000),
  };

  double tolerance = 1e-10, most = 100000;

  // [setup] Sets the values of params[index]. The host has checked their range.
  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? tolerance : most) = values[0];
  }

  // [setup] Returns the size of the work area for problems of up to this size, in doubles.
  size_t work_size(const torsor_constraint_size& size) const { return size_t(size.n); }

  // [hot] Solves a problem. May be called from any thread. Must not allocate, lock, throw or store
  // anything.
  torsor_status solve(const torsor_constraint_problem& problem, double* work,
                      torsor_constraint_result& out) const {
    const int n = problem.n;
    double* const diagonal = work;
    for (int i = 0; i < n; ++i) {
      diagonal[i] = sdk::entry(problem, i, i);
      out.lambda[i] =
          diagonal[i] > 0 ? sdk::clamped(problem, i, 0) : sdk::unmoved_multiplier(problem, i);
    }
    for (;; ++out.iterations) {
      out.residual = sdk::residual_of(problem, out.lambda);
      if (out.residual <= tolerance || out.iterations >= most) return TORSOR_OK;
      for (int i = 0; i < n; ++i) {
        if (diagonal[i] <= 0) continue;
        const double w = sdk::row_rate(problem, i, out.lambda).w;
        out.lambda[i] = sdk::clamped(problem, i, out.lambda[i] - w / diagonal[i]);
      }
    }
  }
};

}  // namespace

TORSOR_PLUGINS(ConstraintSolver)
