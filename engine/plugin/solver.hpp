#pragma once
// A prepared solver: a plugin's tables, the model it was prepared for and its work area. What the
// plugin does not offer is derived from what it does, and capability() says so.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "torsor/mechanics/state.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/plugin/quantity.hpp"

namespace torsor {

enum class Capability { offered, derived };

// An id without its kind: "newton_euler" of "solver.newton_euler", or of itself.
std::string_view without_kind(std::string_view id);

class Solver {
 public:
  // Prepares the plugin for the model. Throws UnsupportedModel with the plugin's reason where it
  // does not support it, Error where it fails.
  Solver(std::unique_ptr<Plugin> plugin, std::shared_ptr<const Model> model);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  std::string id() const;
  const Model& model() const;
  Capability capability(Quantity quantity) const;

  // M vdot + C v + g = tau + sum J^T F.  Hot calls: no allocation, deterministic; one thread at a
  // time per Solver. The state must be of the model. Vectors have n_v entries, matrices n_v x n_v
  // by rows, in column order. What the plugin does not offer is derived as quantity.cpp says.
  //
  // given: [n_v], vdot of inverse or tau of forward, ignored by quantities of the state alone. out:
  // entries(quantity, n_v).
  [[nodiscard]] Status evaluate(Quantity quantity, const State& state, const double* given,
                                double* out);
  // The terms of the equation of motion, by name.
  [[nodiscard]] Status inverse(const State& state, const double* vdot, double* tau) {
    return evaluate(Quantity::inverse, state, vdot, tau);
  }
  [[nodiscard]] Status forward(const State& state, const double* tau, double* vdot) {
    return evaluate(Quantity::forward, state, tau, vdot);
  }
  [[nodiscard]] Status mass_matrix(const State& state, double* M) {
    return evaluate(Quantity::mass_matrix, state, nullptr, M);
  }
  [[nodiscard]] Status inverse_mass_matrix(const State& state, double* Minv) {
    return evaluate(Quantity::inverse_mass_matrix, state, nullptr, Minv);
  }
  [[nodiscard]] Status coriolis_matrix(const State& state, double* C) {
    return evaluate(Quantity::coriolis_matrix, state, nullptr, C);
  }
  [[nodiscard]] Status gravity(const State& state, double* g) {
    return evaluate(Quantity::gravity, state, nullptr, g);
  }
  [[nodiscard]] Status bias(const State& state, double* b) {
    return evaluate(Quantity::bias, state, nullptr, b);
  }
  // What a joint's torque goes to (JIN 40), each [n_v], from n_v + 3 calls of inverse and gravity:
  //   inverse(vdot) + sum J^T F = inertial + centrifugal + coriolis + gravity
  //   inertial = M vdot,  centrifugal_i = sum_j G_ijj v_j^2,  coriolis = C v - centrifugal
  // where the world frame moves, its acceleration is part of gravity, its twist of coriolis.
  struct TorqueSplit {
    double *inertial, *centrifugal, *coriolis, *gravity;
  };
  [[nodiscard]] Status torque_split(const State& state, const double* vdot, const TorqueSplit& out);

  // Partial derivatives, for plugins that offer those of inverse dynamics: d/dq in tangent
  // coordinates, along each column with unit velocity; gravity, the motion of the world and, in
  // body axes, the wrenches held fixed. Each n_v x n_v by rows. The status is no_partials where
  // has_partials() is false. Those of forward dynamics are derived where the plugin does not offer
  // them:
  //   d vdot/d(q, v) = -M^-1 d tau/d(q, v) at vdot = forward(tau),   d vdot/d tau = M^-1
  bool has_partials() const;
  bool has_second_partials() const;
  Capability forward_partials_capability() const;
  struct InversePartials {
    double *dtau_dq, *dtau_dv;  // of tau = inverse(vdot); d tau/d vdot is M
  };
  struct ForwardPartials {
    double *dvdot_dq, *dvdot_dv, *dvdot_dtau;  // of vdot = forward(tau)
  };
  // [n_v][n_v][n_v] each: [i][j][k] the derivative of [i][j] of d tau/dq, d tau/dv and M along
  // column k of q, or of v.
  struct SecondPartials {
    double *d2tau_dqdq, *d2tau_dvdq, *d2tau_dvdv, *dM_dq;
  };
  [[nodiscard]] Status inverse_partials(const State& state, const double* vdot,
                                        const InversePartials& out);
  [[nodiscard]] Status forward_partials(const State& state, const double* tau,
                                        const ForwardPartials& out);
  [[nodiscard]] Status second_partials(const State& state, const double* vdot,
                                       const SecondPartials& out);

  // tau = inverse(vdot) and its derivatives by time along a motion, for plugins that offer them;
  // no_rates where has_rates() is false. Gravity stays as it is in space, and turns in the axes of
  // a world that turns.
  bool has_rates() const;
  int max_rate_order() const;  // the highest derivative of tau
  bool has_equation_rates() const;
  struct MotionRates {
    int order;           // of tau's highest derivative
    const double* vdot;  // [order + 1][n_v] vdot and its derivatives by component
    // Derivatives of State::Vdot_W(), the first on; what is left out is zero.
    std::span<const Twist<double>> Vdot_W = {};
    // [order][n_body] derivatives of State::F_B(), by component in body axes; null: zero.
    const Wrench<double>* F_B = nullptr;
  };
  // [order + 1][n_v].
  [[nodiscard]] Status rates(const State& state, const MotionRates& motion, double* tau);
  // M vdot + C v + g = tau + Q, Q = sum J^T F_B: each part with its derivatives by time, to order 2
  // at most. Where the world moves, what its twist adds is part of g.
  struct EquationRates {
    double *M, *C;        // [order + 1][n_v][n_v]
    double *g, *Q, *tau;  // [order + 1][n_v]
  };
  [[nodiscard]] Status equation_rates(const State& state, const MotionRates& motion,
                                      const EquationRates& out);

  bool has_trace() const;  // of its recursion, see Tracer

  // A sentence for the status of one of the calls above, naming the joint.
  std::string explain(Status status) const;

 private:
  Status derived_forward_partials(const State& state, const double* tau,
                                  const ForwardPartials& out);
  std::unique_ptr<PreparedSolver> impl_;
};

// A function that prepares a solver for a model.
using SolverFactory = std::function<Solver(std::shared_ptr<const Model>)>;

}  // namespace torsor
