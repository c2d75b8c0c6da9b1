#pragma once
// Finds the columns of recordings that belong to signals named by the user.

#include <string>
#include <vector>

#include "torsor/cli/pages/gnuplot.hpp"

namespace torsor::cli {

// Returns the names that a column belongs to. For "iiwa.q.wrist[2]" these are "iiwa", "iiwa.q",
// "iiwa.q.wrist" and the name itself.
std::vector<std::string> prefixes_of(const std::string& name);

// Returns whether a column is the signal or a part of it.
bool belongs(const std::string& name, const std::string& signal);

// Returns the columns of the signals without repetition, in the order of the signals. run: name of
// the recording in messages. Throws Error for a signal that the recording lacks.
std::vector<size_t> columns_of(const std::vector<std::string>& signals, const Recording& recording,
                               const std::string& run);

// Returns one panel per unit. The axis shows the common part of the curves' names, and the labels
// show the rest.
std::vector<Panel> panels_by_unit(const Recording& recording, const std::vector<size_t>& columns);

}  // namespace torsor::cli
