#pragma once
// The columns of a recording as JSON.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "torsor/signals/column.hpp"

namespace torsor {

// Returns a list with one object per column. Each object has the name and the unit, and the frame
// if the column has one.
nlohmann::ordered_json describe(const std::vector<Column>& columns);

}  // namespace torsor
