#pragma once
// What torsor plugins doctor prints.

#include <filesystem>
#include <vector>

namespace torsor::cli {

// given: the paths of --plugins. Throws CheckFailed where a file is refused.
void diagnose_plugins(const std::vector<std::filesystem::path>& given, bool json);

}  // namespace torsor::cli
