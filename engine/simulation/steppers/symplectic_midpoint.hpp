#pragma once
// The implicit midpoint rule for closed mechanisms. It is symplectic on the manifold of closed
// positions, so that the energy of a conservative motion stays bounded.
//
// The rule is applied to the canonical coordinates (d, pi). d is the position in the chart, pi is
// its momentum, and K(d) = dexp_(-d)^-1 (chart.hpp):
//   ddot = K v,   pi = K^-T M v
//   pidot = K^-T (M a + Mdot v - Kdot^T pi)         a: the acceleration without constraint forces
// Rows whose factors are constant hold in every stage: v is M^-1 K^T pi without its part along M^-1
// J_c^T, which makes J_c v = rate. The forces of the other rows act as impulses at both ends of a
// step of size h (Reich, Symplectic integration of constrained Hamiltonian systems by composition
// methods, SIAM J. Numer. Anal. 33, 1996). With Phi, the rule without these forces:
//   pi~ = pi_n + K^-T J_n^T lambda     lambda such that phi(q_n+1) = 0
//   (d, pi^) = Phi(d_n, pi~)
//   pi = pi^ + K^-T J^T mu             mu such that J v = rate at the end
// lambda and mu are about h / 2 times the constraint forces. Broyden's method solves for lambda,
// beginning with d phi / d lambda = h J M^-1 J^T: each of its iterations repeats the step.

#include "torsor/integration/chart.hpp"
#include "torsor/integration/one_step.hpp"
#include "torsor/simulation/mechanism/momentum_rate.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

// The motion without the forces of constraints that vary, in canonical coordinates y = (d, theta;
// pi; memory; works). pi is divided by the inertia of each entry of u at the start of the step, so
// that its error has the unit of a rate.
class CanonicalMotion : public System {
 public:
  explicit CanonicalMotion(Motion& motion);

  Layout layout() const override { return motion_.layout(); }
  bool rate(double t, const double* y, double ahead, double* ydot) override;

  // Selects the constant rows, and the inertias that scale pi, at a state z of the motion. Writes
  // its y.
  bool begin(double t, const double* z, double* y);
  // Writes the state z of y.
  bool to_state(double t, const double* y, double* z);
  // Writes K^-T J^T, scaled like pi, and M^-1 J^T with the constant rows held, [n_u] each, for a
  // row at the present state.
  void respond(const Row& row, double* momentum, double* rates);
  // Returns the selected rows that vary.
  std::span<const ConstraintRow> varying() const { return varying_; }

 private:
  bool take(double t, const double* y);
  bool factor(const double* d);
  void hold(double* u, bool with_rates);
  void multiply_inertia(const double* x, double* out) const;

  Motion& motion_;
  MomentumRate momentum_rate_;
  std::vector<ConstraintRow> held_, varying_;
  Chart chart_;
  DelassusFactor held_factor_;
  Eigen::VectorXd forces_;                      // [held rows]
  std::vector<double> scale_, z_, pi_, p_, x_;  // z_: [layout], others: [n_u]
};

class SymplecticMidpoint : public OneStep {
 public:
  SymplecticMidpoint(const Tolerances& tolerances, Motion& motion);

 private:
  bool map(double h, std::span<double> z) override;
  void factor_rows();
  bool guess(double h);
  bool step(double h, std::span<double> z);
  double evaluate_errors();
  void close_rates(std::span<double> z);

  Motion& motion_;
  CanonicalMotion canonical_;
  std::unique_ptr<Stepper> rule_;       // the implicit midpoint rule of canonical_
  std::vector<double> y0_, y_;          // [layout]
  Eigen::MatrixXd momenta_, rates_of_;  // [n_u x rows] K^-T J^T and M^-1 J^T
  Eigen::MatrixXd G_, inverse_;         // [rows x rows] inverse_ approximates d lambda / d phi
  Eigen::VectorXd lambda_, error_, before_, change_;  // [rows]
};

}  // namespace torsor
