#include "torsor/mpi/rank_queue.hpp"

#include <algorithm>

namespace torsor::mpi {

namespace {

using Seconds = std::chrono::duration<double>;

// Times between reports, s: of a rank that wants samples, of one with results, and of others.
constexpr double wants_wait = 0.02, results_wait = 0.25, longest_silence = 1;
constexpr uint64_t most_wanted = 4096;

}  // namespace

std::optional<uint64_t> RankQueue::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_over_ || !samples_.empty(); });
  if (is_over_) return std::nullopt;
  const uint64_t out = samples_.front();
  samples_.pop_front();
  return out;
}

void RankQueue::finish(const FinishedSample& sample) {
  const std::lock_guard lock(mutex_);
  results_.push_back(sample);
  ++n_finished_;
}

void RankQueue::add(const std::vector<uint64_t>& samples) {
  const std::lock_guard lock(mutex_);
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  changed_.notify_all();
}

void RankQueue::end() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

uint64_t RankQueue::wanted() const {
  const double rate = double(n_finished_) / Seconds(Clock::now() - start_).count();
  const uint64_t stock = std::clamp<uint64_t>(uint64_t(rate), 2 * jobs_, most_wanted);
  return 2 * samples_.size() > stock ? 0 : stock - samples_.size();
}

std::optional<Bytes> RankQueue::report() {
  const std::lock_guard lock(mutex_);
  const double silence = Seconds(Clock::now() - last_report_).count();
  const uint64_t wants = wanted();
  const double wait = wants > 0 ? wants_wait : results_.empty() ? longest_silence : results_wait;
  if (silence < wait) return std::nullopt;
  last_report_ = Clock::now();
  return report_bytes(wants, format_, std::exchange(results_, {}));
}

}  // namespace torsor::mpi
