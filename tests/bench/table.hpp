#pragma once
// Prints results as text tables.

#include "bench/growth.hpp"

namespace torsor::bench {

// Returns lines of cells as text. The first column is left-aligned, the others are right-aligned.
std::string aligned(const std::vector<std::vector<std::string>>& lines);

// Returns the table of one robot: a row for each quantity, a column for each solver and library,
// and notes on missing cells.
std::string table(const Result& result);
// Returns a table of the exponents of growth, with a row for each quantity and a column for each
// solver and library. Returns "" if no growth was fitted.
std::string growth_table(const std::vector<Result>& results);

}  // namespace torsor::bench
