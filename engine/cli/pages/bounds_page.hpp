#pragma once
// The output of `torsor inspect --bounds`.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "torsor/analysis/bounds.hpp"

namespace torsor::cli {

std::string bounds_text(const DynamicsBounds& of);
nlohmann::ordered_json bounds_json(const DynamicsBounds& of);

}  // namespace torsor::cli
