// Runs a tuning for the command line: makes or continues its table, runs the searches, and shows
// the progress.

#include <fmt/format.h>

#include "torsor/base/text.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/cli/study/study_summary.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/progress.hpp"
#include "torsor/cli/tune/tune_options.hpp"
#include "torsor/cli/tune/tune_picture.hpp"
#include "torsor/cli/tune/tune_summary.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/scripting/study/scene_tuning.hpp"

namespace torsor::cli {

namespace {

TuningRequest tuning_request(const TuneOptions& options) {
  if (options.minimise.empty() == options.maximise.empty())
    throw Error(
        "tune: give one outcome of the scene, as in --minimise cost or --maximise distance");
  TuningRequest out = options.request;
  out.maximise = options.minimise.empty();
  out.outcome = out.maximise ? options.maximise : options.minimise;
  return out;
}

class TuneProgress {
 public:
  explicit TuneProgress(const TuningSpace& space) : space_(space) {}
  void show(const TuningProgress& now) {
    if (!progress_.due()) return;
    std::string text = fmt::format("{} of at most {} points", now.points, space_.points());
    if (now.best) text += fmt::format("  best {:.6g}", *now.best);
    if (now.samples > 0)
      text += fmt::format("  {:.3g} samples/s", double(now.samples) / progress_.wall());
    if (now.failed > 0) text += fmt::format("  {} not done", now.failed);
    progress_.show(double(now.points) / double(space_.points()), text);
  }
  // Removes the line, and prints the time and the rate.
  void end(const TuningProgress& now, unsigned jobs) {
    const double wall = progress_.wall();
    progress_.clear();
    fmt::print("wall time    {:.3f} s, {:.3g} samples/s on {}\n", wall, double(now.samples) / wall,
               counted(jobs, "worker"));
  }

 private:
  Progress progress_;
  const TuningSpace& space_;
};

// Runs the searches. At most one sample of each point of each search is run at a time.
TuningResult run_searches(const TuneOptions& options, const SceneTuning& scene, StudyTable& table,
                          const std::filesystem::path& path) {
  const TuningSpace& space = scene.space();
  std::atomic<bool> stop = false;
  Tuning tuning(space, table, StudyReader(path));
  const StudySamples samples{tuning, table.layout(), options.scene.scene, path.string()};
  TuneProgress progress(space);
  WorkersRequest request;
  request.jobs = unsigned(
      std::min<uint64_t>(jobs_of(options.table), space.searches() * space.request().samples));
  request.make_worker = scene.scene().workers(samples, stop);
  request.stop = &stop;
  request.watch = [&] {
    if (was_interrupted()) stop = true;
    progress.show(tuning.progress());
  };
  request.watch_interval = std::chrono::milliseconds(10);
  TuningResult result = tuning.run(samples, request);
  table.finish();
  progress.end(tuning.progress(), request.jobs);
  return result;
}

}  // namespace

void run_tune(const TuneOptions& options) {
  const ActivityScope loads({.subject = options.scene.scene.c_str()});
  const TuningRequest goal = tuning_request(options);
  if (!options.plot.empty()) require_picture("--plot", options.plot);
  const Registry registry = require_plugins(options.scene.plugins);
  require_solver(registry, options.scene.run.solver);
  const std::filesystem::path path = table_path(
      options.table, std::filesystem::path(options.scene.scene).stem().string() + "-tune.h5");
  const SceneTuning scene(scene_request(options.scene, registry, options.table.limit), goal);
  const Interruptible interruptible;
  StudyTable table = open_table(
      options.table, path, [&] { return scene.continued(path); },
      [&] { return scene.make_layout(); });
  const TuningResult result = run_searches(options, scene, table, path);
  print_study_totals(StudyReader(path), options.scene.scene, path.string());
  const TunedScene tuned{scene.space(), table.layout(), result, options.scene.scene, path.string()};
  print_tuning(tuned);
  if (result.was_interrupted)
    throw Interrupted("interrupted; the results are kept, and --resume continues the searches");
  if (!result.best_point())
    throw CheckFailed("every point has a sample that failed or has no such outcome");
  if (options.plot.empty()) return;
  draw_tuning(tuned, options.plot);
  fmt::print("picture      {}\n", options.plot);
}

}  // namespace torsor::cli
