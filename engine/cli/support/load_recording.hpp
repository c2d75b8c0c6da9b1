#pragma once
// Reads the recording that a command was given.

#include "torsor/recording/recording.hpp"

namespace torsor::cli {

// Reads a recording and warns if its run did not end. Throws Error as read_recording.
Recording load_recording(const std::filesystem::path& path);

}  // namespace torsor::cli
