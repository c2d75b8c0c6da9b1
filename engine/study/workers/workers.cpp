#include "torsor/study/workers/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/loading/fault_report.hpp"

namespace torsor {

unsigned default_jobs() {
  return std::max(1u, std::thread::hardware_concurrency());
}

unsigned worker_count(uint64_t jobs) {
  if (jobs > most_jobs)
    throw Error(fmt::format("jobs is {}; a study has at most {} workers", jobs, most_jobs));
  return jobs > 0 ? unsigned(jobs) : default_jobs();
}

namespace {

class Workers {
 public:
  Workers(SampleQueue& queue, const StudySamples& samples, const WorkersRequest& request)
      : queue_(queue), samples_(samples), request_(request), active_(request.jobs) {}

  // Runs samples until there are no more. Called in each thread.
  void work() {
    try {
      const RunSample run = request_.make_worker();
      while (const auto sample = queue_.take()) {
        const FinishedSample begun = samples_.begun(*sample);
        queue_.begin(begun);
        const auto finished = run(begun);
        if (!finished) break;
        queue_.finish(*finished);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      *request_.stop = true;
    }
    const std::lock_guard lock(mutex_);
    --active_;
    ended_.notify_one();
  }

  // Waits until all threads have ended.
  void wait() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, request_.watch_interval, [&] { return active_ == 0; })) {
      lock.unlock();
      request_.watch();
      lock.lock();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  SampleQueue& queue_;
  const StudySamples& samples_;
  const WorkersRequest& request_;
  std::mutex mutex_;  // guards active_ and failure_
  std::condition_variable ended_;
  unsigned active_;
  std::exception_ptr failure_;
};

}  // namespace

void run_samples(SampleQueue& queue, const StudySamples& samples, const WorkersRequest& request) {
  Workers workers(queue, samples, request);
  {
    std::vector<std::jthread> threads;
    try {
      for (unsigned k = 0; k < request.jobs; ++k)
        threads.push_back(start_plugin_thread([&] { workers.work(); }));
      workers.wait();
    } catch (...) {
      *request.stop = true;  // the threads end before the exception leaves this function
      throw;
    }
  }
  workers.rethrow();
}

}  // namespace torsor
