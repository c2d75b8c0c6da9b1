#pragma once
// Signals of recordings, as a user names them.

#include <string>
#include <vector>

#include "torsor/simulation/recording.hpp"

namespace torsor::cli {

// Where the parts of a column's name end: "iiwa.q.wrist[2]" is "iiwa", "iiwa.q", "iiwa.q.wrist" and itself.
std::vector<std::string> prefixes_of(const std::string& name);

// Whether a column is the signal, or a part of it.
bool belongs(const std::string& name, const std::string& signal);

// Columns of the signals, each once, in the order in which they are named. run: of the recording, for messages. Throws Error for a
// signal that is not there.
std::vector<size_t> columns_of(const std::vector<std::string>& signals, const Recording& recording,
                               const std::string& run);

}  // namespace torsor::cli
