#pragma once
// A straight-line program: the nodes that a list of results needs, in an order in which operands
// come first.

#include <map>
#include <string>
#include <vector>

#include "torsor/symbolic/expression.hpp"

namespace torsor::symbolic {

// Numbers of operations. Signs are free, and so are formulae of parameters alone.
struct OperationCount {
  long multiplications = 0, additions = 0, divisions = 0, sines_cosines = 0;
  long flops() const { return multiplications + additions + divisions; }
  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};

struct Program {
  const Graph* graph;
  std::vector<Expression> results;
  std::vector<uint32_t> steps;    // operations at each call, in order
  std::vector<uint32_t> offline;  // operations on parameters alone, in order
  std::vector<uint32_t> uses;     // of each node of the graph, by steps and results

  // Collects the operations of the results. Operations without influence on them are left out.
  Program(const Graph& graph, std::vector<Expression> results);

  bool is_offline(uint32_t node) const { return offline_[node]; }
  bool uses_symbol(size_t symbol) const { return used_symbols_[symbol]; }  // of Graph::symbols()
  OperationCount count() const;

 private:
  std::vector<char> offline_;  // whether a node depends on parameters alone
  std::vector<char> used_symbols_;
};

// The number of a node in a graph, with the name of the quantity that it is.
using NodeNames = std::map<uint32_t, std::string>;

// Returns results that have the same values and need fewer operations:
//   x y + x z = x (y + z),  where the products have no other use
//   (x p) r = x (p r),      for parameters p and r: p r is computed once
// Repeats both until nothing changes. Nodes that replace named ones take their names.
std::vector<Expression> regroup(Graph& graph, std::vector<Expression> results, NodeNames& names);

}  // namespace torsor::symbolic
