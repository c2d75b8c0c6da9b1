#pragma once
// Starts programs that are installed in the same folder as the running program.

#include <string>
#include <vector>

namespace torsor::cli {

// Replaces this process by another program from the same folder, with these arguments. Throws Error
// if the program cannot be started. remedy: the end of the message, which says what to do.
[[noreturn]] void run_beside(const std::string& program, const std::vector<std::string>& arguments,
                             const std::string& remedy);

}  // namespace torsor::cli
