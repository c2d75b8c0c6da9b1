#pragma once
// Opens, flushes and checks the standard streams of the programs, so that lost output is reported.

#include <string>

namespace torsor::cli {

// Opens /dev/null for each of the descriptors 0, 1 and 2 that the caller has closed. Otherwise the
// next file that the program opens, such as a recording, would get the descriptor, and messages
// would be written into the file.
// Opens 0 for writing, and 1 and 2 for reading, so that lost output is still reported. Must be
// called first in main().
void open_standard_files() noexcept;

// Flushes buffered output. Throws Error if any output since the start could not be written.
void flush_output();

// Returns "standard output cannot be written: WHY; what to do" for an errno.
std::string output_failure(int error);

}  // namespace torsor::cli
