// The closed form of the equations of motion on SE(3), as a plugin: M, C, g and inverse dynamics as products
// of the system's block matrices. Forward dynamics is solved from M by the host.

#include "algorithm.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

namespace {

using namespace torsor;
namespace algorithm = torsor::lie_group;

struct LieGroup {
  static constexpr const char* id = "solver.lie_group";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "closed form on SE(3): M, C and g from the Jacobians of all bodies";

  sdk::Paths paths;

  // The work area: J and Jdot over the paths, V and Vdot of the bodies.
  struct Work {
    Twist<double>*J, *Jdot, *V, *Vdot;
    Work(double* work, const sdk::Paths& paths, const torsor_model& model)
        : J(reinterpret_cast<Twist<double>*>(work)),
          Jdot(J + paths.size()),
          V(Jdot + paths.size()),
          Vdot(V + model.n_body) {}
  };

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    paths = sdk::Paths(model);
    sizes.work_doubles = 6 * (2 * size_t(paths.size()) + 2 * size_t(model.n_body));
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    const Work at(work, paths, model);
    algorithm::inverse(model, paths, sdk::poses(state), state.v, vdot, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), at.J, at.V, at.Vdot, tau);
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

  torsor_status gravity(const torsor_model& model, const torsor_state& state, double* work, double* g) const {
    const Work at(work, paths, model);
    algorithm::gravity(model, paths, sdk::poses(state), sdk::world_acceleration(state), at.J, at.Vdot, g);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(LieGroup)
