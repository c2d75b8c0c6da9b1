#pragma once
// Results as text tables.

#include "bench/growth.hpp"

namespace torsor::bench {

// Returns the table of one robot: a row for each quantity, a column for each solver and library,
// and notes on missing cells.
std::string table(const Result& result);
// Returns a table with a row for each quantity and a column for each solver and library, or "" if
// nothing was fitted.
std::string growth_table(const std::vector<Result>& results);

}  // namespace torsor::bench
