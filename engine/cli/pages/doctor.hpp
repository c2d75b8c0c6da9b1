#pragma once
// The output of `torsor plugins doctor`.

#include <filesystem>
#include <vector>

namespace torsor::cli {

// Prints all search places and their files. given: the paths of --plugins. Throws CheckFailed if a
// file is rejected, and Error for a path that does not exist.
void diagnose_plugins(const std::vector<std::filesystem::path>& given, bool json);

}  // namespace torsor::cli
