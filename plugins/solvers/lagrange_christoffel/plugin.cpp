// The plugin of Lagrange's equations with analytic Christoffel symbols. It offers the symbols, M, C
// and g. Inverse dynamics uses the symbols, and the bias uses Lagrange's vector form. With a cost
// of O(n^3), it is the slowest of the shipped solvers.

#include "algorithm.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "trace.hpp"

namespace {

using namespace torsor;
namespace algorithm = torsor::lagrange_christoffel;

struct LagrangeChristoffel {
  static constexpr const char* id = "solver.lagrange_christoffel";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "Lagrange's equations: M from link Jacobians, C and g from analytic Christoffel symbols";

  using Tables = algorithm::Tables<double>;
  sdk::Paths paths;

  Tables tables(const torsor_model& model, double* work) const {
    const auto take = [&](auto* type, size_t count) {
      auto* at = reinterpret_cast<decltype(type)>(work);
      work += count * sizeof(*type) / sizeof(double);
      return at;
    };
    const size_t bodies = size_t(model.n_body), positions = size_t(model.n_v) + 1;
    Tables at{};
    at.J = take(at.J, size_t(paths.size()) + bodies);
    at.Mc = take(at.Mc, bodies);
    at.A = take(at.A, bodies);
    at.F = take(at.F, bodies);
    at.E = take(at.E, positions);
    at.Q = take(at.Q, positions);
    at.R = take(at.R, positions);
    return at;
  }

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    paths = sdk::Paths(model);
    sizes.work_doubles = 6 * size_t(paths.size()) + (6 + 10 + 6 + 6) * size_t(model.n_body) +
                         18 * (size_t(model.n_v) + 1);
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    const Twist<double> V_W = sdk::world_twist(state);
    const bool at_rest = dot(V_W.w, V_W.w) + dot(V_W.v, V_W.v) == 0;
    algorithm::inverse(model, paths, sdk::poses(state), state.v, vdot, at_rest ? 1 : 0, V_W,
                       sdk::world_acceleration(state), sdk::wrenches(state), tables(model, work),
                       tau);
    return TORSOR_OK;
  }

  static constexpr auto& trace_passes = algorithm::trace_passes;
  static constexpr bool trace_of_forward = false;
  torsor_status trace(const torsor_model& model, const torsor_state& state, const double* vdot,
                      double* work, double* out) const {
    const Tables at = tables(model, work);
    const sdk::Trace trace(model, trace_passes, out);
    const Pose<double>* X_PB = sdk::poses(state);
    algorithm::christoffel_symbols(model, paths, X_PB, at, trace.array(algorithm::symbols));
    algorithm::coriolis_matrix(model, paths, X_PB, state.v, at,
                               trace.array(algorithm::coriolis_row));
    algorithm::inertia_matrix(model, paths, X_PB, at, trace.array(algorithm::inertia_row));
    algorithm::inverse(model, paths, X_PB, state.v, vdot, 0, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), at,
                       trace.array(algorithm::torque), trace);
    algorithm::add_world_forces(model, paths, state.v, at, trace.array(algorithm::world_force));
    sdk::trace_jacobians(
        model, paths, [&](int i) { return at.J + paths.start(i) + i + 1; },
        trace.array(algorithm::jacobian));
    return TORSOR_OK;
  }

  torsor_status mass_matrix(const torsor_model& model, const torsor_state& state, double* work,
                            double* M) const {
    algorithm::mass_matrix(model, paths, sdk::poses(state), tables(model, work), M);
    return TORSOR_OK;
  }

  torsor_status coriolis_matrix(const torsor_model& model, const torsor_state& state, double* work,
                                double* C) const {
    algorithm::coriolis_matrix(model, paths, sdk::poses(state), state.v, tables(model, work), C);
    return TORSOR_OK;
  }

  torsor_status gravity(const torsor_model& model, const torsor_state& state, double* work,
                        double* g) const {
    algorithm::gravity(model, sdk::poses(state), sdk::world_acceleration(state),
                       tables(model, work), g);
    return TORSOR_OK;
  }

  torsor_status bias(const torsor_model& model, const torsor_state& state, double* work,
                     double* b) const {
    algorithm::bias(model, paths, sdk::poses(state), state.v, sdk::world_twist(state),
                    sdk::world_acceleration(state), tables(model, work), b);
    return TORSOR_OK;
  }

  torsor_status christoffel_symbols(const torsor_model& model, const torsor_state& state,
                                    double* work, double* G) const {
    algorithm::christoffel_symbols(model, paths, sdk::poses(state), tables(model, work), G);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(LagrangeChristoffel)
