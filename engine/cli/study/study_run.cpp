// Runs a study for the command line: makes or continues its table, runs the samples, and shows the
// progress.

#include <fmt/format.h>

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
  const uint64_t before = table.results();
  StudyProgress progress(table.layout().rows(), before);
  TableRun how{.jobs = useful_jobs(table, jobs_of(options, ranks)), .table = path.string()};
  how.watch = [&](TableQueue& queue) {
    if (ranks) ranks->serve(queue);
    const StatusCounts counts = queue.counts();
    const uint64_t done = total(counts);
    progress.show(done, done - counts[size_t(SampleStatus::done)]);
    return !was_interrupted();
  };
  if (ranks) how.watch_interval = std::chrono::milliseconds(1);
  uint64_t done = 0;
  {
    const RanksScope others(ranks, table.layout());
    done = total(study.run(table, how));
  }
  table.finish();
  const double wall = progress.wall();
  progress.clear();
  fmt::print("wall time    {:.3f} s, {:.3g} samples/s on {}\n", wall, double(done) / wall,
             ranks ? counted(size_t(ranks->count()), "rank") : counted(how.jobs, "worker"));
  return before + done;
}

SceneStudyRequest study_request(const StudyOptions& options, const Registry& registry) {
  return {.scene = scene_request(options.scene, registry, options.table.limit),
          .plan = plan_request(options),
          .shard = study_shard(options.shard)};
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
