#pragma once
// Reads the recording that is an argument of a command.

#include "torsor/recording/recording.hpp"

namespace torsor::cli {

// Reads a recording and warns if it is not complete. Throws Error as read_recording.
Recording load_recording(const std::filesystem::path& path);

}  // namespace torsor::cli
