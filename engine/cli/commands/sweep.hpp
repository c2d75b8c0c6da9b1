#pragma once
// Runs variants of a scene with different parameter values and compares their metrics.

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
  std::vector<std::string> settings = {};  // NAME=VALUE
  // NAME=VALUE,VALUE; if empty, the variants that the scene declares
  std::vector<std::string> vary = {};
  std::vector<std::filesystem::path> plugins = {};
  bool allow_plugins = false;  // --allow-plugins
  Permission permission = {};  // of the scene
  bool json = false;
  std::string plot = {};  // picture to write, or ""
  std::vector<std::string> signals = {};
};

// Returns the variations of the scene whose parameters are not fixed by the settings.
std::vector<Variation> open_variants(const Experiment& experiment,
                                     const std::vector<std::string>& settings);

// Runs every combination, each with a recording SCENE-NAME=VALUE, and prints a table. A variant
// that fails is a row with the reason. The other variants still run, and Error is thrown at the
// end. Throws Error for invalid options before any run.
void sweep(const SweepOptions& options);

}  // namespace torsor::cli
