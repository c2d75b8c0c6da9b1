#pragma once
// The laws that a structure report checks: one table row per law. A law is a function of a state
// that returns its error.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "torsor/analysis/term_sizes.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

// A state for the check of the laws, with accelerations. Caches results that several laws use. All
// functions that evaluate the solver throw Error if it fails.
class InspectedState {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;

  // heavier: the same solver for models in which the inertia of one body is twice as large, in the
  // order of the bodies 1, 2, ..; or none.
  InspectedState(Solver& solver, State state, std::vector<double> vdot,
                 std::span<Solver> heavier = {});

  const State& state() const { return state_; }
  int n() const { return int(state_.v.size()); }
  Vector v() const { return Eigen::Map<const Vector>(state_.v.data(), n()); }
  Vector vdot() const { return Eigen::Map<const Vector>(vdot_.data(), n()); }
  // Returns the maximum over all bodies of 1 + sum |S_w| (|v| + sqrt |vdot|), rad/s. The sum runs
  // over the dof between the body and the world. The result is an upper bound of the angular
  // velocity of every body. Along the motion, M and C oscillate at small multiples of it.
  double rate() const { return rate_; }
  // Returns the 2-norm of upper bounds of the terms of tau (accelerated = true) or of the bias
  // (false), for estimates of rounding errors.
  double terms(bool accelerated);

  const Matrix& M();
  const Matrix& C();
  const Matrix& G();  // [n n x n]; row i n + j contains G_ijk, k = 0 .. n - 1
  const std::vector<double>& eigenvalues();
  Vector gravity() { return asked(Quantity::gravity, state_, nullptr); }
  Vector bias() { return asked(Quantity::bias, state_, nullptr); }
  Vector inverse() { return asked(Quantity::inverse, state_, vdot_.data()); }
  Vector forward(const Vector& tau) { return asked(Quantity::forward, state_, tau.data()); }
  Matrix mass_matrix(const State& there) { return asked(Quantity::mass_matrix, there, nullptr); }
  // Return M and tau for a model in which the inertia of one body is twice as large.
  bool offers_inertias() const { return !heavier_.empty(); }
  Matrix heavier_mass_matrix(int body) { return asked_heavier(Quantity::mass_matrix, body); }
  Vector heavier_inverse(int body) { return asked_heavier(Quantity::inverse, body); }

  // Time derivatives of M and C along the motion with v and vdot. differences() computes them
  // numerically. rates() returns those that the solver computes, if offers_rates() is true.
  struct AlongMotion {
    Matrix M_dot, M_ddot, C_dot;
  };
  const AlongMotion& differences();
  bool offers_rates() const { return solver_.has_equation_rates(); }
  AlongMotion rates();
  // Returns the state after the time t: q (+) (v t + vdot t^2/2) and v + vdot t. At t = 0, the
  // first two derivatives of q and the first derivative of v are exact.
  State after(double t, const Vector& vdot) const;

 private:
  Matrix asked_heavier(Quantity quantity, int body);
  Matrix asked(Solver& solver, Quantity quantity, const State& at, const double* given);
  Matrix asked(Quantity quantity, const State& at, const double* given) {
    return asked(solver_, quantity, at, given);
  }

  Solver& solver_;
  State state_;
  std::vector<double> vdot_;
  std::span<Solver> heavier_;
  double rate_;
  std::optional<Matrix> M_, C_, G_;
  std::optional<std::vector<double>> eigenvalues_;
  std::optional<AlongMotion> differences_;
};

// The largest number of dof for which the Christoffel symbols are checked. The host derives them
// within about a second.
inline constexpr int most_columns_of_symbols = 200;

struct StructureLaw {
  const char *name, *meaning;
  double allowed;
  // Returns the error of the law relative to the size of its terms. Returns nullopt if the solver
  // does not offer the quantity, or if the model has too many dof for it.
  std::optional<double> (*error)(InspectedState&);
};
// Returns the laws for a model with n dof.
std::vector<StructureLaw> structure_laws(int n);

// Computes C as a sum over the bodies, C = J^T (Mb Jdot + (Mb b - b^T Mb) J) (MK 29, skew-symmetric
// form).
InspectedState::Matrix coriolis_by_bodies(const State& state);
// Computes C_ij = sum_k G_ijk v_k from the Christoffel symbols.
InspectedState::Matrix coriolis_of_symbols(InspectedState& at);

}  // namespace torsor
