#include "editor/probe/sampler.hpp"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/session/viewed_recording.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/run/player.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::editor {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds batch_time(5);

// Returns the first step at which two timelines of one scene may differ. Before this step, both
// have the same states, solvers and torques.
long long first_difference(const Timeline& a, const Timeline& b) {
  if (&a.changes() == &b.changes()) return std::numeric_limits<long long>::max();
  const auto [in_a, in_b] = std::ranges::mismatch(a.changes(), b.changes());
  long long step = std::numeric_limits<long long>::max();
  if (in_a != a.changes().end()) step = in_a->step;
  if (in_b != b.changes().end()) step = std::min(step, in_b->step);
  return step;
}

// Samples of a signal, and the data that the thread needs to add more. Only the thread writes.
// Other threads read only `samples`.
struct Track {
  Samples samples;
  std::vector<long long> steps;  // steps of the samples: the first stored states of the timeline
  std::optional<Recorder> recorder;
  bool compares = false;
  std::vector<double> fresh;  // rows of the batch being computed, time first
  std::string failure;        // error at the row after `fresh`, or ""

  void push(const double* row, long long step) {
    steps.push_back(step);
    samples.time.push_back(row[0]);
    for (size_t k = 0; k < samples.values.size(); ++k) samples.values[k].push(row[1 + k]);
  }
  void truncate(size_t size) {
    steps.resize(size);
    samples.time.resize(size);
    for (Series& column : samples.values) column.truncate(size);
  }
  // Removes all samples except those with these indices, which must be ascending.
  void keep(const std::vector<size_t>& rows) {
    Track kept;
    kept.samples.values.resize(samples.values.size());
    std::vector<double> row(1 + samples.values.size());
    for (const size_t i : rows) {
      row[0] = samples.time[i];
      for (size_t k = 0; k < samples.values.size(); ++k) row[1 + k] = samples.values[k][i];
      kept.push(row.data(), steps[i]);
    }
    steps = std::move(kept.steps);
    samples.time = std::move(kept.samples.time);
    samples.values = std::move(kept.samples.values);
  }
};

// Removes samples that are not valid for the timeline `now`. Valid samples are before the first
// difference of the timelines, and `now` still stores their states. (A timeline that is full
// removes some of its states.) Afterwards the samples belong to the first states of `now`.
void carry_over(Track& track, const Timeline& before, const Timeline& now) {
  const long long difference = first_difference(before, now);
  track.failure.clear();
  // The timeline has removed no states, so only the last samples can be invalid.
  if (before.revision() == now.revision()) {
    size_t size = std::min(track.steps.size(), now.size());
    while (size > 0 &&
           (track.steps[size - 1] >= difference || track.steps[size - 1] != now.step(size - 1)))
      --size;
    return track.truncate(size);
  }
  std::vector<size_t> rows;
  for (size_t i = 0;
       i < track.steps.size() && track.steps[i] < difference && rows.size() < now.size(); ++i) {
    if (track.steps[i] > now.step(rows.size())) break;
    if (track.steps[i] == now.step(rows.size())) rows.push_back(i);
  }
  track.keep(rows);
}

// Copies all rows of a signal from the recording. Returns whether the recording has the signal.
bool read_recorded(Track& track, const SessionState& now, const std::string& signal) {
  if (!now.scene->recording) return false;
  const Recording& recording = *now.scene->recording;
  for (const auto& [name, first, count] : recorded_signals(recording)) {
    if (name != signal) continue;
    const auto begin = recording.columns.begin() + ptrdiff_t(first);
    track.samples.columns.assign(begin, begin + ptrdiff_t(count));
    track.samples.values.resize(count);
    std::vector<double> row(1 + count);
    for (size_t i = 0; i < recording.rows(); ++i) {
      const double* from = &recording.values[i * recording.columns.size()];
      row[0] = from[0];
      std::copy_n(from + first, count, row.begin() + 1);
      track.push(row.data(), now.timeline.step(i));
    }
    return true;
  }
  return false;
}

}  // namespace

class Sampler::Worker {
 public:
  Worker() : thread_(start_plugin_thread([this] { loop(); })) {}
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void request(std::shared_ptr<const SessionState> now, const std::vector<std::string>& signals) {
    {
      const std::lock_guard lock(mutex_);
      if (now == wanted_.now && signals == wanted_.signals) return;
      wanted_ = {std::move(now), signals};
      changed_ = true;
      done_ = false;
    }
    wake_.notify_all();
  }

  void read(const std::string& signal, const std::function<void(const Samples&)>& reader) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = tracks_.find(signal); found != tracks_.end())
      reader(found->second.samples);
  }

  void read_both(const std::string& a, const std::string& b,
                 const std::function<void(const Samples&, const Samples&)>& reader) const {
    const std::lock_guard lock(mutex_);
    const auto first = tracks_.find(a), second = tracks_.find(b);
    if (first != tracks_.end() && second != tracks_.end())
      reader(first->second.samples, second->second.samples);
  }

  bool wait(std::chrono::duration<double> patience) const {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, patience, [this] { return done_; });
  }

 private:
  struct Wanted {
    std::shared_ptr<const SessionState> now;
    std::vector<std::string> signals;
  };

  void loop();
  void follow(const Wanted& wanted);
  void follow_scene();
  void begin(Track& track, const std::string& signal) const;
  bool sample_batch();
  void sample_row(std::vector<Track*>& tracks, size_t i);
  std::span<const Disagreement> disagreements();

  mutable std::mutex mutex_;
  mutable std::condition_variable wake_;
  Wanted wanted_;
  bool changed_ = false, done_ = true, quit_ = false;
  std::map<std::string, Track> tracks_;  // the thread writes under the lock and reads without it

  // Members that only the thread uses.
  std::shared_ptr<const SessionState> now_;
  std::optional<Player> player_;
  std::optional<RunComparison> comparison_;
  std::string failure_;  // reason why there is no player, or ""

  std::jthread thread_;  // last: starts when all other members exist
};

