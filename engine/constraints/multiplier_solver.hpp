#pragma once
// Solves for the multipliers of constraint rows within their bounds, by the constraint solver that
// the experiment has chosen:
//   w = G lambda + c
//   lower <= lambda <= upper, w = 0    or  lambda = lower, w >= 0    or  lambda = upper, w <= 0
// Rows of friction groups satisfy Coulomb's law instead (torsor_friction).

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/constraints/islands/islands.hpp"
#include "torsor/constraints/row.hpp"
#include "torsor/handles/constraint_solver.hpp"

namespace torsor {

// The bound at which a multiplier is, or none.
enum class AtBound : signed char { lower = -1, none = 0, upper = 1 };

class MultiplierSolver {
 public:
  // plugin: if null, the engine solves by the method of a plugin of this build: sdk::Pivoting of
  // `pivoting`, and for problems with friction groups sdk::NewtonAdmm of `newton_admm`.
  explicit MultiplierSolver(std::unique_ptr<ConstraintSolver> plugin = nullptr)
      : plugin_(std::move(plugin)) {}

  // Begins a problem without rows.
  void clear();
  // Adds a row, whose rate without multipliers is c = scale J u - required.
  void add(const Row& row, const double* u, double required, const Bounds& bounds,
           double scale = 1);
  size_t size() const { return c_.size(); }
  // Returns c of a row.
  double free_rate(size_t row) const { return c_[row]; }

  // [hot] Solves the problem for G = J M^-1 J^T [rows x rows]. Redundant free rows get the
  // multipliers of least norm. Does not allocate unless the number of rows exceeds all earlier
  // ones.
  [[nodiscard]] Status solve(const Eigen::MatrixXd& G);
  // [hot] The same with friction groups among the rows. Throws Error if the plugin does not handle
  // friction groups.
  [[nodiscard]] Status solve(const Eigen::MatrixXd& G, std::span<const torsor_friction> frictions);
  // Returns w of a row after solve().
  double rate(size_t row) const;
  // [hot] Solves a problem with friction groups and a sparse G instead of the rows that were added,
  // island by island. lambda [n]. halves: the components of X with G = X X^T, null if unknown;
  // large islands are then solved slowly. The residual of each island (torsor_constraint_result) is
  // at most that which the host accepts. Without a plugin, few iterations are made to reach 1e-12,
  // or 1e-9 for an island of more than 150 rows. Such an island may have up to
  // 1e-2 if many iterations do not suffice. Throws Error if the plugin does not handle friction
  // groups.
  [[nodiscard]] Status solve_contacts(const ConstraintProblem& problem, std::span<double> lambda,
                                      const HalfRows* halves = nullptr);
  // Returns the number of iterations of the last solve_contacts(), over all islands.
  int iterations() const { return iterations_; }
  // Returns the largest residual of an island in the last solve_contacts().
  double contact_residual() const { return contact_residual_; }
  // Return values after solve(). bounds() determines which rows multipliers within their bounds
  // keep at w = 0, and which move away from a bound. A row at its bound whose w is zero up to
  // rounding errors and the residual of the solver does not move: redundant rows may hold it.
  // all_at_rest() returns whether all w are zero up to these errors.
  std::span<const double> lambda() const { return lambda_; }
  std::span<const AtBound> bounds();
  bool all_at_rest();
  // Returns a sentence that explains a status of solve() of the plugin.
  std::string explain(Status status) const { return plugin_->explain(status); }
  bool has_plugin() const { return plugin_ != nullptr; }

 private:
  Status solve_island(const ConstraintProblem& problem);
  void refine();
  double largest_error(const torsor_constraint_problem& view) const;
  ConstraintProblem problem() const { return {G_, c_, terms_, lower_, upper_}; }

  std::unique_ptr<ConstraintSolver> plugin_;
  Islands islands_;
  int iterations_ = 0;
  double contact_residual_ = 0;
  const double* G_ = nullptr;
  std::vector<double> c_, terms_, lower_, upper_, lambda_, work_;
  std::vector<AtBound> at_;
  double residual_ = 0;
  // The multipliers by which bounds() and all_at_rest() decide, and their residual.
  std::vector<double> refined_;
  double refined_residual_ = 0;
};

}  // namespace torsor
