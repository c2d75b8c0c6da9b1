#pragma once
// Runs the samples of a queue on several threads.

#include <atomic>
#include <chrono>
#include <functional>

#include "torsor/study/workers/sample_queue.hpp"
#include "torsor/study/workers/sample_worker.hpp"

namespace torsor {

// Returns the number of workers if none is given: one for each core.
unsigned default_jobs();
// The maximum number of workers.
inline constexpr unsigned most_jobs = 4096;
// Returns the number of workers: `jobs`, or one for each core if it is 0. Throws Error if there are
// more than most_jobs.
unsigned worker_count(uint64_t jobs);

struct WorkersRequest {
  unsigned jobs = 1;  // number of threads
  // Makes the worker of a thread. Called once in each thread.
  std::function<RunSample()> make_worker;
  // Ends all threads when it becomes true. Samples that are not finished are not returned.
  std::atomic<bool>* stop = nullptr;
  // Called repeatedly in the calling thread.
  std::function<void()> watch;
  std::chrono::microseconds watch_interval = std::chrono::milliseconds(50);
};

// Runs samples until the queue has no more. If a thread or `watch` throws, ends all threads and
// rethrows.
void run_samples(SampleQueue& queue, const StudySamples& samples, const WorkersRequest& request);

}  // namespace torsor
