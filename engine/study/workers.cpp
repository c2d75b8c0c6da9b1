#include "torsor/study/workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "torsor/loading/fault_report.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor {

namespace {

class Workers {
 public:
  Workers(StudyTable& table, const Plan& plan, const WorkersRequest& request)
      : table_(table), plan_(plan), request_(request), active_(request.jobs) {}

  // Runs samples until there are no more. Called in each thread.
  void work() {
    try {
      const SampleRunner runner = request_.make_runner();
      const uint64_t rows = table_.layout().rows();
      for (uint64_t row; !request_.stop->load() && (row = next_++) < rows;)
        if (!table_.has(row) && !run(runner, row)) break;
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
  void wait(const std::function<void(const StatusCounts&)>& watch) {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::milliseconds(50), [&] { return active_ == 0; })) {
      lock.unlock();
      watch(counts());
      lock.lock();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  StatusCounts counts() const {
    StatusCounts out{};
    for (size_t k = 0; k < out.size(); ++k) out[k] = counts_[k].load(std::memory_order_relaxed);
    return out;
  }

 private:
  bool run(const SampleRunner& runner, uint64_t row) {
    const uint64_t sample = table_.layout().shard.sample(row);
    const std::string note = fmt::format(
        "it was sample {0} of the study; the results of the other samples are kept; torsor run {1} "
        "--sample {2}:{0} repeats it",
        sample, request_.subject, request_.table);
    const ActivityScope runs({.subject = request_.subject.c_str(), .note = note.c_str()});
    SampleRow out;
    out.parameters.resize(plan_.columns().size());
    plan_.values(sample, out.parameters);
    // If a plugin ends the process, the parameters of this sample are in the table.
    out.status = SampleStatus::started;
    out.outcomes.assign(table_.layout().outcomes.size(), std::nan(""));
    table_.write(row, out);
    std::optional<SampleResult> result = runner.run(plan_.settings(out.parameters));
    if (!result) return false;
    out.outcomes = arranged_outcomes(table_.layout().outcomes, *result);
    out.status = result->status;
    out.state_hash = result->state_hash;
    out.wall_time = result->wall_time;
    if (!result->message.empty()) out.failure = table_.add_failure(sample, result->message);
    table_.write(row, out);
    counts_[size_t(out.status)].fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  StudyTable& table_;
  const Plan& plan_;
  const WorkersRequest& request_;
  std::atomic<uint64_t> next_ = 0;
  std::array<std::atomic<uint64_t>, n_sample_statuses> counts_{};
  std::mutex mutex_;  // guards active_ and failure_
  std::condition_variable ended_;
  unsigned active_;
  std::exception_ptr failure_;
};

}  // namespace

StatusCounts run_samples(StudyTable& table, const Plan& plan, const WorkersRequest& request,
                         const std::function<void(const StatusCounts&)>& watch) {
  Workers workers(table, plan, request);
  {
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < request.jobs; ++k)
      threads.push_back(start_plugin_thread([&] { workers.work(); }));
    workers.wait(watch);
  }
  workers.rethrow();
  return workers.counts();
}

}  // namespace torsor
