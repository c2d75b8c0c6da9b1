#pragma once
// Results for other programs.

#include <nlohmann/json.hpp>

#include "bench/growth.hpp"

namespace torsor::bench {

// Everything that was measured, what was not and why, and the build and machine it was measured
// with; nothing that changes from one run to the next but the times.
nlohmann::ordered_json json(const std::vector<Result>& results, const Settings& settings);

}  // namespace torsor::bench
