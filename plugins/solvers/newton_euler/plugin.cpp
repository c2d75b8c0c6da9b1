// The plugin of the recursive Newton-Euler algorithm. Offers inverse dynamics with partial and time
// derivatives, the mass matrix (composite rigid bodies) and the Coriolis matrix. The host derives
// forward dynamics (KHALIL 7.62-7.64), as for every solver that does not offer it.

#include "algorithm.hpp"
#include "batch.hpp"
#include "levels.hpp"
#include "partials.hpp"
#include "rates.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "torsor/spatial/dual.hpp"
#include "trace.hpp"

namespace {

using namespace torsor;
namespace algorithm = torsor::newton_euler;

struct NewtonEuler {
  static constexpr const char* id = "solver.newton_euler";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "recursive Newton-Euler: O(n) inverse dynamics and its derivatives, composite-body mass "
      "matrix, Coriolis matrix";

  using Motion = algorithm::BodyMotion<double>;
  using Inertia = SpatialInertia<double>;
  using Aligned = algorithm::AlignedBody<double>;
  using Moving = algorithm::MovingBody<double>;

  std::vector<sdk::JointAxis> axes;
  sdk::Subtrees subtrees;
  algorithm::Batch batch;
  // Bodies in lanes. inverse() and mass_matrix() use them if enough bodies share a group. Otherwise
  // the kernels for one body at a time are faster.
  sdk::Levels<sdk::level_lanes> levels;
  bool inverse_in_lanes = false, mass_matrix_in_lanes = false;

  // The work area of coriolis_matrix().
  struct CoriolisWork {
    Aligned* body;
    Moving* moving;
    Twist<double>*S, *Sd;
    CoriolisWork(double* work, const torsor_model& model)
        : body(reinterpret_cast<Aligned*>(work)),
          moving(reinterpret_cast<Moving*>(body + model.n_body)),
          S(reinterpret_cast<Twist<double>*>(moving + model.n_body)),
          Sd(S + model.n_v) {}
  };

  template <class T>
  using PartialsGroup = algorithm::PartialsGroup<LanesOf<T>>;
  algorithm::PartialsTables<double> partials;
  algorithm::PartialsTables<Dual> dual_partials;

  // The work area of second_partials(). The first part is used by the first partials and by M in
  // turn. The inputs as dual numbers and the results follow.
  struct SecondWork {
    PartialsGroup<Dual>* group;
    Pose<Dual>* X_PB;
    Wrench<Dual>* F_B;
    Dual *v, *vdot, *dq, *dv;
    SecondWork(double* work, const torsor_model& model, int groups)
        : group(reinterpret_cast<PartialsGroup<Dual>*>(work)),
          X_PB(reinterpret_cast<Pose<Dual>*>(group + groups)),
          F_B(reinterpret_cast<Wrench<Dual>*>(X_PB + model.n_body)),
          v(reinterpret_cast<Dual*>(F_B + model.n_body)),
          vdot(v + model.n_v),
          dq(vdot + model.n_v),
          dv(dq + size_t(model.n_v) * size_t(model.n_v)) {}
    static size_t doubles(const torsor_model& model, int groups) {
      const size_t n_body = size_t(model.n_body), n_v = size_t(model.n_v);
      return size_t(groups) * sizeof(PartialsGroup<Dual>) / sizeof(double) +
             2 * (18 * n_body + 2 * n_v + 2 * n_v * n_v);
    }
  };

  static constexpr int max_rate_order = algorithm::max_rate_order;

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    axes = sdk::joint_axes(model);
    subtrees = sdk::Subtrees(model);
    levels = sdk::Levels<sdk::level_lanes>(model, axes);
    inverse_in_lanes = levels.bodies_per_group() >= 2;
    mass_matrix_in_lanes = levels.bodies_per_group() >= 3;
    partials = algorithm::PartialsTables<double>(model);
    dual_partials = algorithm::PartialsTables<Dual>(model);
    const size_t bodies = size_t(model.n_body), columns = 6 * size_t(model.n_v);
    const auto doubles = [&](size_t bytes) { return bodies * bytes / sizeof(double); };
    sizes.work_doubles =
        std::max({doubles(sizeof(Inertia)) + columns,
                  doubles(sizeof(Aligned) + sizeof(Moving)) + 2 * columns,
                  doubles(sizeof(Motion)) + size_t(model.n_v),
                  size_t(partials.n_groups()) * sizeof(PartialsGroup<double>) / sizeof(double),
                  SecondWork::doubles(model, dual_partials.n_groups()),
                  algorithm::RatesWork<double, max_rate_order>::bytes(model) / sizeof(double),
                  algorithm::InverseLanes<sdk::level_lanes>::doubles(levels),
                  algorithm::MassLanes<sdk::level_lanes>::doubles(levels)});
    batch.prepare(model, sizes);
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    if (inverse_in_lanes) {
      algorithm::inverse(levels, sdk::poses(state), state.v, vdot, sdk::world_twist(state),
                         sdk::world_acceleration(state), sdk::wrenches(state),
                         algorithm::InverseLanes<sdk::level_lanes>(work, levels), tau);
      return TORSOR_OK;
    }
    algorithm::inverse(model, axes.data(), sdk::poses(state), state.v, vdot,
                       sdk::world_twist(state), sdk::world_acceleration(state),
                       sdk::wrenches(state), reinterpret_cast<Motion*>(work), tau);
    return TORSOR_OK;
  }

