#pragma once
// A prepared solver: a plugin, the model for which it is prepared, and its work area. Quantities
// that the plugin does not offer are derived from those that it offers. capability() returns which
// quantities are derived.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "torsor/handles/quantity.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/plugin/parameter.hpp"

namespace torsor {

enum class Capability { offered, derived };

// Returns the id of a plugin without the kind: "newton_euler" for both "solver.newton_euler" and
// "newton_euler".
std::string_view without_kind(std::string_view id);

class Solver {
 public:
  static constexpr const char* kind = "solver";
  // Prepares the plugin for the model. Throws UnsupportedModel with the plugin's reason if the
  // plugin does not support the model. Throws Error if the plugin fails.
  Solver(ConfiguredPlugin configured, std::shared_ptr<const Model> model);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  std::string id() const;
  const Model& model() const;
  Capability capability(Quantity quantity) const;

  // Computes a quantity of the equation of motion  M vdot + C v + g = tau + sum J^T F. Derives it
  // if the plugin does not offer it (quantity.cpp).
  //
  // [hot] Does not allocate. Deterministic. Only one thread at a time may use a Solver. The state
  // must belong to the model. Vectors are [n_v]. Matrices are n_v x n_v, stored by rows.
  //
  // given: [n_v], vdot for inverse or tau for forward. Ignored if the quantity depends on the state
  // alone. out: entries(quantity, n_v) numbers.
  [[nodiscard]] Status evaluate(Quantity quantity, const State& state, const double* given,
                                double* out);
  // Compute one quantity each: short forms of evaluate() for the many callers that know the
  // quantity.
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
  // Splits the torques of inverse(vdot) into parts (JIN 40), each [n_v]. Makes n_v + 3 calls of
  // inverse and gravity.
  //   inverse(vdot) + sum J^T F = inertial + centrifugal + coriolis + gravity
  //   inertial = M vdot,  centrifugal_i = sum_j G_ijj v_j^2,  coriolis = C v - centrifugal
  // If the world frame moves, the contribution of its acceleration is part of gravity, and that of
  // its twist is part of coriolis.
  struct TorqueSplit {
    double *inertial, *centrifugal, *coriolis, *gravity;
  };
  [[nodiscard]] Status torque_split(const State& state, const double* vdot, const TorqueSplit& out);

  // Partial derivatives of inverse and forward dynamics, n_v x n_v each, stored by rows. d/dq is in
  // tangent coordinates: column k is the rate of change if q moves along dof k with unit velocity.
  // Gravity and the motion of the world are constant. The wrenches are constant in body axes. The
  // plugin must offer the derivatives of inverse dynamics. Otherwise has_partials() is false, and
  // the status is Status::no_partials. The derivatives of forward dynamics are derived if the
  // plugin does not offer them:
  //   d vdot/d(q, v) = -M^-1 d tau/d(q, v) at vdot = forward(tau),   d vdot/d tau = M^-1
  bool has_partials() const;
  bool has_second_partials() const;
  Capability forward_partials_capability() const;
  struct InversePartials {
    double *dtau_dq, *dtau_dv;  // tau = inverse(vdot); d tau/d vdot is M
  };
  struct ForwardPartials {
    double *dvdot_dq, *dvdot_dv, *dvdot_dtau;  // vdot = forward(tau)
  };
  // Second derivatives of tau = inverse(vdot), [n_v][n_v][n_v] each. Entry [i][j][k] is the
  // derivative of entry [i][j] of d tau/dq, d tau/dv or M along dof k of q or of v.
  struct SecondPartials {
    double *d2tau_dqdq, *d2tau_dvdq, *d2tau_dvdv, *dM_dq;
  };
  [[nodiscard]] Status inverse_partials(const State& state, const double* vdot,
                                        const InversePartials& out);
  [[nodiscard]] Status forward_partials(const State& state, const double* tau,
                                        const ForwardPartials& out);
  [[nodiscard]] Status second_partials(const State& state, const double* vdot,
                                       const SecondPartials& out);

  // Time derivatives of tau = inverse(vdot) along a motion. If the plugin does not offer them,
  // has_rates() is false, and the status is Status::no_rates. Gravity is constant in an inertial
  // frame. If the world frame rotates, the components of gravity in its axes change.
  bool has_rates() const;
  int max_rate_order() const;  // order of the highest derivative of tau
  bool has_equation_rates() const;
  struct MotionRates {
    int order;           // order of the highest derivative of tau
    const double* vdot;  // [order + 1][n_v] vdot and its componentwise derivatives
    // Derivatives of State::Vdot_W(), starting with the first. Missing derivatives are zero.
    std::span<const Twist<double>> Vdot_W = {};
    // [order][n_body] componentwise derivatives of State::F_B() in body axes. Null means zero.
    const Wrench<double>* F_B = nullptr;
  };
  // Computes tau and its time derivatives up to motion.order: tau [order + 1][n_v].
  [[nodiscard]] Status rates(const State& state, const MotionRates& motion, double* tau);
  // The parts of M vdot + C v + g = tau + Q with Q = sum J^T F_B, and their time derivatives up to
  // order 2. If the world frame moves, the contribution of its twist is part of g.
  struct EquationRates {
    double *M, *C;        // [order + 1][n_v][n_v]
    double *g, *Q, *tau;  // [order + 1][n_v]
  };
  [[nodiscard]] Status equation_rates(const State& state, const MotionRates& motion,
                                      const EquationRates& out);

  bool has_trace() const;  // true if the plugin offers torsor_solver_trace; see Tracer

  // Returns a sentence that explains a status of one of the calls above. It names the joint if the
  // status contains one.
  std::string explain(Status status) const;

 private:
  friend class BatchSolver;
  Status derived_forward_partials(const State& state, const double* tau,
                                  const ForwardPartials& out);
  std::unique_ptr<PreparedSolver> impl_;
};

// A function that prepares a solver for a model.
using SolverFactory = std::function<Solver(std::shared_ptr<const Model>)>;

}  // namespace torsor
