// Recursive Newton-Euler inverse dynamics, composite-body mass matrix and the Coriolis matrix, as a plugin.
// Forward dynamics follows from them by KHALIL 7.62-7.64, which the host derives for every solver without
// one.

#include "algorithm.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

namespace {

using namespace torsor;
namespace algorithm = torsor::newton_euler;

struct NewtonEuler {
  static constexpr const char* id = "solver.newton_euler";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "recursive Newton-Euler inverse dynamics, composite-body mass matrix, Coriolis matrix";

  using Motion = algorithm::BodyMotion<double>;
  using Coriolis = algorithm::BodyCoriolis<double>;

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    sizes.work_doubles = model.n_body * std::max(sizeof(Motion), sizeof(Coriolis)) / sizeof(double);
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    algorithm::inverse(model, sdk::poses(state), state.v, vdot, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), reinterpret_cast<Motion*>(work),
                       tau);
    return TORSOR_OK;
  }

  torsor_status mass_matrix(const torsor_model& model, const torsor_state& state, double* work,
                            double* M) const {
    algorithm::mass_matrix(model, sdk::poses(state), reinterpret_cast<SpatialInertia<double>*>(work), M);
    return TORSOR_OK;
  }

  torsor_status coriolis_matrix(const torsor_model& model, const torsor_state& state, double* work,
                                double* C) const {
    algorithm::coriolis_matrix(model, sdk::poses(state), state.v, reinterpret_cast<Coriolis*>(work), C);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(NewtonEuler)
