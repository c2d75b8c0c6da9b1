#pragma once
// The table of a torsor_solver_trace: checks of the plugin's table, and a C++ copy of it.

#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/ext/solver_trace.h"

namespace torsor {

// Returns the first defect of a table as a clause whose subject is the table ("lacks trace"), or
// "". A quantity of an unknown kind is not a defect. Does not check the size of the table.
std::string trace_flaw(const torsor_solver_trace& table);

// An input of a quantity. The input "f_c" is {"f", 'c'}.
struct TraceInput {
  std::string symbol;
  // 'i': the value of the body or its dof. 'p': the value of the parent. 'c': the values of all
  // children. 's': the values of the body and all bodies that it carries. 'a': those of all bodies.
  char index;
};

struct TracedQuantity {
  int kind;  // TORSOR_TRACE_..
  int axes;  // TORSOR_TRACE_IN_..
  std::string symbol, name, equation, latex, source;
  std::vector<TraceInput> inputs;
  size_t offset;  // index of its first number in the array of all numbers
};

struct TracedPass {
  std::string name;
  bool inward;
  int first, count;  // range of its rows in TraceTable::quantities
};

struct TraceTable {
  std::vector<TracedPass> passes;
  std::vector<TracedQuantity> quantities;
  size_t size;  // number of doubles in the trace

  // Copies a plugin's table and computes its sizes for this model. trace_flaw() must have found no
  // defect. Throws Error if a quantity has an unknown kind.
  TraceTable(const torsor_solver_trace& table, const torsor_model& model);
  std::optional<int> find(std::string_view symbol) const;
  int pass_of(int quantity) const;
};

}  // namespace torsor
