#pragma once
// What is installed beside this program: others of bin/, and the files of share/torsor/.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::cli {

// Runs a program that stands beside this one, in its place, with these arguments: what it needs, no other command does. Throws Error,
// which ends with the remedy, where it is not there.
[[noreturn]] void run_beside(const std::string& program, const std::vector<std::string>& arguments,
                             const std::string& remedy);

// The folder that this program was installed in (as /usr) or built in, above bin/.
std::filesystem::path prefix();

}  // namespace torsor::cli
