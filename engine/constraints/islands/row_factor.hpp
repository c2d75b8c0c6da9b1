#pragma once
// The sparse factor of G of an island (torsor_constraint_factor): its columns are the dof that the
// rows of the island move, in an order of elimination with little fill. A compliance R is a column
// of its own, whose only entry is the root of R.

#include <span>
#include <vector>

#include "torsor/constraints/islands/elimination_order.hpp"
#include "torsor/constraints/islands/half_rows.hpp"
#include "torsor/sdk/ext/constraint_solver.h"

namespace torsor {

class RowFactor {
 public:
  // rows: those of the island in ascending order. head: [all rows] the first row of the contact of
  // a row, or itself. Returns null if G is not X X^T because of held rows. The result is valid
  // until the next call. Does not allocate unless the island or its fill grows.
  const torsor_constraint_factor* evaluate(const HalfRows& halves, std::span<const int> rows,
                                           std::span<const int> head);
  // Returns the number of entries of L (torsor_constraint_size).
  int64_t entries() const { return int64_t(order_.entries); }

 private:
  bool find_columns(const HalfRows& halves, std::span<const int> rows, std::span<const int> head);
  void find_nodes(const HalfRows& halves);
  void number_columns();
  void write_rows(const HalfRows& halves, std::span<const int> rows);

  EliminationOrder order_;
  // Contacts: their first rows in the island, and their columns.
  std::vector<int> contact_, contact_first_, contact_columns_;
  // Columns, before they are numbered: components in ascending order, then compliances
  std::vector<int> columns_, column_node_, place_;
  std::vector<int> local_;      // [components] column of a component
  std::vector<int> node_mark_;  // [nodes of the whole system] node of the island
  std::vector<int> weights_, clique_first_, clique_nodes_;
  std::vector<int> row_start_, column_, node_start_;
  std::vector<double> value_, scratch_;
  torsor_constraint_factor factor_{};
};

}  // namespace torsor
