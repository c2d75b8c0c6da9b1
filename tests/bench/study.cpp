#include "bench/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "torsor/scripting/study/study_scene.hpp"
#include "torsor/study/workers/sample_runner.hpp"

namespace torsor::bench {

namespace {

double processor_time_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

void run_with_checks(const Experiment& experiment) {
  Run run(experiment);
  const auto ignore = [](std::span<const double>) {};
  run.begin(ignore);
  while (!run.is_over()) run.advance(ignore);
}

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::vector<double> run_loop(const Experiment& experiment,
                             const std::optional<MetricsOptions>& options) {
  Player player(experiment);
  Simulation& simulation = player.simulation();
  std::optional<Metrics> metrics;
  if (options) metrics.emplace(*experiment.model, experiment.load, *options);
  const long long steps = step_count(experiment.duration, experiment.dt, "the duration");
  if (metrics) metrics->look(simulation);
  while (simulation.steps() < steps) {
    simulation.step();
    if (metrics) metrics->look(simulation);
  }
  const auto q = simulation.state().q();
  return {q.begin(), q.end()};
}

StudyTimes measure_study(const std::string& scene, int n, const Registry& plugins,
                         const Permission& permission) {
  const StudySceneLoader loader({.file = scene, .plugins = &plugins, .permission = permission});
  const auto load = [&](const StudySettings& values) { return loader.load(values); };
  const SampleRunner runner(load, {});
  StudyScene loaded = load({});
  if (!loaded.outcome) prepare_default_outcomes(loaded.experiment);
  const std::optional<MetricsOptions> metrics = loaded.experiment.metrics;
  Experiment bare = loaded.experiment;
  bare.metrics.reset();
  bare.record.clear();
  bare.record_interval = bare.duration;
  std::vector<double> loop, loop_with_metrics, checked, loading, sample;
  const auto time = [](std::vector<double>& out, const auto& work) {
    const double start = processor_time_ms();
    work();
    out.push_back(processor_time_ms() - start);
  };
  for (int k = 0; k < n; ++k) {
    time(loop, [&] { run_loop(bare, {}); });
    if (metrics) time(loop_with_metrics, [&] { run_loop(bare, metrics); });
    time(checked, [&] { run_with_checks(bare); });
    time(loading, [&] { (void)load({}); });
    time(sample, [&] {
      const SampleResult result = *runner.run({});
      if (result.status == SampleStatus::failed)
        throw Error(fmt::format("{}: {}", scene, result.message));
    });
  }
  StudyTimes out{.scene = scene, .loop = middle_of(loop), .sample = middle_of(sample)};
  out.loading = middle_of(loading);
  out.checks = middle_of(checked) - out.loop;
  if (metrics) out.metrics = middle_of(loop_with_metrics) - out.loop;
  return out;
}

std::string study_table(const std::vector<StudyTimes>& rows) {
  std::string out = fmt::format("{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>16}\n", "loop ms", "sample",
                                "loading", "checks", "metrics", "overhead", "without metrics");
  for (const StudyTimes& row : rows)
    out += fmt::format("{:>10.2f}{:>10.2f}{:>10.3f}{:>10.3f}{:>10.3f}{:>8.1f} %{:>14.1f} %  {}\n",
                       row.loop, row.sample, row.loading, row.checks, row.metrics,
                       100 * row.overhead(), 100 * row.overhead_without_metrics(), row.scene);
  out.pop_back();
  return out;
}

nlohmann::ordered_json study_json(const std::vector<StudyTimes>& rows) {
  auto scenes = nlohmann::ordered_json::array();
  for (const StudyTimes& row : rows)
    scenes.push_back({{"scene", row.scene},
                      {"loop_ms", row.loop},
                      {"sample_ms", row.sample},
                      {"loading_ms", row.loading},
                      {"checks_ms", row.checks},
                      {"metrics_ms", row.metrics}});
  return {{"studies", scenes}};
}

}  // namespace torsor::bench
