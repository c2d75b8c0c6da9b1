#pragma once
// Runs samples in a child process, so that a plugin that crashes or does not return ends only its
// sample.

#include <chrono>
#include <memory>

#include "torsor/study/workers/sample_worker.hpp"

namespace torsor {

// The child is created for the first sample, and again after it has ended. It ends with the thread
// that uses it.
class WorkerProcess {
 public:
  // make_worker: makes the function that runs samples; called in the child. limits: of a sample.
  WorkerProcess(const StudyLayout& layout, std::function<RunSample()> make_worker,
                const SampleLimits& limits);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;

  // Runs a sample in the child. The result has these messages if the child does not return it:
  // - status failed: the fault of the plugin, or the signal that ended the child. A child that was
  //   killed is replaced once, because this may have had nothing to do with the sample.
  // - status over_limit: the child did not return within the limit. It is killed.
  // Returns nullopt if the study was interrupted. Throws Error if no process can be created.
  std::optional<FinishedSample> run(const FinishedSample& begun);

 private:
  class Child;
  // Returns the result in the answer of a child, or nullopt if the answer is damaged.
  std::optional<FinishedSample> result_of(std::span<const std::byte> answer,
                                          const FinishedSample& begun) const;
  enum class Wait { answered, ended, over_limit, stopped };
  Wait wait(std::chrono::steady_clock::time_point start) const;
  static FinishedSample without_result(const FinishedSample& begun, SampleStatus status,
                                       std::string message,
                                       std::chrono::steady_clock::time_point start);

  std::function<RunSample()> make_worker_;
  SampleLimits limits_;
  SampleBytes bytes_;
  std::unique_ptr<Child> child_;
};

}  // namespace torsor
