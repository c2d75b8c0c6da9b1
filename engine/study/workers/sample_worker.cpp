#include "torsor/study/workers/sample_worker.hpp"

#include <fmt/format.h>

#include <cmath>

#include "torsor/plugin/plugin_call.hpp"
#include "torsor/study/table/failure_kinds.hpp"

namespace torsor {

namespace {

StudySettings settings_of(const std::vector<StudyColumn>& columns,
                          const std::vector<double>& values) {
  StudySettings out;
  for (size_t k = 0; k < columns.size(); ++k) out[columns[k].name] = columns[k].text(values[k]);
  return out;
}

}  // namespace

FinishedSample StudySamples::begun(uint64_t sample) const {
  FinishedSample out{.sample = sample, .row = {.status = SampleStatus::started}};
  out.row.parameters.resize(layout.parameters.size());
  values.values(sample, out.row.parameters);
  out.row.outcomes.assign(layout.outcomes.size(), std::nan(""));
  return out;
}

std::optional<FinishedSample> SampleWorker::run(const FinishedSample& begun) const {
  std::string note;
  if (!samples_.table.empty())
    note = fmt::format(
        "it was sample {0} of the study; the results of the other samples are kept; torsor run {1} "
        "--sample {2}:{0} repeats it",
        begun.sample, samples_.subject, samples_.table);
  const ActivityScope runs(
      {.subject = samples_.subject.c_str(), .note = note.empty() ? nullptr : note.c_str()});
  FinishedSample out = begun;
  std::optional<SampleResult> result =
      runner_.run(settings_of(samples_.layout.parameters, out.row.parameters));
  if (!result) return std::nullopt;
  out.row.outcomes = arranged_outcomes(samples_.layout.outcomes, *result);
  out.row.status = result->status;
  out.row.state_hash = result->state_hash;
  out.row.wall_time = result->wall_time;
  out.message = result->message;
  if (!out.message.empty()) out.row.failure = failure_key(out.message);
  return out;
}

}  // namespace torsor
