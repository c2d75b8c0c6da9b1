// A solver for one joint on the world: tau = S . (I A + ad*(V) I V - F).

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

namespace {

using namespace torsor;

struct Hinge {
  static constexpr const char* id = "solver.hinge";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "one hinge";

  void prepare(const torsor_model& model, torsor_sizes&) {
    if (model.n_body != 2 || model.n_v != 1) throw sdk::unsupported("it is made for one joint");
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double*, double* tau) const {
    const Pose<double>& X = sdk::poses(state)[1];
    const Twist<double> V = sdk::joint_twist(model, 1, state.v);
    const Twist<double> A =
        inverse_transform(X, sdk::world_acceleration(state)) + sdk::joint_twist(model, 1, vdot);
    const SpatialInertia<double> M = sdk::inertia<double>(model, 1);
    Wrench<double> F = M * A - ad_transpose(V, M * V);
    if (const Wrench<double>* applied = sdk::wrenches(state)) F = F - applied[1];
    tau[0] = dot(sdk::screw<double>(model, 0), F) + model.armature[0] * vdot[0];
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Hinge)
