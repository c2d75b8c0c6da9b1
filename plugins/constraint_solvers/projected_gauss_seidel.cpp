// constraint_solver.projected_gauss_seidel: the iteration of
// torsor/sdk/constraints/gauss_seidel.hpp. omega = 1.4 needs half of the sweeps of omega = 1 for 30
// rows of which half are redundant, but twice as many for 6 independent rows.

#include "torsor/sdk/constraints/gauss_seidel.hpp"

#include "torsor/sdk/torsor_plugin.hpp"

namespace {

using namespace torsor;

struct ProjectedGaussSeidel {
  static constexpr const char* id = "constraint_solver.projected_gauss_seidel";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "iterative: solves one row or contact after the other, with exact friction cones";
  static constexpr torsor_param params[] = {
      sdk::real("tolerance", "1", "residual at which the iterations end", 0, sdk::largest_residual,
                1e-10),
      sdk::integer("iterations", "maximum number of sweeps over the rows", 1, 1e9, 100000),
      sdk::real("over_relaxation", "1", "omega, the length of each step", 0.01, 1.99, 1)};
  static constexpr bool handles_friction = true;

  sdk::GaussSeidel::Settings settings;

  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0   ? settings.tolerance
     : index == 1 ? settings.most_sweeps
                  : settings.omega) = values[0];
  }

  size_t work_size(const torsor_constraint_size& size) const {
    return sdk::GaussSeidel::work_doubles(size_t(size.n));
  }
  torsor_status solve(const torsor_constraint_problem& problem, double* work,
                      torsor_constraint_result& out) const {
    sdk::GaussSeidel(problem, settings, work).solve(out);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(ProjectedGaussSeidel)
