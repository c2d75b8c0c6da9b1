#pragma once
// The queue of a study: workers take samples from it and return their results to it.

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "torsor/study/table/study_table.hpp"
#include "torsor/study/workers/finished_sample.hpp"

namespace torsor {

// All functions are thread-safe.
class SampleQueue {
 public:
  virtual ~SampleQueue() = default;
  // Returns the next sample to run, or nullopt if there are no more. Waits if samples may still be
  // returned that another process did not finish.
  virtual std::optional<uint64_t> take() = 0;
  // Stores the parameters of a sample that begins, with the status `started`.
  virtual void begin(const FinishedSample&) {}
  virtual void finish(const FinishedSample& sample) = 0;
};

// The number of rows of the table with each status, indexed by SampleStatus.
using StatusCounts = std::array<uint64_t, n_sample_statuses>;
uint64_t total(const StatusCounts& counts);

// The samples of a table that have no result. Results are written to the table. Workers of this
// process take samples by an atomic counter, without a lock. Other processes borrow samples.
class TableQueue final : public SampleQueue {
 public:
  // Ends all workers when `stop` becomes true.
  TableQueue(StudyTable& table, const std::atomic<bool>& stop) : table_(table), stop_(stop) {}

  std::optional<uint64_t> take() override;
  void begin(const FinishedSample& sample) override;
  void finish(const FinishedSample& sample) override;

  // Returns the number of samples that nobody has taken yet.
  uint64_t left() const;
  // Returns at most `most` samples for another process. Does not wait.
  std::vector<uint64_t> lend(size_t most);
  void finish_lent(const FinishedSample& sample);
  // Takes back samples that another process did not finish.
  void take_back(const std::vector<uint64_t>& samples);

  // Returns the numbers of results since the queue was created.
  StatusCounts counts() const;

 private:
  std::optional<uint64_t> take_new();
  std::optional<uint64_t> take_returned();  // the caller holds the mutex

  StudyTable& table_;
  const std::atomic<bool>& stop_;
  std::atomic<uint64_t> next_ = 0;  // row
  std::array<std::atomic<uint64_t>, n_sample_statuses> counts_{};
  std::mutex mutex_;  // guards lent_ and returned_
  std::condition_variable changed_;
  uint64_t lent_ = 0;  // number of samples
  std::vector<uint64_t> returned_;
};

}  // namespace torsor
