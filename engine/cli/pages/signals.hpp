#pragma once
// Signals of recordings, as a user names them.

#include <string>
#include <vector>

#include "torsor/cli/pages/gnuplot.hpp"

namespace torsor::cli {

// Returns the names that a column belongs to: "iiwa.q.wrist[2]" gives "iiwa", "iiwa.q",
// "iiwa.q.wrist" and itself.
std::vector<std::string> prefixes_of(const std::string& name);

// Returns whether a column is the signal or a part of it.
bool belongs(const std::string& name, const std::string& signal);

// Returns the columns of the signals, each once, in the order of the signals. run: name of the
// recording for messages. Throws Error for a signal that the recording does not have.
std::vector<size_t> columns_of(const std::vector<std::string>& signals, const Recording& recording,
                               const std::string& run);

// Returns a panel for each unit. The axis shows the common part of the curves' names, and their
// labels the rest.
std::vector<Panel> panels_by_unit(const Recording& recording, const std::vector<size_t>& columns);

}  // namespace torsor::cli
