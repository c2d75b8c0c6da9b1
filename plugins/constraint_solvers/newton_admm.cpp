// constraint_solver.newton_admm: the method of torsor/sdk/constraints/newton_admm.hpp. A step of
// Newton's method factorises a matrix with the profile of G, and needs n^3 operations for a dense
// G.

#include "torsor/sdk/constraints/newton_admm.hpp"

#include "torsor/sdk/torsor_plugin.hpp"

namespace {

using namespace torsor;

struct NewtonAdmm {
  static constexpr const char* id = "constraint_solver.newton_admm";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "Newton's method on a smoothed map: large mass ratios, stacks, redundant contacts";
  static constexpr torsor_param params[] = {
      sdk::real("tolerance", "1", "residual at which the iterations end", 0, 1, 1e-10),
      sdk::integer("iterations", "maximum number of steps and sweeps", 1, 1e9, 20000)};
  static constexpr bool handles_friction = true;

  sdk::NewtonAdmm::Settings settings;

  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? settings.tolerance : settings.most_iterations) = values[0];
  }

  size_t work_size(const torsor_constraint_size& size) const {
    return sdk::NewtonAdmm::work_doubles(size);
  }
  torsor_status solve(const torsor_constraint_problem& problem, double* work,
                      torsor_constraint_result& out) const {
    sdk::NewtonAdmm(problem, settings, work).solve(out);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(NewtonAdmm)
