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
  using Inertia = SpatialInertia<double>;
  using Aligned = algorithm::AlignedBody<double>;
  using Moving = algorithm::MovingBody<double>;

  std::vector<sdk::JointAxis> axes;
  sdk::Subtrees subtrees;

  // The work area of C.
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

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    axes = sdk::joint_axes(model);
    subtrees = sdk::Subtrees(model);
    const size_t bodies = size_t(model.n_body), columns = 6 * size_t(model.n_v);
    const auto doubles = [&](size_t bytes) { return bodies * bytes / sizeof(double); };
    sizes.work_doubles = std::max({doubles(sizeof(Motion)), doubles(sizeof(Inertia)) + columns,
                                   doubles(sizeof(Aligned) + sizeof(Moving)) + 2 * columns});
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    algorithm::inverse(model, axes.data(), sdk::poses(state), state.v, vdot, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), reinterpret_cast<Motion*>(work),
                       tau);
    return TORSOR_OK;
  }

  torsor_status mass_matrix(const torsor_model& model, const torsor_state& state, double* work,
                            double* M) const {
    auto* composite = reinterpret_cast<Inertia*>(work);
    const algorithm::Wrenches<double> F(reinterpret_cast<double*>(composite + model.n_body), model.n_v);
    algorithm::mass_matrix(model, axes.data(), subtrees, sdk::poses(state), composite, F, M);
    return TORSOR_OK;
  }

  torsor_status coriolis_matrix(const torsor_model& model, const torsor_state& state, double* work,
                                double* C) const {
    const CoriolisWork at(work, model);
    algorithm::coriolis_matrix(model, sdk::poses(state), state.v, at.body, at.moving, at.S, at.Sd, C);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(NewtonEuler)
