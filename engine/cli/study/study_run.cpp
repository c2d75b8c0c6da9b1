// Runs a study for the command line: makes or continues its table, runs the samples, and shows the
// progress.

#include <fmt/format.h>

#include <numeric>

#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/study/keep_recordings.hpp"
#include "torsor/cli/study/study_options.hpp"
#include "torsor/cli/study/study_progress.hpp"
#include "torsor/cli/study/study_ranks.hpp"
#include "torsor/cli/study/study_request.hpp"
#include "torsor/cli/study/study_summary.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor::cli {

namespace {

uint64_t total(const StatusCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
}

// Returns the number of workers of this process. MPI starts a process for each core.
unsigned jobs_of(const StudyOptions& options, const StudyRanks* ranks) {
  return ranks && options.table.jobs == 0 ? 1 : jobs_of(options.table);
}

// Ends the other ranks, also if an Error ends the study.
class RanksScope {
 public:
  RanksScope(StudyRanks* ranks, const StudyLayout& layout) : ranks_(ranks) {
    if (ranks_) ranks_->start(layout);
  }
  ~RanksScope() {
    if (ranks_) ranks_->finish();
  }
  RanksScope(const RanksScope&) = delete;

 private:
  StudyRanks* ranks_;
};

// Runs the samples that have no result. Returns the number of all results.
uint64_t run_table(StudyTable& table, const std::filesystem::path& path,
                   const StudyOptions& options, const SceneStudy& study, StudyRanks* ranks) {
  uint64_t before = 0;
  for (uint64_t row = 0; row < table.layout().rows(); ++row) before += table.has(row);
  std::atomic<bool> stop = false;
  TableQueue queue(table, stop);
  const StudySamples samples{study.plan(), table.layout(), options.scene.scene, path.string()};
  StudyProgress progress(table.layout().rows(), before);
  WorkersRequest request;
  request.jobs = unsigned(std::min<uint64_t>(
      jobs_of(options, ranks), std::max<uint64_t>(table.layout().rows() - before, 1)));
  request.make_worker = study.workers(samples, stop);
  request.stop = &stop;
  request.watch = [&] {
    if (was_interrupted()) stop = true;
    if (ranks) ranks->serve(queue);
    const StatusCounts counts = queue.counts();
    const uint64_t done = total(counts);
    progress.show(done, done - counts[size_t(SampleStatus::done)]);
  };
  if (ranks) request.watch_interval = std::chrono::milliseconds(1);
  {
    const RanksScope others(ranks, table.layout());
    run_samples(queue, samples, request);
  }
  table.finish();
  const double wall = progress.wall();
  progress.clear();
  const uint64_t done = total(queue.counts());
  fmt::print("wall time    {:.3f} s, {:.3g} samples/s on {}\n", wall, double(done) / wall,
             ranks ? counted(size_t(ranks->count()), "rank") : counted(request.jobs, "worker"));
  return before + done;
}

SceneStudyRequest study_request(const StudyOptions& options, const Registry& registry) {
  StudiedSceneRequest scene = scene_request(options.scene, registry, options.table.limit);
  return {.scene = std::move(scene.scene),
          .options = std::move(scene.options),
          .plan = plan_request(options),
          .shard = study_shard(options.shard),
          .limit = scene.limit};
}

}  // namespace

void run_study(const StudyOptions& options, StudyRanks* ranks) {
  const ActivityScope loads({.subject = options.scene.scene.c_str()});
  const Registry registry = require_plugins(options.scene.plugins);
  require_solver(registry, options.scene.run.solver);
  const SceneStudyRequest request = study_request(options, registry);
  const std::filesystem::path path = study_path(options, request.shard);
  if (ranks && ranks->rank() > 0) {
    const Interruptible interruptible;
    return ranks->work([&] { return SceneStudy(request); }, jobs_of(options, ranks));
  }
  const SceneStudy study(request);
  const Interruptible interruptible;
  StudyTable table = open_table(
      options.table, path, [&] { return study.continued(path); },
      [&] {
        StudyLayout layout = study.make_layout();
        study_keep(options, layout.outcomes);  // throws Error before the file is created
        return layout;
      });
  const Keep keep = study_keep(options, table.layout().outcomes);
  const uint64_t done = run_table(table, path, options, study, ranks);
  const StudyReader results(path);
  print_study_summary(results, options.scene.scene, path.string());
  if (done < table.layout().rows())
    throw Interrupted(fmt::format("interrupted; {} of {} are kept, and --resume continues", done,
                                  counted(table.layout().rows(), "sample")));
  keep_recordings(keep, results, options, study);
}

}  // namespace torsor::cli
