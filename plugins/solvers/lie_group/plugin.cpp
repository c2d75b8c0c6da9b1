// The plugin of the equations of motion in closed form on SE(3). Computes M, C, g, inverse dynamics
// and time derivatives as products of system matrices with one block per body. The host derives
// forward dynamics from M.

#include "rates.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "trace.hpp"

namespace {

using namespace torsor;
namespace algorithm = torsor::lie_group;

struct LieGroup {
  static constexpr const char* id = "solver.lie_group";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "closed form on SE(3): M, C, g and their time derivatives from the Jacobians of all bodies";

  sdk::Paths paths;

  // The work area: J [paths.size()], Jdot [paths.size()], V [n_body] and Vdot [n_body].
  struct Work {
    Twist<double>*J, *Jdot, *V, *Vdot;
    Work(double* work, const sdk::Paths& paths, const torsor_model& model)
        : J(reinterpret_cast<Twist<double>*>(work)),
          Jdot(J + paths.size()),
          V(Jdot + paths.size()),
          Vdot(V + model.n_body) {}
  };

  // The work area of rates(): the motion of the bodies, J and its derivatives, and the parts of the
  // equation of motion that the caller does not request.
  struct RatesWork {
    algorithm::RatesWork<double> at;
    double* parts;
    RatesWork(double* work, const sdk::Paths& paths, const torsor_model& model)
        : at{reinterpret_cast<algorithm::BodyRates<double>*>(work), nullptr} {
      at.J = reinterpret_cast<Twist<double>*>(at.body + model.n_body);
      parts = &at.J[size_t(paths.size()) * columns].w.x;
    }
    static constexpr size_t columns = algorithm::max_order + 2;
    static size_t doubles(const sdk::Paths& paths, const torsor_model& model) {
      const size_t n = size_t(model.n_v);
      return size_t(model.n_body) * sizeof(algorithm::BodyRates<double>) / sizeof(double) +
             6 * columns * size_t(paths.size()) + (algorithm::max_order + 1) * (2 * n * n + 2 * n);
    }
  };
  static constexpr int max_rate_order = algorithm::max_order;

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    paths = sdk::Paths(model);
    sizes.work_doubles = std::max(6 * (2 * size_t(paths.size()) + 2 * size_t(model.n_body)),
                                  RatesWork::doubles(paths, model));
  }

  torsor_status equation_rates(const torsor_model& model, const torsor_state& state,
                               const torsor_motion_rates* motion, double* work,
                               torsor_equation_rates* out) const {
    if (motion->order < 0 || motion->order > max_rate_order) return TORSOR_BAD_ARGUMENT;
    const RatesWork of(work, paths, model);
    move_world(model, state, *motion, of.at.body);
    algorithm::equation_rates<double>(model, paths, sdk::poses(state), state.v, motion->vdot,
                                      motion->order, of.at,
                                      {out->M, out->C, out->g, out->Q, out->tau});
    return TORSOR_OK;
  }
  torsor_status rates(const torsor_model& model, const torsor_state& state,
                      const torsor_motion_rates* motion, double* work, double* tau) const {
    const size_t count = algorithm::max_order + 1, n = size_t(model.n_v);
    double *M = RatesWork(work, paths, model).parts, *C = M + count * n * n, *g = C + count * n * n;
    torsor_equation_rates out{sizeof out, M, C, g, g + count * n, tau};
    return equation_rates(model, state, motion, work, &out);
  }
  // Sets the motion of the world and the applied wrenches of the bodies, with their derivatives.
  static void move_world(const torsor_model& model, const torsor_state& state,
                         const torsor_motion_rates& motion, algorithm::BodyRates<double>* body) {
    for (int k = 0; k <= motion.order; ++k) {
      body[0].V[k] = body[0].U[k] = sdk::world_twist(state, motion, k);
      body[0].H[k] = sdk::world_acceleration(state, motion, k);
      const Wrench<double>* F = sdk::wrenches(model, state, motion, k);
      for (int i = 1; i < model.n_body; ++i) body[i].W[k] = F ? F[i] : Wrench<double>{};
    }
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    const Work at(work, paths, model);
    algorithm::inverse(model, paths, sdk::poses(state), state.v, vdot, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), at.J, at.V, at.Vdot,
                       tau);
    return TORSOR_OK;
  }

  static constexpr auto& trace_passes = algorithm::trace_passes;
  static constexpr bool trace_of_forward = false;
  torsor_status trace(const torsor_model& model, const torsor_state& state, const double* vdot,
                      double* work, double* out) const {
    const Work at(work, paths, model);
    const sdk::Trace trace(model, trace_passes, out);
    const Pose<double>* X_PB = sdk::poses(state);
    const Twist<double> A_W = sdk::world_acceleration(state);
    algorithm::mass_matrix(model, paths, X_PB, at.J, trace.array(algorithm::inertia_row));
    algorithm::coriolis_matrix(model, paths, X_PB, state.v, at.J, at.Jdot, at.V,
                               trace.array(algorithm::coriolis_row));
    algorithm::gravity(model, paths, X_PB, A_W, at.J, at.Vdot,
                       trace.array(algorithm::gravity_force), trace);
    algorithm::inverse(model, paths, X_PB, state.v, vdot, sdk::world_twist(state), A_W,
                       sdk::wrenches(state), at.J, at.V, at.Vdot, trace.array(algorithm::torque),
                       trace);
    sdk::trace_jacobians(
        model, paths, [&](int i) { return at.J + paths.start(i); },
        trace.array(algorithm::jacobian));
    sdk::trace_jacobians(
        model, paths, [&](int i) { return at.Jdot + paths.start(i); },
        trace.array(algorithm::jacobian_rate));
    return TORSOR_OK;
  }

  torsor_status mass_matrix(const torsor_model& model, const torsor_state& state, double* work,
                            double* M) const {
    algorithm::mass_matrix(model, paths, sdk::poses(state), Work(work, paths, model).J, M);
    return TORSOR_OK;
  }

  torsor_status coriolis_matrix(const torsor_model& model, const torsor_state& state, double* work,
                                double* C) const {
    const Work at(work, paths, model);
    algorithm::coriolis_matrix(model, paths, sdk::poses(state), state.v, at.J, at.Jdot, at.V, C);
    return TORSOR_OK;
  }

  torsor_status gravity(const torsor_model& model, const torsor_state& state, double* work,
                        double* g) const {
    const Work at(work, paths, model);
    algorithm::gravity(model, paths, sdk::poses(state), sdk::world_acceleration(state), at.J,
                       at.Vdot, g);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(LieGroup)
