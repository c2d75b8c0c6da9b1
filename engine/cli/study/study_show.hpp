#pragma once
// torsor study show: prints and draws the statistics of a study.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::cli {

struct ShowOptions {
  std::filesystem::path table;
  std::vector<std::string> outcomes = {};  // empty: all
  bool json = false;
  std::string plot = {}, picture = "histograms";
};

// Throws Error if the file is not a table of a study, or if it has no such outcome.
void show_study(const ShowOptions& options);

}  // namespace torsor::cli
