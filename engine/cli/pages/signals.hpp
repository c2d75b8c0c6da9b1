#pragma once
// Finds the columns of a recording that belong to the signals named by a user.

#include <string>
#include <vector>

#include "torsor/cli/pages/gnuplot.hpp"

namespace torsor::cli {

// Returns all signal names that contain a column, from short to long. For "iiwa.q.wrist[2]" these
// are "iiwa", "iiwa.q", "iiwa.q.wrist" and "iiwa.q.wrist[2]".
std::vector<std::string> prefixes_of(const std::string& name);

// Returns true if the column `name` is the signal itself or a part of the signal.
bool belongs(const std::string& name, const std::string& signal);

// Returns the columns of the signals, in the order of the signals and without repetition. run: name
// of the recording for messages. Throws Error if the recording does not contain a signal.
std::vector<size_t> columns_of(const std::vector<std::string>& signals, const Recording& recording,
                               const std::string& run);

// Returns one panel per unit. The axis label is the common part of the column names. The labels of
// the curves are the remaining parts.
std::vector<Panel> panels_by_unit(const Recording& recording, const std::vector<size_t>& columns);

}  // namespace torsor::cli
