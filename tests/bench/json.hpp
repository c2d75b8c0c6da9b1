#pragma once
// Writes results in JSON, for other programs.

#include <nlohmann/json.hpp>

#include "bench/growth.hpp"

namespace torsor::bench {

// Returns a description of the build, the machine and the libraries.
nlohmann::ordered_json facts();

// Returns all measurements, the reasons for missing ones, and a description of the build and the
// machine. In a second run only the times differ.
nlohmann::ordered_json json(const std::vector<Result>& results, const Settings& settings);

}  // namespace torsor::bench
