#pragma once
// A prepared constraint solver: a plugin that computes the multipliers of constraint rows within
// their bounds (torsor_constraint_problem).

#include <functional>
#include <span>
#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/sdk/constraints/constraint_view.hpp"
#include "torsor/sdk/ext/constraint_solver.h"

namespace torsor {

// A symmetric matrix [n x n] by rows: row i has the entries value[k] in column[k],
// row_start[i] <= k < row_start[i + 1], in ascending order of columns. The diagonal is stored.
struct SparseRows {
  std::span<const int32_t> row_start;  // [n + 1]
  std::span<const int32_t> column;
  std::span<const double> value;
};

// Rows, and the bounds of their multipliers lambda [n]:
//   w = G lambda + c
//   lower <= lambda <= upper, w = 0    or  lambda = lower, w >= 0    or  lambda = upper, w <= 0
// and Coulomb's law for the rows of friction groups (torsor_friction).
struct ConstraintProblem {
  const double* G;                       // [n][n] J M^-1 J^T, or null if `sparse` has it
  std::span<const double> c;             // [n]
  std::span<const double> c_terms;       // [n] sizes of the terms whose sum is c
  std::span<const double> lower, upper;  // [n] may be infinite
  std::span<const torsor_friction> frictions = {};
  SparseRows sparse = {};
  std::span<const double> start = {};  // [n] lambda from which iterations start; empty: zero
  // A factor of G, and the number of entries of its L (torsor_constraint_size); null: none
  const torsor_constraint_factor* factor = nullptr;
  int64_t factor_entries = 0;

  int n() const { return int(c.size()); }
  torsor_constraint_size size() const;
  torsor_constraint_problem view() const;
};

class ConstraintSolver {
 public:
  static constexpr const char* kind = "constraint_solver";
  // A result with a larger residual (torsor_constraint_result) is no solution.
  static constexpr double largest_residual = sdk::largest_residual;

  // Prepares the plugin for the model. Throws UnsupportedModel if the plugin does not support the
  // model. Throws Error if the plugin fails.
  ConstraintSolver(ConfiguredPlugin configured, std::shared_ptr<const Model> model);

  std::string id() const { return plugin_->descriptor().id; }
  const torsor_descriptor& descriptor() const { return plugin_->descriptor(); }
  const std::vector<Setting>& settings() const { return settings_; }
  uint64_t fingerprint() const { return torsor::fingerprint(descriptor(), *model_, settings_); }

  // Returns whether solve() accepts problems with friction groups.
  bool handles_friction() const { return api_.handles_friction != 0; }

  // Provides memory for problems of up to these sizes, or of n rows with a dense G. Throws Error if
  // the plugin fails or requests too much memory.
  void reserve(int n);
  void reserve(const torsor_constraint_size& size);

  // [hot] Writes the multipliers lambda [n]. Deterministic. Allocates only if one of
  // the sizes of the problem is larger than in all earlier ones and than reserve() was called with,
  // and then throws the errors of reserve(). Only one thread at a time may use a ConstraintSolver.
  // Throws Error if the problem has friction groups, but handles_friction() is false. Returns an
  // error if a multiplier is not finite, is outside of its bounds (by any amount) or of its
  // friction cone (by 1e-12 of it), or if the residual is larger than largest_residual. In the last
  // case lambda contains the best multipliers.
  [[nodiscard]] Status solve(const ConstraintProblem& problem, std::span<double> lambda);
  // Return the residual and the number of iterations of the last call of solve().
  double residual() const { return residual_; }
  int iterations() const { return iterations_; }

  // Returns a sentence that explains a status of the last call of solve().
  std::string explain(Status status) const;

 private:
  torsor_status call(const torsor_constraint_problem& problem, const double* start, WorkArea& work,
                     LentArray<double>& lambda);
  Status check(const ConstraintProblem& problem) const;

  std::unique_ptr<Plugin> plugin_;
  std::shared_ptr<const Model> model_;
  std::vector<Setting> settings_;
  torsor_model view_;
  torsor_constraint_solver api_{};
  torsor_constraint_size reserved_ = sdk::dense_size(-1);
  WorkArea work_;
  LentArray<double> lambda_;  // [reserved_.n + 1]
  double residual_ = 0;
  int iterations_ = 0, rows_ = 0;  // of the last call
};

// A function that prepares the constraint solver for a model. If it is empty, the engine solves
// constraints without a plugin.
using ConstraintSolverFactory =
    std::function<std::unique_ptr<ConstraintSolver>(std::shared_ptr<const Model>)>;

}  // namespace torsor
