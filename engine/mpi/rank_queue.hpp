#pragma once
// The samples that rank 0 has handed out to this rank.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "torsor/mpi/messages.hpp"
#include "torsor/study/workers/sample_queue.hpp"

namespace torsor::mpi {

class RankQueue final : public SampleQueue {
 public:
  RankQueue(const SampleBytes& format, unsigned jobs) : format_(format), jobs_(jobs) {}

  std::optional<uint64_t> take() override;
  void finish(const FinishedSample& sample) override;

  // Functions of the main thread.
  void add(const std::vector<uint64_t>& samples);
  // Ends the workers after their present samples.
  void end();
  // Returns a report if it is time for one, or nullopt.
  std::optional<Bytes> report();

 private:
  using Clock = std::chrono::steady_clock;
  uint64_t wanted() const;  // the caller holds the mutex

  const SampleBytes& format_;
  unsigned jobs_;
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::deque<uint64_t> samples_;
  std::vector<FinishedSample> results_;
  bool is_over_ = false;
  uint64_t n_finished_ = 0;
  Clock::time_point start_ = Clock::now(), last_report_ = {};
};

}  // namespace torsor::mpi
