#pragma once
// The quantities that can be generated, one row each, and their formulae for a model.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/symbolic/program.hpp"
#include "torsor/symbolic/symbolic_model.hpp"

namespace torsor::symbolic {

// A result of a quantity: an array of expressions, stored by rows.
struct Result {
  std::string name;        // "M"
  std::vector<int> shape;  // [n_v, n_v]
  std::vector<Expression> entries;
  // true: the pivots d [n_v] of the elimination of joints, by which a solver finds that M is
  // singular. They are no result for a user.
  bool is_pivots = false;
};

struct FormulaRow {
  const char* name;  // "mass_matrix"
  const char* summary;
  // The arguments of the generated function, in this order, of "q", "v", "vdot", "tau".
  std::vector<std::string_view> inputs;
  // Returns the results. Adds the names of intermediate quantities, if the kernel has a trace.
  std::vector<Result> (*evaluate)(const SymbolicModel&, NodeNames& names);
  bool has_wrenches = false;  // whether an external wrench has an effect
  bool has_friction = false;
};

// Returns the table of quantities.
std::span<const FormulaRow> formula_rows();
// Returns the row with this name. Throws Error with a suggestion if there is none.
const FormulaRow& formula_row(std::string_view name);

}  // namespace torsor::symbolic
