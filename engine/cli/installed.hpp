#pragma once
// Programs that are installed beside this one.

#include <string>
#include <vector>

namespace torsor::cli {

// Runs a program that stands beside this one, in its place, with these arguments: what it needs, no other command does. Throws Error,
// which ends with the remedy, where it is not there.
[[noreturn]] void run_beside(const std::string& program, const std::vector<std::string>& arguments,
                             const std::string& remedy);

}  // namespace torsor::cli
