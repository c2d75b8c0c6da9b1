#pragma once
// A prepared solver: a plugin's tables, the model it was prepared for and its work area. What the
// plugin does not offer is derived from what it does, and capability() says so.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "torsor/mechanics/state.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

enum class Quantity {
  inverse,
  forward,
  mass_matrix,
  inverse_mass_matrix,
  coriolis_matrix,
  gravity,
  bias,
  christoffel_symbols
};
inline constexpr Quantity all_quantities[] = {Quantity::inverse,
                                              Quantity::forward,
                                              Quantity::mass_matrix,
                                              Quantity::inverse_mass_matrix,
                                              Quantity::coriolis_matrix,
                                              Quantity::gravity,
                                              Quantity::bias,
                                              Quantity::christoffel_symbols};
const char* name(Quantity quantity);
// How many indices an entry has: 1 of a vector, 2 of a matrix, 3 of the symbols; each runs over the
// n_v columns.
int indices(Quantity quantity);
size_t entries(Quantity quantity, size_t n_v);

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
  // by rows, in column order.
  //
  // What is derived (KHALIL 7.62-7.64):
  //   bias    = inverse(vdot = 0), without applied wrenches
  //   gravity = bias at v = 0
  //   M e_j   = inverse(vdot = e_j) at v = 0, without gravity
  //   C e_j   = (c(v + s e_j) - c(v - s e_j)) / 4s + M [v, e_j] / 2,  s = max |v|,  c = bias
  //   without gravity, a quadratic
  //             form in v: Christoffel's C
  //   G_.jj   = c(e_j),  G_.jk = (c(e_j + e_k) - c(e_j) - c(e_k)) / 2 + M [e_k, e_j] / 2
  //             with [.,.] the bracket of the screws of one joint, zero for joints of one degree of
  //             freedom, and M without armature: Hamel's equations have it beside the derivatives
  //             of M, and Mdot = C + C^T needs it
  //   forward: M vdot = tau - inverse(vdot = 0), by L^T D L along the tree
  //   M^-1 from M, along the tree, if forward is not offered, or if mass_matrix is and this takes
  //   fewer operations; else M^-1 e_j = forward(tau = e_j) at v = 0, without gravity
  // For a plugin that offers forward alone: M from M^-1, and inverse(vdot) = M (vdot - forward(tau
  // = 0)).
  [[nodiscard]] Status inverse(const State& state, const double* vdot, double* tau);
  [[nodiscard]] Status forward(const State& state, const double* tau, double* vdot);
  [[nodiscard]] Status mass_matrix(const State& state, double* M);
  [[nodiscard]] Status inverse_mass_matrix(const State& state, double* Minv);
  [[nodiscard]] Status coriolis_matrix(const State& state, double* C);
  [[nodiscard]] Status gravity(const State& state, double* g);
  [[nodiscard]] Status bias(const State& state, double* b);
  // Christoffel symbols of the first kind [n_v][n_v][n_v]: C_ij = sum_k G_ijk v_k (JIN 45-46,
  // KHALIL 7.7). They are symmetric in j and k, unless both belong to one joint whose columns do
  // not commute.
  [[nodiscard]] Status christoffel_symbols(const State& state, double* G);
  // Any of these. given: vdot of inverse, tau of forward, [n_v]; out: entries(quantity, n_v).
  [[nodiscard]] Status evaluate(Quantity quantity, const State& state, const double* given,
                                double* out);
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
  struct Impl;
  Status derived_forward_partials(const State& state, const double* tau,
                                  const ForwardPartials& out);
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
