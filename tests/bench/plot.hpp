#pragma once
// Draws cost against the number of bodies as an SVG picture.

#include "bench/measure.hpp"

namespace torsor::bench {

// Returns a picture with one panel for each quantity, on logarithmic axes. It has one line for each
// solver and library: the total times for the generated chains, or for the trees if no chain was
// measured. Throws Error if neither was measured.
std::string plot(const std::vector<Result>& results);

// Returns an SVG text. anchor: start, middle or end. more: further attributes.
std::string svg_label(double x, double y, const char* anchor, const std::string& text,
                      const char* more = "");
// Returns a colour of a series that people with colour blindness can distinguish from the others.
const char* svg_colour(size_t series);

}  // namespace torsor::bench
