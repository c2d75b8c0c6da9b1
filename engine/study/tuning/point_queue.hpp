#pragma once
// The queue of a tuning: searches submit the samples of points, and workers run them.

#include <deque>

#include "torsor/study/workers/sample_queue.hpp"

namespace torsor {

class PointQueue final : public SampleQueue {
 public:
  // outcome: the index of the outcome that is the result of a sample. stop: ends the waiting of all
  // threads when it becomes true.
  PointQueue(StudyTable& table, size_t outcome, const std::atomic<bool>& stop)
      : table_(table), outcome_(outcome), stop_(stop) {}

  // Functions of the workers. take() waits until a search submits a sample.
  std::optional<uint64_t> take() override;
  void begin(const FinishedSample& sample) override;
  void finish(const FinishedSample& sample) override;

  // Runs the samples first .. first + count - 1, and waits for their results. Returns the outcomes,
  // NaN for samples that are not complete. known: results of earlier samples, [count]; they are not
  // run again. Returns nullopt if `stop` has become true.
  std::optional<std::vector<double>> run(uint64_t first,
                                         const std::vector<std::optional<double>>& known);
  // Ends the workers: no sample will be submitted any more.
  void close();

  // Returns the numbers of results since the queue was created.
  StatusCounts counts() const;

 private:
  // The samples of a point that are being run.
  struct Point {
    uint64_t first;
    std::vector<double> outcomes;
    size_t left;  // number of samples without a result
  };

  StudyTable& table_;
  size_t outcome_;
  const std::atomic<bool>& stop_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable submitted_, finished_;
  std::deque<uint64_t> samples_;
  std::vector<Point*> points_;
  bool is_closed_ = false;
  StatusCounts counts_{};
};

// Returns the outcome of a row, NaN if its run is not complete.
double outcome_of(const SampleRow& row, size_t outcome);

}  // namespace torsor
