#pragma once
// The components of the half solutions X of many rows (SparseDelassus).

#include <span>

#include "torsor/constraints/row.hpp"

namespace torsor {

// The components of X and Z by rows.
struct HalfRows {
  std::span<const size_t> first;  // [rows + 1] first component of each row
  std::span<const Term> components;
  std::span<const double> compliance;  // [rows] added to the diagonal of G
  std::span<const int> node;           // [n_u] the set of dof to which a component belongs
};

}  // namespace torsor
