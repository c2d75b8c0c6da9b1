#include "torsor/study/workers/sample_queue.hpp"

#include <chrono>
#include <numeric>

namespace torsor {

uint64_t total(const StatusCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
}

std::optional<uint64_t> TableQueue::take_new() {
  const uint64_t rows = table_.layout().rows();
  while (next_.load(std::memory_order_relaxed) < rows) {
    const uint64_t row = next_++;
    if (row < rows && !table_.has(row)) return table_.layout().shard.sample(row);
  }
  return std::nullopt;
}

std::optional<uint64_t> TableQueue::take_returned() {
  if (returned_.empty()) return std::nullopt;
  const uint64_t sample = returned_.back();
  returned_.pop_back();
  return sample;
}

std::optional<uint64_t> TableQueue::take() {
  if (stop_) return std::nullopt;
  if (const auto sample = take_new()) return sample;
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return stop_ || lent_ == 0 || !returned_.empty(); };
  // `stop` may change without a notification, because signal handlers set it.
  while (!changed_.wait_for(lock, std::chrono::milliseconds(50), is_over)) {
  }
  return stop_ ? std::nullopt : take_returned();
}

void TableQueue::begin(const FinishedSample& sample) {
  table_.write(table_.layout().shard.row(sample.sample), sample.row);
}

void TableQueue::finish(const FinishedSample& sample) {
  if (!sample.message.empty()) table_.add_failure(sample.sample, sample.message);
  table_.write(table_.layout().shard.row(sample.sample), sample.row);
  counts_[size_t(sample.row.status)].fetch_add(1, std::memory_order_relaxed);
}

uint64_t TableQueue::left() const {
  const uint64_t rows = table_.layout().rows(), next = next_;
  return next < rows ? rows - next : 0;
}

std::vector<uint64_t> TableQueue::lend(size_t most) {
  std::vector<uint64_t> out;
  const std::lock_guard lock(mutex_);
  while (out.size() < most) {
    auto sample = take_new();
    if (!sample) sample = take_returned();
    if (!sample) break;
    out.push_back(*sample);
  }
  lent_ += out.size();
  return out;
}

void TableQueue::finish_lent(const FinishedSample& sample) {
  finish(sample);
  const std::lock_guard lock(mutex_);
  if (--lent_ == 0) changed_.notify_all();
}

void TableQueue::take_back(const std::vector<uint64_t>& samples) {
  const std::lock_guard lock(mutex_);
  returned_.insert(returned_.end(), samples.begin(), samples.end());
  lent_ -= samples.size();
  changed_.notify_all();
}

StatusCounts TableQueue::counts() const {
  StatusCounts out{};
  for (size_t k = 0; k < out.size(); ++k) out[k] = counts_[k].load(std::memory_order_relaxed);
  return out;
}

}  // namespace torsor
