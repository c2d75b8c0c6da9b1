#pragma once
// Results as text.

#include "bench/measure.hpp"

namespace torsor::bench {

// One robot's: a row for each quantity, a column for each solver and library, and notes on what is not there.
std::string table(const Result& result);

}  // namespace torsor::bench
