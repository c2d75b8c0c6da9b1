#pragma once
// Draws the times of Torsor relative to those of other libraries as an SVG picture.

#include "bench/measure.hpp"

namespace torsor::bench {

// Returns a picture of bars: for each quantity and robot, the shortest time of Torsor divided by
// that of the fastest library. Throws Error if no library was measured.
std::string ratio_plot(const std::vector<Result>& results);

}  // namespace torsor::bench
