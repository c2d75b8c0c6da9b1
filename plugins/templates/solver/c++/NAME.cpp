// solver.@NAME@: recursive Newton-Euler for any tree of bodies. It solves
//   M(q) vdot + C(q, v) v + g(q) = tau + sum_B J_B^T Fe_B
// for tau. Fe_B is the wrench BY the environment ON body B.
//
// The outward pass goes from the parent P to the body B. V and A are the twist and the acceleration
// of a body in its own axes. S are the screws of its joint. For the world at rest, V is 0 and A is
// minus gravity. In this pass, F_B is the wrench BY all joints ON body B.
//   V_B = Ad(X_PB)^-1 V_P + S v
//   A_B = Ad(X_PB)^-1 A_P + ad(V_B) S v + S vdot
//   F_B = I_B A_B - ad(V_B)^T I_B V_B - Fe_B
//
// The inward pass goes from the body B to the parent P:
//   tau = S . F_B + armature vdot,   F_P += Ad(X_PB)^-T F_B
//
// The host derives forward dynamics, M, C and g from inverse dynamics. You can also implement them
// yourself. torsor/sdk/torsor_plugin.hpp lists all members that a solver can have.

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct Solver {
  static constexpr const char* id = "solver.@NAME@";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "recursive Newton-Euler";

  struct Body {
    Twist<double> V, A;
    Wrench<double> F;
  };

  // [setup] Requests the work area of the hot calls. Called once per model. Throws
  // sdk::unsupported("reason") if the solver does not support the model.
  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    sizes.work_doubles = size_t(model.n_body) * sizeof(Body) / sizeof(double);
  }

  // [hot] Computes tau [n_v] for vdot [n_v]. May be called from any thread. Must not allocate,
  // lock, throw or store anything.
  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    const Pose<double>* X_PB = sdk::poses(state);
    Body* body = reinterpret_cast<Body*>(work);
    body[0] = {sdk::world_twist(state), sdk::world_acceleration(state), {}};
    for (int i = 1; i < model.n_body; ++i) {
      const Body& parent = body[model.parent[i]];
      const Twist<double> Sv = sdk::joint_twist(model, i, state.v);
      const Twist<double> V = inverse_transform(X_PB[i], parent.V) + Sv;
      const Twist<double> A =
          inverse_transform(X_PB[i], parent.A) + ad(V, Sv) + sdk::joint_twist(model, i, vdot);
      const SpatialInertia<double> I = sdk::inertia<double>(model, i);
      body[i] = {V, A, I * A - ad_transpose(V, I * V)};
      if (sdk::wrenches(state)) body[i].F = body[i].F - sdk::wrenches(state)[i];
    }
    for (int i = model.n_body - 1; i > 0; --i) {
      for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k)
        tau[k] = dot(sdk::screw<double>(model, k), body[i].F) + model.armature[k] * vdot[k];
      Wrench<double>& F_P = body[model.parent[i]].F;
      F_P = F_P + transform(X_PB[i], body[i].F);
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Solver)
