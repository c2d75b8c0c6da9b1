#pragma once
// The table of a torsor_solver_trace, as a plugin gives it and as its readers have it.

#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/ext/solver_trace.h"

namespace torsor {

// What is wrong with it, as a clause whose subject is the table; "" where nothing is. A kind that
// is not known is not wrong.
std::string trace_flaw(const torsor_solver_trace& table);

// What goes into a quantity: "f_c" is {"f", 'c'}.
struct TraceInput {
  std::string symbol;
  char index;  // i: of the body or its columns, p: of its parent, c: of each body that it carries
};

struct TracedQuantity {
  int kind;  // TORSOR_TRACE_..
  bool in_parent;
  std::string symbol, name, equation, latex, source;
  std::vector<TraceInput> inputs;
  size_t offset;  // of its first number among all
};

struct TracedPass {
  std::string name;
  bool inward;
  int first, count;  // of its quantities
};

struct TraceTable {
  std::vector<TracedPass> passes;
  std::vector<TracedQuantity> quantities;
  size_t size;  // of all numbers

  // Of a table without flaws, for this model. Throws Error for a kind that is not known.
  TraceTable(const torsor_solver_trace& table, const torsor_model& model);
  std::optional<int> find(std::string_view symbol) const;
  int pass_of(int quantity) const;
};

}  // namespace torsor
