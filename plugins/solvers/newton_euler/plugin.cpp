// Recursive Newton-Euler inverse dynamics, composite-body mass matrix and the Coriolis matrix, as a plugin.
// Forward dynamics follows from them by KHALIL 7.62-7.64, which the host derives for every solver without
// one.

#include "algorithm.hpp"
#include "torsor/sdk/torsor_plugin.hpp"
#include "torsor/spatial/taylor.hpp"

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

  // The work area of rates: the recursion on power series of time in place of numbers.
  struct SeriesWork {
    algorithm::BodyMotion<Taylor>* body;
    Pose<Taylor>* X_PB;
    Wrench<Taylor>* F_B;
    Taylor *v, *vdot, *tau;
    SeriesWork(double* work, const torsor_model& model)
        : body(reinterpret_cast<algorithm::BodyMotion<Taylor>*>(work)),
          X_PB(reinterpret_cast<Pose<Taylor>*>(body + model.n_body)),
          F_B(reinterpret_cast<Wrench<Taylor>*>(X_PB + model.n_body)),
          v(reinterpret_cast<Taylor*>(F_B + model.n_body)),
          vdot(v + model.n_v),
          tau(vdot + model.n_v) {}
    static constexpr size_t of_body =
        sizeof(algorithm::BodyMotion<Taylor>) + sizeof(Pose<Taylor>) + sizeof(Wrench<Taylor>);
  };

  void prepare(const torsor_model& model, torsor_sizes& sizes) {
    axes = sdk::joint_axes(model);
    subtrees = sdk::Subtrees(model);
    const size_t bodies = size_t(model.n_body), columns = 6 * size_t(model.n_v);
    const auto doubles = [&](size_t bytes) { return bodies * bytes / sizeof(double); };
    sizes.work_doubles =
        std::max({doubles(sizeof(Inertia)) + columns, doubles(sizeof(Aligned) + sizeof(Moving)) + 2 * columns,
                  doubles(SeriesWork::of_body) + 3 * Taylor::size * size_t(model.n_v)});
  }

  torsor_status inverse(const torsor_model& model, const torsor_state& state, const double* vdot,
                        double* work, double* tau) const {
    algorithm::inverse(model, axes.data(), sdk::poses(state), state.v, vdot, sdk::world_twist(state),
                       sdk::world_acceleration(state), sdk::wrenches(state), reinterpret_cast<Motion*>(work),
                       tau);
    return TORSOR_OK;
  }

  // v(t) = v + vdot t + vddot t^2 / 2 + .., X_PB(t) by it, and tau(t) by the same recursion: tau_dot and tau_ddot are its coefficients. O(n).
  torsor_status inverse_rates(const torsor_model& model, const torsor_state& state, const double* vdot,
                              const double* vddot, const double* vdddot, double* work, double* tau,
                              double* tau_dot, double* tau_ddot) const {
    const SeriesWork at(work, model);
    const auto series = [](double c0, double c1, double c2) {  // as far as tau_ddot asks
      Taylor out;
      out.c[0] = c0, out.c[1] = c1, out.c[2] = c2;
      return out;
    };
    for (int k = 0; k < model.n_v; ++k) {
      at.v[k] = series(state.v[k], vdot[k], vddot[k] / 2);
      at.vdot[k] = series(vdot[k], vddot[k], vdddot[k] / 2);
    }
    const Wrench<double>* F_B = sdk::wrenches(state);
    for (int i = 1; i < model.n_body; ++i) {
      const sdk::GeneralJoint joint{model, i};
      at.X_PB[i] = moving_pose(sdk::poses(state)[i], sdk::joint_twist<Taylor>(joint, at.v));
      if (F_B) at.F_B[i] = {constant(F_B[i].n), constant(F_B[i].f)};
    }
    const Twist<double>&V = sdk::world_twist(state), &A = sdk::world_acceleration(state);
    algorithm::inverse<Taylor>(model, axes.data(), at.X_PB, at.v, at.vdot, {constant(V.w), constant(V.v)},
                               {constant(A.w), constant(A.v)}, F_B ? at.F_B : nullptr, at.body, at.tau);
    for (int k = 0; k < model.n_v; ++k) {
      tau[k] = at.tau[k].c[0];
      tau_dot[k] = at.tau[k].c[1];
      tau_ddot[k] = 2 * at.tau[k].c[2];
    }
    return TORSOR_OK;
  }
  static Vec3<Taylor> constant(const Vec3<double>& u) { return {Taylor(u.x), Taylor(u.y), Taylor(u.z)}; }

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
