#pragma once
// The columns of a recording as JSON.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "torsor/signals/recorder.hpp"

namespace torsor {

// Returns a list of objects with the name, the unit and, if the column has one, the frame of each
// column.
nlohmann::ordered_json describe(const std::vector<Column>& columns);

}  // namespace torsor
