#pragma once
// Results as text.

#include "bench/growth.hpp"

namespace torsor::bench {

// One robot's: a row for each quantity, a column for each solver and library, and notes on what is
// not there.
std::string table(const Result& result);
// A row for each quantity, a column for each solver and library; "" where nothing was fitted.
std::string growth_table(const std::vector<Result>& results);

}  // namespace torsor::bench
