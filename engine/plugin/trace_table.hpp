#pragma once
// The table of a torsor_solver_trace: checks of the plugin's table, and a copy for its readers.

#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/ext/solver_trace.h"

namespace torsor {

// Returns what is wrong with a table as a clause whose subject is the table, or "". An unknown kind
// of quantity is not a flaw.
std::string trace_flaw(const torsor_solver_trace& table);

// An input of a quantity: "f_c" is {"f", 'c'}.
struct TraceInput {
  std::string symbol;
  // i: of the body or its dof. p: of its parent. c: of each body that it carries.
  char index;
};

struct TracedQuantity {
  int kind;  // TORSOR_TRACE_..
  bool in_parent;
  std::string symbol, name, equation, latex, source;
  std::vector<TraceInput> inputs;
  size_t offset;  // index of its first number among all numbers
};

struct TracedPass {
  std::string name;
  bool inward;
  int first, count;  // range of its quantities
};

struct TraceTable {
  std::vector<TracedPass> passes;
  std::vector<TracedQuantity> quantities;
  size_t size;  // count of all numbers

  // Reads a table without flaws for this model. Throws Error for an unknown kind.
  TraceTable(const torsor_solver_trace& table, const torsor_model& model);
  std::optional<int> find(std::string_view symbol) const;
  int pass_of(int quantity) const;
};

}  // namespace torsor
