#pragma once
// The datasets of rows of an HDF5 recording: one for time, and one per signal.

#include <string>
#include <vector>

#include "torsor/signals/column.hpp"

namespace torsor::hdf5 {

struct Group {
  std::string signal;
  size_t first, count;  // index of the first column, and number of columns
};

// Returns the groups of columns, in the order of the columns. Throws Error if a column belongs to
// no signal.
std::vector<Group> groups_of(const std::vector<Column>& columns,
                             const std::vector<std::string>& signals);

}  // namespace torsor::hdf5
