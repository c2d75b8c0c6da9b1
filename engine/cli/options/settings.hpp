#pragma once
// Parses the NAME=VALUE settings of the command line.

#include <map>
#include <string>
#include <vector>

namespace torsor::cli {

// Parses settings and returns the values by name. Throws Error if a string is not NAME=VALUE, or if
// a name is repeated. option: the name of the option for the message.
std::map<std::string, std::string> read_settings(const std::vector<std::string>& settings,
                                                 const char* option = "--set");

}  // namespace torsor::cli
