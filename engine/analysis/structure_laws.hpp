#pragma once
// The laws of a structure report: a law is a function of a state and a row of the table.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "torsor/analysis/term_sizes.hpp"
#include "torsor/plugin/solver.hpp"

namespace torsor {

// A state of an inspection, with what several laws ask of it found once. All throw Error where the
// solver fails.
class InspectedState {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;

  InspectedState(Solver& solver, State state, std::vector<double> vdot);

  const State& state() const { return state_; }
  int n() const { return int(state_.v.size()); }
  Vector v() const { return Eigen::Map<const Vector>(state_.v.data(), n()); }
  Vector vdot() const { return Eigen::Map<const Vector>(vdot_.data(), n()); }
  // The sum of the rates at which the joints on the way to a body turn, of the fastest body, 1/s:
  // no entry of the equations has a higher frequency along the motion but by small multiples.
  double rate() const { return rate_; }
  // A bound of the terms of bias (vdot = 0) or of inverse dynamics: what they are rounded by.
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

  // Derivatives of M and C along the motion of v and vdot: by differences, and the solver's own
  // where it offers them.
  struct AlongMotion {
    Matrix M_dot, M_ddot, C_dot;
  };
  const AlongMotion& differences();
  bool offers_rates() const { return solver_.has_equation_rates(); }
  AlongMotion rates();
  // A time t on: q (+) (v t + vdot t^2/2) and v + vdot t, exact in derivatives of q up to the
  // second and of v up to the first.
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

// Whose n^3 numbers the host derives in a second.
inline constexpr int most_columns_of_symbols = 200;

struct StructureLaw {
  const char *name, *meaning;
  double allowed;
  // How far it is from holding, of the size of the terms. Nothing where the solver offers no such
  // numbers, or they are too many.
  std::optional<double> (*error)(InspectedState&);
};
// For a model of n columns.
std::vector<StructureLaw> structure_laws(int n);

// C as the sum of what the bodies contribute, C = J^T (Mb Jdot + (Mb b - b^T Mb) J)  (MK 29, skew
// form)
InspectedState::Matrix coriolis_by_bodies(const State& state);
// C_ij = sum_k G_ijk v_k
InspectedState::Matrix coriolis_of_symbols(InspectedState& at);

}  // namespace torsor
