#pragma once
// Opens, flushes and checks the standard streams, so that lost output is reported as an error.

#include <string>

namespace torsor::cli {

// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed. Otherwise a file that the
// program opens later, such as a recording, would get this descriptor, and messages would be
// written into the file. Descriptor 0 is opened for writing, 1 and 2 for reading. Reads and writes
// then still fail, so that lost output is reported. Must be the first call in main().
void open_standard_files() noexcept;

// Flushes the buffers. Throws Error if any output since the program start could not be written.
void flush_output();

// Returns the message "standard output cannot be written: WHY; what to do". error: an errno value.
std::string output_failure(int error);

}  // namespace torsor::cli
