#pragma once
// Pictures of the outcomes of a study.

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/study/table/study_reader.hpp"

namespace torsor::cli {

// Kinds of pictures:
//   histograms  how often each value of an outcome occurs
//   scatter     each pair of parameters and outcomes, with a point for each sample
//   bands       the median and the quantiles of 5, 25, 75 and 95 % of each outcome over each
//               parameter
std::vector<std::string> picture_names();

// Draws the outcomes, indices in StudyLayout::outcomes. Throws Error if they or the parameters have
// no numbers that can be drawn, if there are too many, and under the same conditions as draw() of
// gnuplot.hpp.
void draw_study(const StudyReader& study, const std::vector<size_t>& outcomes,
                const std::string& picture, const std::filesystem::path& out);

}  // namespace torsor::cli
