#pragma once
// Runs samples of a study in the calling thread.

#include "torsor/study/sampling/sample_values.hpp"
#include "torsor/study/workers/finished_sample.hpp"
#include "torsor/study/workers/sample_runner.hpp"

namespace torsor {

// The samples of a study, which all workers share.
struct StudySamples {
  const SampleValues& values;
  const StudyLayout& layout;
  // Paths of the scene and of the table, for fault reports. table: "" if the process can end
  // without an end of the study.
  std::string subject, table;
  // Returns the parameters of a sample, with the status `started` and without outcomes.
  FinishedSample begun(uint64_t sample) const;
};

// Each thread has its own worker. The samples must outlive it.
class SampleWorker {
 public:
  SampleWorker(const StudySamples& samples, SampleRunner runner)
      : samples_(samples), runner_(std::move(runner)) {}
  // Runs a sample that StudySamples::begun() has returned. Returns nullopt if the study was
  // interrupted.
  std::optional<FinishedSample> run(const FinishedSample& begun) const;

 private:
  const StudySamples& samples_;
  SampleRunner runner_;
};

}  // namespace torsor
