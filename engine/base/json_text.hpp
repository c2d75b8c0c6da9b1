#pragma once
// JSON from files: what a user wrote, or a recording that may be damaged.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace torsor {

// Parses JSON. Throws Error "NAME:LINE:COLUMN: ..." for text that is not JSON, for an object that
// has a key twice, of which one would be lost, and for numbers that double precision cannot hold.
nlohmann::json parse_json(const std::string& text, const std::string& name);

}  // namespace torsor
