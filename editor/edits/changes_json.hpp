#pragma once
// Reads the changes of a run in the JSON form that describe() writes into recordings and journals.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "torsor/run/timeline.hpp"

namespace torsor::editor {

// Reads changes. Throws an exception of the JSON library if they are malformed.
std::vector<Change> changes_of(const nlohmann::json& json);

}  // namespace torsor::editor
