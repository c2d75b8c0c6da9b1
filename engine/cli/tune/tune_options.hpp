#pragma once
// The options of `torsor tune`.

#include "torsor/cli/study/table_options.hpp"
#include "torsor/study/tuning/tuning_request.hpp"

namespace torsor::cli {

struct TuneOptions {
  SceneOptions scene;
  TableOptions table = {};
  std::string minimise = {}, maximise = {};  // names of outcomes; one is given
  TuningRequest request = {};                // without the outcome
  std::string plot = {};
};

// Tunes parameters. Throws Error for invalid options, before the first sample.
void run_tune(const TuneOptions& options);

}  // namespace torsor::cli
