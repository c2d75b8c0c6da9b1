#pragma once
// The datasets of an HDF5 recording: one for time, and one for the columns of each signal.

#include <string>
#include <vector>

#include "torsor/signals/recorder.hpp"

namespace torsor::hdf5 {

struct Group {
  std::string signal;
  size_t first, count;  // indices of its columns
};

// Returns the groups of the columns, in their order. Throws Error for a column that belongs to no
// signal.
std::vector<Group> groups_of(const std::vector<Column>& columns,
                             const std::vector<std::string>& signals);

}  // namespace torsor::hdf5
