#include "editor/session/recording_job.hpp"

#include <fmt/format.h>

#include "editor/session/scene.hpp"
#include "torsor/run/recorded_run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::editor {

void RecordingJob::start(const Scene& scene, std::vector<Change> changes, long long steps,
                         std::filesystem::path file) {
  stop_ = done_ = false;
  progress_ = 0;
  thread_ = start_plugin_thread(
      [this, scene, changes = std::move(changes), steps, file = std::move(file)] {
        try {
          result_ = record(scene, changes, steps, file);
        } catch (const std::exception& error) {
          result_ = {Problem::Kind::error, error.what()};
        }
        done_ = true;
      });
}

Problem RecordingJob::record(const Scene& scene, const std::vector<Change>& changes,
                             long long steps, const std::filesystem::path& file) {
  Experiment experiment = scene.experiment;
  if (steps != scene.steps) experiment.duration = double(steps) * experiment.dt;
  experiment.changes = changes;
  if (!experiment.state.empty()) {  // saved before the edits at its step: apply them
    Player start(experiment);
    start.apply(changes);
    experiment.state = start.simulation().save();
  }
  RecordedRun run = recorded_run(std::move(experiment), scene.file, file, scene.rebuilt);
  run.set_stop([this] { return bool(stop_); });
  const bool whole = run.execute([&](const Simulation& simulation) {
    progress_ = double(simulation.steps()) / double(steps);
    return !stop_;
  });
  return {whole ? Problem::Kind::note : Problem::Kind::warning,
          fmt::format("{}: recording {}", run.recording().string(),
                      whole ? "saved" : "stopped; it ends there")};
}

std::optional<Problem> RecordingJob::take() {
  if (!thread_.joinable() || !done_) return std::nullopt;
  thread_.join();
  return std::move(result_);
}

}  // namespace torsor::editor
