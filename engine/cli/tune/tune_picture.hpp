#pragma once
// The picture of a tuning: the objective and the parameters of each point of each search.

#include <filesystem>

#include "torsor/cli/tune/tune_summary.hpp"

namespace torsor::cli {

// Draws the objectives of the points and the best one so far of each search over the number of the
// point, and below it a panel for each parameter that is tuned. Throws Error under the same
// conditions as draw() of gnuplot.hpp.
void draw_tuning(const TunedScene& tuned, const std::filesystem::path& out);

}  // namespace torsor::cli
