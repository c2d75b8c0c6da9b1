#pragma once
// An SVG picture of cost against the number of bodies.

#include "bench/measure.hpp"

namespace torsor::bench {

// Returns a picture with one panel for each quantity, on logarithmic axes. It has one line for each
// solver and library over the generated chains (total time), or over the trees if there are no
// chains. Throws Error if neither was measured.
std::string plot(const std::vector<Result>& results);

}  // namespace torsor::bench
