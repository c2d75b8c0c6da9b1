// constraint_solver.pivoting: the direct solver of torsor/sdk/constraints/pivoting.hpp. Its result
// is exact up to rounding. Redundant rows share their forces such that sum_i G_ii lambda_i^2 is
// least.

#include "torsor/sdk/constraints/pivoting.hpp"

#include "torsor/sdk/torsor_plugin.hpp"

namespace {

using namespace torsor;

struct PivotingSolver {
  static constexpr const char* id = "constraint_solver.pivoting";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "direct: rank-revealing factorisation, pivoting for bounds, least norm for redundant rows";

  size_t work_size(const torsor_constraint_size& size) const {
    return sdk::Pivoting::work_doubles(size_t(size.n));
  }
  torsor_status solve(const torsor_constraint_problem& problem, double* work,
                      torsor_constraint_result& out) const {
    out.iterations = sdk::Pivoting(problem, work).solve(out.lambda);
    out.residual = sdk::residual_of(problem, out.lambda);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(PivotingSolver)
