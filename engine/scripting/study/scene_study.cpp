#include "torsor/scripting/study/scene_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/study/study_description.hpp"

namespace torsor {

unsigned useful_jobs(const StudyTable& table, unsigned jobs) {
  const uint64_t left = table.layout().rows() - table.results();
  return unsigned(std::min<uint64_t>(jobs, std::max<uint64_t>(left, 1)));
}

SceneStudy::SceneStudy(SceneStudyRequest request)
    : shard_(request.shard),
      scene_(std::move(request.scene)),
      plan_(scene_.parameters(), request.plan),
      description_(scene_.describe(describe_plan(request.plan, plan_.axes()))) {
  if (shard_.rows(plan_.samples()) == 0)
    throw Error(fmt::format("shard {} of {} is empty: the study has only {}", shard_.index + 1,
                            shard_.count, counted(plan_.samples(), "sample")));
}

StudyLayout SceneStudy::make_layout() const {
  StudyLayout out{.parameters = {},
                  .outcomes = scene_.outcomes(),
                  .samples = plan_.samples(),
                  .shard = shard_,
                  .description = description_};
  for (const PlanColumn& column : plan_.columns())
    out.parameters.push_back({column.name, column.unit, column.labels});
  return out;
}

StudyTable SceneStudy::continued(const std::filesystem::path& path) const {
  return continued_table(path, description_, shard_);
}

void SceneStudy::require_same(const StudyLayout& layout, const std::string& name) const {
  require_same_study(layout, description_, shard_, name);
}

StatusCounts SceneStudy::run(StudyTable& table, const TableRun& how) const {
  std::atomic<bool> stop = false;
  TableQueue queue(table, stop);
  const StudySamples samples{plan_, table.layout(), scene_.loader().request().file, how.table};
  run_samples(queue, samples,
              {.jobs = useful_jobs(table, how.jobs),
               .make_worker = scene_.workers(samples, stop),
               .stop = &stop,
               .watch = [&] { stop = !how.watch(queue) || stop; },
               .watch_interval = how.watch_interval});
  return queue.counts();
}

}  // namespace torsor
