#include "torsor/study/tuning/point_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace torsor {

namespace {

// The flag `stop` may change without a notification, because signal handlers set it.
constexpr std::chrono::milliseconds wait_time{50};

}  // namespace

double outcome_of(const SampleRow& row, size_t outcome) {
  const double value = is_complete(row.status) ? row.outcomes[outcome] : std::nan("");
  return std::isfinite(value) ? value : std::nan("");
}

std::optional<uint64_t> PointQueue::take() {
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return stop_ || is_closed_ || !samples_.empty(); };
  while (!submitted_.wait_for(lock, wait_time, is_over)) {
  }
  if (stop_ || samples_.empty()) return std::nullopt;
  const uint64_t sample = samples_.front();
  samples_.pop_front();
  return sample;
}

void PointQueue::begin(const FinishedSample& sample) {
  table_.write(table_.layout().shard.row(sample.sample), sample.row);
}

void PointQueue::finish(const FinishedSample& sample) {
  if (!sample.message.empty()) table_.add_failure(sample.sample, sample.message);
  table_.write(table_.layout().shard.row(sample.sample), sample.row);
  const std::lock_guard lock(mutex_);
  ++counts_[size_t(sample.row.status)];
  for (Point* point : points_) {
    if (sample.sample < point->first || sample.sample - point->first >= point->outcomes.size())
      continue;
    point->outcomes[sample.sample - point->first] = outcome_of(sample.row, outcome_);
    if (--point->left == 0) finished_.notify_all();
  }
}

std::optional<std::vector<double>> PointQueue::run(
    uint64_t first, const std::vector<std::optional<double>>& known) {
  Point point{first, {}, 0};
  std::unique_lock lock(mutex_);
  for (size_t m = 0; m < known.size(); ++m) {
    point.outcomes.push_back(known[m].value_or(std::nan("")));
    if (known[m]) continue;
    samples_.push_back(first + m);
    ++point.left;
  }
  points_.push_back(&point);
  submitted_.notify_all();
  const auto is_over = [&] { return stop_ || point.left == 0; };
  while (!finished_.wait_for(lock, wait_time, is_over)) {
  }
  std::erase(points_, &point);
  if (point.left > 0) return std::nullopt;
  return point.outcomes;
}

void PointQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  submitted_.notify_all();
}

StatusCounts PointQueue::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace torsor
