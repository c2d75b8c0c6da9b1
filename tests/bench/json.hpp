#pragma once
// Results in JSON for other programs.

#include <nlohmann/json.hpp>

#include "bench/growth.hpp"

namespace torsor::bench {

// Returns all measurements, the reasons for missing ones, the build and the machine. Only the times
// differ between two runs.
nlohmann::ordered_json json(const std::vector<Result>& results, const Settings& settings);

}  // namespace torsor::bench
