#pragma once
// Runs a scene with different parameter values (variants) and compares the metrics.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "torsor/cli/options/run_settings.hpp"
#include "torsor/host/trust.hpp"

namespace torsor::cli {

struct SweepOptions {
  std::string scene;
  std::filesystem::path out = "recordings";
  std::string format = "h5";
  RunSettings run = {};
  std::vector<std::string> settings = {};  // NAME=VALUE settings of --set
  // NAME=VALUE,VALUE settings of --vary. Empty: the variants that the scene declares.
  std::vector<std::string> vary = {};
  std::vector<std::filesystem::path> plugins = {};
  bool allow_plugins = false;  // value of --allow-plugins
  Permission permission = {};  // permission for the scene
  bool json = false;
  std::string plot = {};  // picture file to write, or ""
  std::vector<std::string> signals = {};
};

// Returns the variations declared by the scene, without those whose parameter is set by
// `settings`.
std::vector<Variation> open_variants(const Experiment& experiment,
                                     const std::vector<std::string>& settings);

// Runs every combination of values and prints a table of the metrics. Writes one recording
// SCENE-NAME=VALUE for each combination. If a run fails, its row contains the reason and the other
// variants still run. Throws Error at the end if a run has failed. Throws Error before the first
// run if an option is invalid.
void sweep(const SweepOptions& options);

}  // namespace torsor::cli
