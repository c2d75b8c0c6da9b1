// Runs a study for the command line: makes or continues its table, runs the samples, and shows the
// progress.

#include <fmt/format.h>

#include <thread>

#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/study/keep_recordings.hpp"
#include "torsor/cli/study/study_options.hpp"
#include "torsor/cli/study/study_request.hpp"
#include "torsor/cli/study/study_scene.hpp"
#include "torsor/cli/study/study_summary.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/progress.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/study/study_description.hpp"
#include "torsor/study/workers.hpp"

namespace torsor::cli {

namespace {

// Returns the columns of the outcomes, from a run with nominal values.
std::vector<StudyColumn> outcome_columns(const StudySceneLoader& loader, double limit) {
  const SampleRunner runner([&](const StudySettings& values) { return loader.load(values, limit); },
                            {.seconds = limit, .stop = &interruption()});
  const std::optional<SampleResult> nominal = runner.run({});
  if (!nominal) throw Interrupted("interrupted in the nominal run, before the first sample");
  if (nominal->outcomes.empty())
    throw Error(fmt::format(
        "the nominal run, which determines the names of the outcomes, failed: {}; give parameters "
        "nominal values that work, or let outcome(run) handle run:failure()",
        nominal->message));
  std::vector<StudyColumn> out;
  for (const auto& outcome : nominal->outcomes) out.push_back({outcome.name, outcome.unit});
  return out;
}

StudyTable continued_table(const std::filesystem::path& path, const std::string& description,
                           const Shard& shard) {
  StudyTable table = StudyTable::open(path);
  std::string why = study_difference(table.layout().description, description);
  if (why.empty() && table.layout().shard != shard)
    why = fmt::format("it has shard {} of {}", table.layout().shard.index + 1,
                      table.layout().shard.count);
  if (!why.empty())
    throw Error(fmt::format("'{}' cannot be continued: {}; write to another file with --out",
                            path.string(), why));
  return table;
}

StudyTable table_of(const StudyOptions& options, const std::filesystem::path& path,
                    const StudySceneLoader& loader, const Plan& plan, StudyLayout layout) {
  const bool exists = std::filesystem::exists(path);
  if (exists && options.resume) return continued_table(path, layout.description, layout.shard);
  if (exists && !options.replace)
    throw Error(fmt::format(
        "'{}' exists: continue it with --resume, replace it with --replace, or write to another "
        "file with --out",
        path.string()));
  for (const PlanColumn& column : plan.columns())
    layout.parameters.push_back({column.name, column.unit, column.labels});
  layout.outcomes = outcome_columns(loader, options.limit);
  study_keep(options, layout.outcomes);  // throws Error before the file is created
  return StudyTable::create(path, layout);
}

// Returns a span of time as text: "41 s", "3:07", "2:30:00".
std::string span_text(double seconds) {
  const auto s = (long long)(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

class StudyProgress {
 public:
  // rows: of the table. before: those that had results at the start.
  StudyProgress(uint64_t rows, uint64_t before) : rows_(rows), before_(before) {}
  void show(const StatusCounts& counts) {
    if (!progress_.due()) return;
    uint64_t done = 0;
    for (const uint64_t count : counts) done += count;
    const double rate = double(done) / progress_.wall();
    const uint64_t left = rows_ - before_ - done,
                   failed = done - counts[size_t(SampleStatus::done)];
    std::string text = fmt::format("{} of {}", before_ + done, rows_);
    if (done > 0)
      text += fmt::format("  {:.3g} samples/s  {} left", rate, span_text(double(left) / rate));
    if (failed > 0) text += fmt::format("  {} not done", failed);
    progress_.show(double(before_ + done) / double(rows_), text);
  }
  double wall() const { return progress_.wall(); }
  void clear() { progress_.clear(); }

 private:
  Progress progress_;
  uint64_t rows_, before_;
};

unsigned jobs_of(const StudyOptions& options, uint64_t rows) {
  const unsigned jobs =
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  return unsigned(std::min<uint64_t>(jobs, std::max<uint64_t>(rows, 1)));
}

// Runs the samples that have no result. Returns the number of new results.
uint64_t run_table(StudyTable& table, const std::filesystem::path& path,
                   const StudyOptions& options, const Plan& plan, const StudySceneLoader& loader) {
  uint64_t before = 0;
  for (uint64_t row = 0; row < table.layout().rows(); ++row) before += table.has(row);
  std::atomic<bool> stop = false;
  WorkersRequest request;
  request.jobs = jobs_of(options, table.layout().rows() - before);
  request.stop = &stop;
  request.subject = options.scene;
  request.table = path.string();
  request.make_runner = [&] {
    return SampleRunner(
        [&](const StudySettings& values) { return loader.load(values, options.limit); },
        {.seconds = options.limit, .stop = &stop});
  };
  StudyProgress progress(table.layout().rows(), before);
  const StatusCounts counts = run_samples(table, plan, request, [&](const StatusCounts& now) {
    if (was_interrupted()) stop = true;
    progress.show(now);
  });
  table.finish();
  const double wall = progress.wall();
  progress.clear();
  uint64_t done = 0;
  for (const uint64_t count : counts) done += count;
  fmt::print("wall time    {:.3f} s, {:.3g} samples/s on {}\n", wall, double(done) / wall,
             counted(request.jobs, "worker"));
  return before + done;
}

}  // namespace

void run_study(const StudyOptions& options) {
  const ActivityScope loads({.subject = options.scene.c_str()});
  PlanRequest request = plan_request(options);
  const Shard shard = study_shard(options.shard);
  const std::filesystem::path path = study_path(options, shard);
  const Registry registry = require_plugins(options.plugins);
  require_solver(registry, options.run.solver);
  const StudySettings set = read_settings(options.settings);
  const StudySceneLoader loader(options.scene, set, options.run, registry, options.permission);
  std::vector<std::filesystem::path> files;
  const StudyScene scene = loader.load_nominal(files);
  const Plan plan(scene.parameters, request);
  StudyLayout layout;
  layout.samples = plan.samples();
  layout.shard = shard;
  layout.description = describe_study({.scene = options.scene,
                                       .files = files,
                                       .plugins = scene.experiment.plugins.get(),
                                       .settings = study_settings(set, options.run)},
                                      scene.parameters, request, plan.axes());
  if (layout.rows() == 0)
    throw Error(fmt::format("--shard {}: the study has only {}", options.shard,
                            counted(layout.samples, "sample")));
  const Interruptible interruptible;
  StudyTable table = table_of(options, path, loader, plan, layout);
  const Keep keep = study_keep(options, table.layout().outcomes);
  const uint64_t done = run_table(table, path, options, plan, loader);
  const StudyReader results(path);
  print_study_summary(results, options.scene, path.string());
  if (done < table.layout().rows())
    throw Interrupted(fmt::format("interrupted; {} of {} are kept, and --resume continues", done,
                                  counted(table.layout().rows(), "sample")));
  keep_recordings(keep, results, plan, options, loader);
}

}  // namespace torsor::cli
