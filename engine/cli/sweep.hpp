#pragma once
// Variants of a scene, which differ in values of its parameters, run one after the other and compared by their metrics.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "torsor/simulation/experiment.hpp"

namespace torsor::cli {

struct SweepOptions {
  std::string scene;
  std::filesystem::path out = "recordings";
  std::string format = "h5";
  std::optional<std::string> solver = {};
  std::vector<std::string> settings = {};  // NAME=VALUE
  std::vector<std::string> vary = {};      // NAME=VALUE,VALUE; none: the variants that the scene declares
  std::vector<std::filesystem::path> plugins = {};
  std::optional<double> duration = {};
  bool json = false;
  std::string plot = {};  // file to write; "": none
  std::vector<std::string> signals = {};
};

// What the scene declares and the settings leave open.
std::vector<Variation> open_variants(const Experiment& experiment, const std::vector<std::string>& settings);

// Runs every combination, each with a recording SCENE-NAME=VALUE, and prints a table. Where one cannot be made or run, its row says
// why, the others run, and in the end it throws Error; also for options that cannot be, before anything runs.
void sweep(const SweepOptions& options);

}  // namespace torsor::cli
