#pragma once
// The laws of a structure report. A law is a function of an inspected state, in a row of the table.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "torsor/analysis/term_sizes.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

// A state of an inspection. It caches results that several laws use. All functions throw Error if
// the solver fails.
class InspectedState {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;

  InspectedState(Solver& solver, State state, std::vector<double> vdot);

  const State& state() const { return state_; }
  int n() const { return int(state_.v.size()); }
  Vector v() const { return Eigen::Map<const Vector>(state_.v.data(), n()); }
  Vector vdot() const { return Eigen::Map<const Vector>(vdot_.data(), n()); }
  // Returns a bound of the angular velocity of the fastest body, 1/s: a sum over the joints on the
  // path to it. Along the motion, the entries of M and C oscillate at frequencies up to small
  // multiples of this bound.
  double rate() const { return rate_; }
  // Returns a bound of the terms of bias (vdot = 0) or of inverse dynamics, for rounding errors.
  double terms(bool accelerated);

  const Matrix& M();
  const Matrix& C();
  const Matrix& G();  // [n n x n], row i n + j: G_ij.
  const std::vector<double>& eigenvalues();
  Vector gravity() { return asked(Quantity::gravity, state_, nullptr); }
  Vector bias() { return asked(Quantity::bias, state_, nullptr); }
  Vector inverse() { return asked(Quantity::inverse, state_, vdot_.data()); }
  Vector forward(const Vector& tau) { return asked(Quantity::forward, state_, tau.data()); }
  Matrix mass_matrix(const State& there) { return asked(Quantity::mass_matrix, there, nullptr); }

  // Derivatives of M and C along the motion of v and vdot. differences() computes them numerically;
  // rates() returns the solver's own, if it offers them.
  struct AlongMotion {
    Matrix M_dot, M_ddot, C_dot;
  };
  const AlongMotion& differences();
  bool offers_rates() const { return solver_.has_equation_rates(); }
  AlongMotion rates();
  // Returns the state after a time t: q (+) (v t + vdot t^2/2) and v + vdot t. Derivatives up to
  // the second of q and the first of v are exact.
  State after(double t, const Vector& vdot) const;

 private:
  Matrix asked(Quantity quantity, const State& at, const double* given);

  Solver& solver_;
  State state_;
  std::vector<double> vdot_;
  double rate_;
  std::optional<Matrix> M_, C_, G_;
  std::optional<std::vector<double>> eigenvalues_;
  std::optional<AlongMotion> differences_;
};

// The largest number of dof for which the host derives the n^3 symbols within a second.
inline constexpr int most_columns_of_symbols = 200;

struct StructureLaw {
  const char *name, *meaning;
  double allowed;
  // Returns the error of the law relative to the size of the terms. Returns nullopt if the solver
  // does not offer these numbers, or if they are too many.
  std::optional<double> (*error)(InspectedState&);
};
// Returns the laws for a model with n dof.
std::vector<StructureLaw> structure_laws(int n);

// Returns C as the sum of the contributions of the bodies, C = J^T (Mb Jdot + (Mb b - b^T Mb) J)
// (MK 29, skew form).
InspectedState::Matrix coriolis_by_bodies(const State& state);
// Returns C_ij = sum_k G_ijk v_k.
InspectedState::Matrix coriolis_of_symbols(InspectedState& at);

}  // namespace torsor
