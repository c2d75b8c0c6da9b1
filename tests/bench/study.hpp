#pragma once
// Measures the overhead of a study: the time of a sample next to a loop in C++ over Simulation.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "torsor/host/registry.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::bench {

// Processor times of one sample with the nominal values of the parameters, ms.
struct StudyTimes {
  std::string scene;
  // The loop: creates a simulation of an experiment that is already loaded, and makes its steps.
  // Without checks, recorded rows and outcomes.
  double loop = 0;
  // The sample of a study: loads the scene, runs it with its checks, records rows, and computes the
  // outcomes.
  double sample = 0;
  // Parts of the difference: loading the scene; the checks of limits, energy and resolution;
  // metrics of the controls, or 0 if the scene has none.
  double loading = 0, checks = 0, metrics = 0;

  // Return sample / loop - 1, and the same for a loop that computes the same metrics.
  double overhead() const { return sample / loop - 1; }
  double overhead_without_metrics() const { return sample / (loop + metrics) - 1; }
};

// Runs an experiment by Simulation alone, and returns q at its end, [n_q]. options: computes the
// metrics of its controls, too.
std::vector<double> run_loop(const Experiment& experiment,
                             const std::optional<MetricsOptions>& options = {});

// Measures each part n times in turn. Times are medians. Throws Error if the scene cannot be loaded
// or its run fails.
StudyTimes measure_study(const std::string& scene, int n, const Registry& plugins,
                         const Permission& permission);

// Return a table of times, as text and as JSON.
std::string study_table(const std::vector<StudyTimes>& rows);
nlohmann::ordered_json study_json(const std::vector<StudyTimes>& rows);

}  // namespace torsor::bench
