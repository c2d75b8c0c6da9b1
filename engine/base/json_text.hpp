#pragma once
// JSON from files that a user wrote, or from recordings that may be damaged.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace torsor {

// Parses JSON. Throws Error "NAME:LINE:COLUMN: ..." for text that is not JSON, and for numbers too
// large for double precision. Throws Error "NAME: ..." for an object with a repeated key, because a
// value would be lost, and for very deep nesting.
nlohmann::json parse_json(const std::string& text, const std::string& name);

}  // namespace torsor
