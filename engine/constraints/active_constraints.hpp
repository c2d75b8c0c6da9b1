#pragma once
// The constraint rows that are active now, and the accelerations and forces that follow from them:
//   G lambda = acceleration - J udot_free,   udot = udot_free + Y lambda
// The rows are, in this order: eliminated ones, which InverseInertia already respects; permanent
// ones, which are active in every mode; and those of the mode, such as closed stops.

#include <vector>

#include "torsor/constraints/independent_rows.hpp"
#include "torsor/constraints/inverse_inertia.hpp"
#include "torsor/constraints/multiplier_solver.hpp"

namespace torsor {

class ActiveConstraints {
 public:
  // eliminated: the rows that InverseInertia eliminates. given [n_u] flags prescribed dof.
  void set_permanent(std::vector<ConstraintRow> eliminated, std::vector<ConstraintRow> permanent,
                     std::vector<char> given);
  // Activates the rows of a mode. The others of the last mode become inactive.
  void activate(std::vector<ConstraintRow> rows);
  // Selects independent rows at the present state. Needed if rows vary with it: near a state with
  // closed loops, rows that are redundant there are nearly so, and the forces along them would be
  // arbitrary.
  void select(const InverseInertia& inverse);
  bool rows_vary() const { return rows_vary_; }
  std::span<const ConstraintRow> eliminated() const {
    return std::span(rows_).first(n_eliminated_);
  }
  // Returns the rows without the eliminated ones: n_permanent() permanent rows, then the active
  // ones.
  std::span<const ConstraintRow> rows() const { return std::span(rows_).subspan(n_eliminated_); }
  std::span<const ConstraintRow> permanent() const {
    return std::span(rows_).subspan(n_eliminated_, n_permanent_);
  }
  size_t n_permanent() const { return n_permanent_; }
  std::span<const char> given() const { return given_; }
  // Returns the selected independent rows, in the order of rows().
  std::span<const ConstraintRow> selected_rows() const { return selected_rows_; }
  bool empty() const { return selected_.empty(); }
  // Returns whether rows of the mode depend on other rows, so that their forces are undetermined.
  bool redundant() const { return redundant_; }

  // Adds the constraint forces to `force` [n_u] and their accelerations to udot [n_u], such that J
  // udot = acceleration. Does not allocate. Fails if the constraint solver does.
  [[nodiscard]] Status solve(const InverseInertia& inverse, MultiplierSolver& solver, double* udot,
                             double* force);
  // Makes the accelerations of constant rows exact. Those of prescribed dof must already be exact.
  void project(double* udot) const { reduced_.project(udot); }
  // Return values after solve(): the force of a row of rows(), 0 for rows that are not selected;
  // all these forces; the power of the forces at the required rates, W.
  double multiplier(size_t row) const { return multiplier_[row]; }
  const Eigen::VectorXd& multipliers() const { return multiplier_; }
  double power() const { return power_; }

  // Returns the constant ones of some rows in reduced form, together with the eliminated rows.
  ActiveRows reduce(std::span<const ConstraintRow> rows) const;

 private:
  void select_all();

  std::vector<ConstraintRow> rows_;
  size_t n_eliminated_ = 0, n_permanent_ = 0;
  std::vector<char> given_;
  ActiveRows reduced_;
  IndependentRows independent_;
  std::vector<int> selected_;
  std::vector<ConstraintRow> selected_rows_;
  bool redundant_ = false, rows_vary_ = false;
  size_t n_u_ = 0;
  Delassus of_all_, delassus_;
  Eigen::VectorXd multiplier_;
  std::vector<double> change_;  // [n_u]
  double power_ = 0;
};

}  // namespace torsor
