#pragma once
// Parses NAME=VALUE settings of the command line.

#include <map>
#include <string>
#include <vector>

namespace torsor::cli {

// Returns the values by name. Throws Error for a string that is not NAME=VALUE and for a repeated
// name. option: the name of the option in the message.
std::map<std::string, std::string> read_settings(const std::vector<std::string>& settings,
                                                 const char* option = "--set");

}  // namespace torsor::cli
