#pragma once
// The options of `torsor study`.

#include <string>
#include <vector>

#include "torsor/cli/study/table_options.hpp"

namespace torsor::cli {

struct StudyOptions {
  SceneOptions scene;
  TableOptions table = {};
  uint64_t samples = 0;  // 0: not given
  std::vector<std::string> grid = {};
  std::string from = {}, design = "random";
  uint64_t seed = 0;
  std::string shard = {}, keep = "none", by = {};
};

class StudyRanks;

// Runs a study. ranks: the other processes, or null. Throws Error for invalid options, before the
// first sample.
void run_study(const StudyOptions& options, StudyRanks* ranks);

}  // namespace torsor::cli