  static constexpr auto& trace_passes = algorithm::trace_passes;
  static constexpr bool trace_of_forward = false;
  torsor_status trace(const torsor_model& model, const torsor_state& state, const double* vdot,
                      double* work, double* out) const {
    auto* body = reinterpret_cast<Motion*>(work);
    auto* tau = reinterpret_cast<double*>(body + model.n_body);
    algorithm::inverse(model, axes.data(), sdk::poses(state), state.v, vdot,
                       sdk::world_twist(state), sdk::world_acceleration(state),
                       sdk::wrenches(state), body, tau, sdk::Trace(model, trace_passes, out));
    return TORSOR_OK;
  }

  torsor_status rates(const torsor_model& model, const torsor_state& state,
                      const torsor_motion_rates* motion, double* work, double* tau) const {
    if (motion->order == 0) return inverse(model, state, motion->vdot, work, tau);
    return algorithm::rates_along<double>(model, axes.data(), state, *motion, work, tau);
  }

  torsor_status mass_matrix(const torsor_model& model, const torsor_state& state, double* work,
                            double* M) const {
    if (mass_matrix_in_lanes) {
      algorithm::mass_matrix(levels, sdk::poses(state), model.n_v,
                             algorithm::MassLanes<sdk::level_lanes>(work, levels), M);
      return TORSOR_OK;
    }
    auto* composite = reinterpret_cast<Inertia*>(work);
    const algorithm::Wrenches<double> F(reinterpret_cast<double*>(composite + model.n_body),
                                        model.n_v);
    algorithm::mass_matrix(model, axes.data(), subtrees, sdk::poses(state), composite, F, M);
    return TORSOR_OK;
  }

  torsor_status coriolis_matrix(const torsor_model& model, const torsor_state& state, double* work,
                                double* C) const {
    const CoriolisWork at(work, model);
    algorithm::coriolis_matrix(model, sdk::poses(state), state.v, at.body, at.moving, at.S, at.Sd,
                               C);
    return TORSOR_OK;
  }

  torsor_status inverse_partials(const torsor_model& model, const torsor_state& state,
                                 const double* vdot, double* work, double* dtau_dq,
                                 double* dtau_dv) const {
    algorithm::inverse_partials(model, partials, sdk::poses(state), state.v, vdot,
                                sdk::world_twist(state), sdk::world_acceleration(state),
                                sdk::wrenches(state),
                                reinterpret_cast<PartialsGroup<double>*>(work), dtau_dq, dtau_dv);
    return TORSOR_OK;
  }

  // Evaluates the first partials and M with dual numbers. Moves one dof of q, X_PB exp(e S), or one
  // entry of v, v + e, at a time.
  torsor_status second_partials(const torsor_model& model, const torsor_state& state,
                                const double* vdot, double* work, double* d2tau_dqdq,
                                double* d2tau_dvdq, double* d2tau_dvdv, double* dM_dq) const {
    const SecondWork at(work, model, dual_partials.n_groups());
    const size_t n = size_t(model.n_v);
    for (int i = 1; i < model.n_body; ++i) {
      at.X_PB[i] = algorithm::moving_along(sdk::poses(state)[i], {});
      if (state.F_B) at.F_B[i] = algorithm::constant(sdk::wrenches(state)[i]);
    }
    for (size_t k = 0; k < n; ++k) at.v[k] = Dual(state.v[k]), at.vdot[k] = Dual(vdot[k]);
    const auto put = [&](const Dual* from, size_t k, double* out) {
      for (size_t entry = 0; entry < n * n; ++entry) out[entry * n + k] = from[entry].rate;
    };
    const auto first = [&] {
      algorithm::inverse_partials<Dual>(model, dual_partials, at.X_PB, at.v, at.vdot,
                                        algorithm::constant(sdk::world_twist(state)),
                                        algorithm::constant(sdk::world_acceleration(state)),
                                        state.F_B ? at.F_B : nullptr, at.group, at.dq, at.dv);
    };
    for (int i = 1; i < model.n_body; ++i)
      for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k) {
        at.X_PB[i] = algorithm::moving_along(sdk::poses(state)[i], sdk::screw<double>(model, k));
        first();
        put(at.dq, size_t(k), d2tau_dqdq);
        put(at.dv, size_t(k), d2tau_dvdq);
        auto* composite = reinterpret_cast<SpatialInertia<Dual>*>(work);
        const algorithm::Wrenches<Dual> F(reinterpret_cast<Dual*>(composite + model.n_body),
                                          model.n_v);
        algorithm::mass_matrix(model, axes.data(), subtrees, at.X_PB, composite, F, at.dq);
        put(at.dq, size_t(k), dM_dq);
        at.X_PB[i] = algorithm::moving_along(sdk::poses(state)[i], {});
        at.v[k].rate = 1;
        first();
        put(at.dv, size_t(k), d2tau_dvdv);
        at.v[k].rate = 0;
      }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(NewtonEuler)
