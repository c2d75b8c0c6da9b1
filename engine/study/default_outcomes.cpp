#include <fmt/format.h>

#include <limits>

#include "torsor/study/outcome.hpp"

namespace torsor {

namespace {

// Largest number of final coordinates that are outcomes by default.
constexpr int most_coordinates = 200;

}  // namespace

void prepare_default_outcomes(Experiment& experiment) {
  const Model& model = *experiment.model;
  experiment.compare.clear();
  experiment.record.clear();
  experiment.record_interval = experiment.duration;
  if (model.n_q + model.n_v <= most_coordinates)
    for (const Robot& robot : model.robots)
      for (const char* signal : {"q", "v"})
        experiment.record.push_back(fmt::format("{}.{}", robot.name, signal));
  if (!experiment.metrics && !experiment.load.controls.empty())
    experiment.metrics = MetricsOptions{};
}

std::vector<Outcome> default_outcomes(const FinishedRun& run) {
  std::vector<Outcome> out;
  if (run.run.metrics())
    for (const ControlMetrics& of : run.run.metrics()->result())
      for (const MetricValue& metric : metric_values(of.all))
        out.push_back({fmt::format("{}.{}.{}", of.robot, of.control, metric.name), metric.unit,
                       metric.value, true});
  out.push_back({"energy_error", "J", run.run.energy().error()});
  out.push_back({"relative_energy_error", "", run.run.energy().relative_error()});
  // The last row of a failed run is not that of its end.
  const bool has_end = run.failure.empty() && run.rows.size() > 0;
  for (size_t k = 1; k < run.rows.columns().size(); ++k) {
    const Column& column = run.rows.columns()[k];
    out.push_back({column.name, column.unit,
                   has_end ? run.rows.value(run.rows.size() - 1, k)
                           : std::numeric_limits<double>::quiet_NaN()});
  }
  return out;
}

}  // namespace torsor
