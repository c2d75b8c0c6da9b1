#pragma once
// Reads the recording given as an argument of a command.

#include "torsor/recording/recording.hpp"

namespace torsor::cli {

// Reads a recording. Prints a warning if the recording is not complete. Throws the same errors as
// read_recording().
Recording load_recording(const std::filesystem::path& path);

}  // namespace torsor::cli
