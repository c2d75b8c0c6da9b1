#pragma once
// Columns of recordings as JSON.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "torsor/signals/recorder.hpp"

namespace torsor {

// Returns a list of objects with the name, unit and, where there is one, frame of each column.
nlohmann::ordered_json describe(const std::vector<Column>& columns);

}  // namespace torsor
