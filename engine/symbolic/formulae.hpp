#pragma once
// The quantities that can be generated, one row each, and their formulae for a model.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/sdk/ext/solver_trace.h"
#include "torsor/symbolic/program.hpp"
#include "torsor/symbolic/symbolic_model.hpp"

namespace torsor::symbolic {

// A result of a quantity: an array of expressions, stored by rows.
struct Result {
  std::string name;        // "M"
  std::vector<int> shape;  // [n_v, n_v]; empty: one number
  std::vector<Expression> entries;
  // true: the pivots d [n_v] of the elimination of joints, by which a solver finds that M is
  // singular. They are no result for a user.
  bool is_pivots = false;
};

inline Result vector_result(std::string name, std::vector<Expression> entries) {
  const int n = int(entries.size());
  return {std::move(name), {n}, std::move(entries)};
}
inline Result matrix_result(std::string name, size_t rows, std::vector<Expression> entries) {
  const int n = int(rows), m = rows == 0 ? 0 : int(entries.size() / rows);
  return {std::move(name), {n, m}, std::move(entries)};
}

using EvaluateFormulae = std::vector<Result>(const SymbolicModel&, NodeNames& names);

struct FormulaRow {
  const char* name;  // "mass_matrix"
  const char* summary;
  // The arguments of the generated function, in this order: "q", "v", "vdot", ...
  std::vector<std::string_view> inputs;
  // Returns the results. Adds the names of intermediate quantities, if the kernel has a trace.
  EvaluateFormulae* evaluate;
  std::span<const torsor_trace_pass> passes = {};  // of that trace
  bool has_wrenches = false;                       // whether an external wrench has an effect
  bool has_joint_torques = false;                  // whether friction and springs have an effect
  bool has_frames = false;  // whether the results are those of SymbolicModel::frames
};

// Returns the table of quantities.
std::span<const FormulaRow> formula_rows();
// Returns the row with this name. Throws Error with a suggestion if there is none.
const FormulaRow& formula_row(std::string_view name);

}  // namespace torsor::symbolic
