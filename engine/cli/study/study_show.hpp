#pragma once
// torsor study show: prints and draws the statistics of a study.

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/study/table/study_layout.hpp"

namespace torsor::cli {

// Returns the indices of these outcomes, or of all if the list is empty. Throws Error for unknown
// names.
std::vector<size_t> selected_outcomes(const StudyLayout& layout,
                                      const std::vector<std::string>& selected);

struct ShowOptions {
  std::filesystem::path table;
  std::vector<std::string> outcomes = {};  // empty: all
  bool json = false;
  std::string plot = {}, picture = "histograms";
};

// Throws Error if the file is not a table of a study, or if it has no such outcome.
void show_study(const ShowOptions& options);

}  // namespace torsor::cli
