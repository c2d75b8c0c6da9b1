#pragma once
// The options of `torsor study`.

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "torsor/cli/options/run_settings.hpp"
#include "torsor/host/trust.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

struct StudyOptions {
  std::string scene;
  uint64_t samples = 0;  // 0: not given
  std::vector<std::string> grid = {};
  std::string from = {}, design = "random";
  uint64_t seed = 0;
  unsigned jobs = 0;  // 0: one for each core
  std::string shard = {}, out = {}, keep = "none", by = {};
  double limit = std::numeric_limits<double>::infinity();  // s
  bool resume = false, replace = false;
  std::filesystem::path folder = "recordings";
  RunSettings run = {};
  std::vector<std::string> settings = {};  // NAME=VALUE settings of --set
  std::vector<std::filesystem::path> plugins = {};
  bool allow_plugins = false;
  Permission permission = {};
};

class StudyRanks;

// Runs a study. ranks: the other processes, or null. Throws Error for invalid options, before the
// first sample.
void run_study(const StudyOptions& options, StudyRanks* ranks);

}  // namespace torsor::cli
