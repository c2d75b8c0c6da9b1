// constraint_solver.projected_gauss_seidel: solves one row after the other, with the present
// multipliers of the others:
//   lambda_i <- clamp(lambda_i - omega w_i / G_ii, lower_i, upper_i)
// Each step decreases 1/2 lambda^T G lambda + c^T lambda for 0 < omega < 2, so the method converges
// whenever a solution exists, also with redundant rows. The number of sweeps grows with the
// condition number of G. omega = 1.4 needs half of the sweeps of omega = 1 for 30 rows of which
// half are redundant, but twice as many for 6 independent rows.

#include "torsor/sdk/constraint_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

namespace {

using namespace torsor;

struct ProjectedGaussSeidel {
  static constexpr const char* id = "constraint_solver.projected_gauss_seidel";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "iterative: projects one row after the other";
  static constexpr torsor_param params[] = {
      sdk::real("tolerance", "1", "residual at which the iterations end", 0, sdk::largest_residual,
                1e-10),
      sdk::integer("iterations", "maximum number of sweeps over the rows", 1, 1e9, 100000),
      sdk::real("over_relaxation", "1", "omega, the length of each step", 0.01, 1.99, 1)};

  double tolerance = 1e-10, most = 100000, omega = 1;

  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? tolerance : index == 1 ? most : omega) = values[0];
  }

  torsor_status solve(const torsor_constraint_problem& problem, double*,
                      torsor_constraint_result& out) const {
    const int n = problem.n;
    double* lambda = out.lambda;
    for (int i = 0; i < n; ++i) lambda[i] = start(problem, i);
    out.residual = sdk::residual_of(problem, lambda);
    while (out.residual > tolerance && out.iterations < most) {
      // The residual of the multipliers before each of their steps estimates that after the sweep.
      sdk::Residual estimate;
      for (int i = 0; i < n; ++i) {
        const double g = problem.G[(size_t(n) + 1) * size_t(i)];
        if (!(g > 0)) continue;
        const sdk::RowRate rate = sdk::row_rate(problem, i, lambda);
        estimate.add(problem, i, lambda[i], rate);
        lambda[i] = sdk::clamped(problem, i, lambda[i] - omega * rate.w / g);
      }
      ++out.iterations;
      out.residual = estimate.value();
      if (out.residual <= tolerance || out.iterations >= most)
        out.residual = sdk::residual_of(problem, lambda);
    }
    return TORSOR_OK;
  }

 private:
  static double start(const torsor_constraint_problem& problem, int i) {
    return problem.G[(size_t(problem.n) + 1) * size_t(i)] > 0 ? sdk::clamped(problem, i, 0)
                                                              : sdk::unmoved_multiplier(problem, i);
  }
};

}  // namespace

TORSOR_PLUGINS(ProjectedGaussSeidel)
