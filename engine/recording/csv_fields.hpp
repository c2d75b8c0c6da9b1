#pragma once
// The fields of a line of CSV (RFC 4180).

#include <string>
#include <vector>

namespace torsor {

// Returns a text as a field: in double quotes if it contains a comma, a quote or a line break.
std::string csv_field(const std::string& text);

// Returns the fields of a line, without their quotes. Fields do not contain line breaks.
std::vector<std::string> csv_fields(const std::string& line);

}  // namespace torsor