void Sampler::Worker::loop() {
  for (;;) {
    std::optional<Wanted> wanted;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return quit_ || changed_ || !done_; });
      if (quit_) return;
      if (changed_) wanted = wanted_;
      changed_ = false;
    }
    if (wanted) follow(*wanted);
    const bool more = sample_batch();
    const std::lock_guard lock(mutex_);
    done_ = !more && !changed_;
    if (done_) wake_.notify_all();
  }
}

void Sampler::Worker::follow(const Wanted& wanted) {
  const std::shared_ptr<const SessionState> before = std::exchange(now_, wanted.now);
  const bool other_scene = !before || before->scene != now_->scene;
  if (other_scene) follow_scene();
  const std::lock_guard lock(mutex_);
  if (other_scene) tracks_.clear();
  std::erase_if(tracks_, [&](const auto& track) {
    return std::ranges::find(wanted.signals, track.first) == wanted.signals.end();
  });
  for (auto& [signal, track] : tracks_) carry_over(track, before->timeline, now_->timeline);
  for (const std::string& signal : wanted.signals)
    if (const auto [track, is_new] = tracks_.try_emplace(signal); is_new)
      begin(track->second, signal);
}

void Sampler::Worker::follow_scene() {
  player_.reset();
  comparison_.reset();
  failure_.clear();
  if (now_->scene) try {
      player_.emplace(now_->scene->experiment);
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
}

void Sampler::Worker::begin(Track& track, const std::string& signal) const {
  if (!player_) {
    track.samples.failure = failure_;
    return;
  }
  if (read_recorded(track, *now_, signal)) return;
  const Experiment& experiment = now_->scene->experiment;
  try {
    track.recorder.emplace(*experiment.model, std::vector{signal}, experiment.compare,
                           experiment.load.controls, experiment.load.sensors);
  } catch (const std::exception& error) {
    track.samples.failure = error.what();
    return;
  }
  const std::vector<Column>& columns = track.recorder->columns();
  track.samples.columns.assign(columns.begin() + 1, columns.end());
  track.samples.values.resize(columns.size() - 1);
  track.compares = !experiment.compare.empty() && signal.starts_with("compare.");
}

// Adds samples to the signals that have the fewest, until they reach the others or 5 ms have
// passed. Returns whether more work may remain.
bool Sampler::Worker::sample_batch() {
  const size_t size = player_ ? now_->timeline.size() : 0;
  size_t first = size, end = size;
  const auto unfinished = [size](const Track& track) {
    return track.recorder && track.failure.empty() && track.steps.size() < size;
  };
  for (const auto& [signal, track] : tracks_)
    if (unfinished(track)) first = std::min(first, track.steps.size());
  if (first == size) return false;
  std::vector<Track*> tracks;
  for (auto& [signal, track] : tracks_) {
    if (!unfinished(track)) continue;
    if (track.steps.size() == first)
      tracks.push_back(&track);
    else
      end = std::min(end, track.steps.size());
  }
  const auto deadline = Clock::now() + batch_time;
  for (size_t i = first; i < end && (i == first || Clock::now() < deadline); ++i)
    sample_row(tracks, i);
  const std::lock_guard lock(mutex_);
  for (Track* track : tracks) {
    const size_t width = 1 + track->samples.values.size();
    for (size_t at = 0; at < track->fresh.size(); at += width)
      track->push(&track->fresh[at], now_->timeline.step(track->steps.size()));
    track->fresh.clear();
    track->samples.failure = track->failure;
  }
  return true;
}

void Sampler::Worker::sample_row(std::vector<Track*>& tracks, size_t i) {
  std::string unreachable;
  try {
    player_->show(now_->timeline, i);
  } catch (const std::exception& error) {
    unreachable = error.what();
  }
  std::optional<std::span<const Disagreement>> compared;
  for (Track* track : tracks) {
    if (!track->failure.empty()) continue;
    if (!unreachable.empty()) {
      track->failure = unreachable;
      continue;
    }
    try {
      if (track->compares && !compared) compared = disagreements();
      const auto row = track->recorder->sample(player_->simulation(),
                                               compared.value_or(std::span<const Disagreement>{}));
      track->fresh.insert(track->fresh.end(), row.begin(), row.end());
    } catch (const std::exception& error) {
      track->failure = error.what();
    }
  }
}

std::span<const Disagreement> Sampler::Worker::disagreements() {
  if (!comparison_) comparison_.emplace(now_->scene->experiment);
  return comparison_->at(player_->simulation());
}

Sampler::Sampler() : worker_(std::make_unique<Worker>()) {}
Sampler::~Sampler() = default;

void Sampler::request(std::shared_ptr<const SessionState> now,
                      const std::vector<std::string>& signals) {
  worker_->request(std::move(now), signals);
}
void Sampler::read(const std::string& signal,
                   const std::function<void(const Samples&)>& reader) const {
  worker_->read(signal, reader);
}
void Sampler::read_both(const std::string& a, const std::string& b,
                        const std::function<void(const Samples&, const Samples&)>& reader) const {
  worker_->read_both(a, b, reader);
}
bool Sampler::up_to_date() const {
  return worker_->wait(std::chrono::duration<double>::zero());
}
bool Sampler::wait(std::chrono::duration<double> patience) const {
  return worker_->wait(patience);
}

}  // namespace torsor::editor
