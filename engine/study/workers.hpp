#pragma once
// Runs the samples of a study on several threads. A thread takes the next sample by an atomic
// counter, and writes its row without a lock.

#include <array>
#include <atomic>
#include <functional>

#include "torsor/study/sample_runner.hpp"
#include "torsor/study/table/study_table.hpp"

namespace torsor {

struct WorkersRequest {
  unsigned jobs = 1;  // number of threads
  // Makes the runner of a thread. Called once in each thread.
  std::function<SampleRunner()> make_runner;
  // Ends all threads when it becomes true. Samples that are not finished are not written.
  std::atomic<bool>* stop = nullptr;
  // Paths of the scene and of the table, for fault reports
  std::string subject, table;
};

// The number of rows of the table with each status, indexed by SampleStatus.
using StatusCounts = std::array<uint64_t, n_sample_statuses>;

// Runs every sample of the table that has no result. Calls `watch` about 20 times per second in the
// calling thread, with the counts of the results of this call. Returns these counts. If a row
// cannot be written, ends all threads and throws the Error.
StatusCounts run_samples(StudyTable& table, const Plan& plan, const WorkersRequest& request,
                         const std::function<void(const StatusCounts&)>& watch);

}  // namespace torsor
