#pragma once
// JSON from files: what a user wrote, or a recording that may be damaged.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace torsor {

// Parses JSON. Throws Error "NAME:LINE:COLUMN: ..." for text that is not JSON, and for numbers too
// large for double precision. Also throws Error for an object with a key twice, because one value
// would be lost.
nlohmann::json parse_json(const std::string& text, const std::string& name);

}  // namespace torsor
