#pragma once
// NAME=VALUE on the command line.

#include <map>
#include <string>
#include <vector>

namespace torsor::cli {

// Throws Error where one is not NAME=VALUE or a name comes twice.
std::map<std::string, std::string> read_settings(const std::vector<std::string>& settings);

}  // namespace torsor::cli
