#pragma once
// Prints the output of `torsor plugins doctor`.

#include <filesystem>
#include <vector>

namespace torsor::cli {

// Prints all places where plugins are searched, and their files. given: the paths of --plugins.
// Throws CheckFailed if a file is rejected. Throws Error if a path does not exist.
void diagnose_plugins(const std::vector<std::filesystem::path>& given, bool json);

}  // namespace torsor::cli
