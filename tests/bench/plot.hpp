#pragma once
// Cost against the number of bodies, as an SVG picture.

#include "bench/measure.hpp"

namespace torsor::bench {

// One panel for each quantity, logarithmic both ways, with one line for each solver and library
// over the generated chains (total time), or over the trees where there are no chains. Throws Error
// where nothing was measured on either.
std::string plot(const std::vector<Result>& results);

}  // namespace torsor::bench
