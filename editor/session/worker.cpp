#include "editor/session/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace torsor::editor {

namespace {

using namespace std::chrono_literals;

constexpr size_t most_problems = 200;

}  // namespace

Session::Worker::Worker(const Registry& registry, SessionOptions options)
    : registry_(registry),
      options_(std::move(options)),
      moment_(std::make_shared<Moment>()),
      loader_(registry_, options_),
      recording_(registry_) {
  if (!options_.journal_folder.empty()) journal_ = journal_file(options_.journal_folder, options_.file);
  for (const SkippedFile& skipped : registry_.skipped())
    problems_.push_back(
        {Problem::Kind::warning, fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason)});
  loader_.start();
  publish();
  thread_ = std::thread([this] { loop(); });
}

Session::Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  loader_.stop();
  recording_.stop();
  wake_.notify_one();
  thread_.join();
  std::error_code ignored;
  if (!journal_.empty()) std::filesystem::remove(journal_, ignored);
}

void Session::Worker::post(std::function<void(Worker&)> what, When when) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(what), when});
    busy_ = true;
  }
  wake_.notify_one();
}

// Comes before everything that waits.
void Session::Worker::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = busy_ = true;
  }
  wake_.notify_one();
}

std::shared_ptr<const Moment> Session::Worker::now() const {
  const std::lock_guard lock(mutex_);
  return moment_;
}

bool Session::Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

void Session::Worker::loop() {
  for (;;) {
    bool asked = false, stopped = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, patience(), [this] { return quit_ || stop_ || !queue_.empty(); });
      if (quit_) return;
      stopped = std::exchange(stop_, false);
      asked = stopped || !queue_.empty();
      std::move(queue_.begin(), queue_.end(), std::back_inserter(commands_));
      queue_.clear();
    }
    const bool was_busy = busy() || playing_;
    if (stopped) stop();
    run_commands();
    collect_load();
    if (auto result = recording_.take()) report(*std::move(result));
    if (!loader_.busy() && watch_.changed()) reload();
    guard([this] { goal_ ? advance_going() : advance_playing(); });
    measure();
    keep_journal();
    if (was_busy || busy() || asked) publish();
    const std::lock_guard lock(mutex_);
    busy_ = stop_ || !queue_.empty() || busy();
  }
}

// How long to wait for a command.
Session::Worker::Clock::duration Session::Worker::patience() const {
  if (goal_) return 0ms;
  if (playing_) return 2ms;
  return busy() ? 5ms : 100ms;
}

bool Session::Worker::busy() const {
  return goal_ || !commands_.empty() || loader_.busy() || recording_.busy();
}

// What throws an Error stops the run where it stands and becomes a problem.
template <class F>
void Session::Worker::guard(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    playing_ = false;
    goal_.reset();
    to_restore_.clear();
    report({Problem::Kind::error, fmt::format("{}: {}", options_.file.string(), error.what())});
  }
}

void Session::Worker::run_commands() {
  while (!commands_.empty() && (!goal_ || commands_.front().when == When::at_once)) {
    const Command command = std::move(commands_.front());
    commands_.pop_front();
    guard([&] { command.what(*this); });
  }
}

void Session::Worker::need_scene() const {
  if (!scene_) throw Error("no scene is loaded");
}
void Session::Worker::need_peace() const {
  need_scene();
  if (!to_restore_.empty())
    throw Error("the edits of the last window are being made again; wait, or stop it");
}

void Session::Worker::report(Problem problem) {
  if (!problems_.empty() && problems_.back().text == problem.text) return;
  problems_.push_back(std::move(problem));
  if (problems_.size() > most_problems) problems_.erase(problems_.begin());
}

void Session::Worker::clear_problems() {
  problems_.clear();
}

// --- what goes on beside ---------------------------------------------------------------------------------

void Session::Worker::reload() {
  loader_.start();
}

void Session::Worker::stop() {
  loader_.stop();
  recording_.stop();
  goal_.reset();
  to_restore_.clear();
  commands_.clear();
  playing_ = false;
}

void Session::Worker::collect_load() {
  auto result = loader_.take();
  if (!result) return;
  const std::string files = hash_of_files(result->files);
  watch_.watch(std::move(result->files));
  for (Problem& problem : result->problems) report(std::move(problem));
  if (!result->scene) {
    if (scene_)
      report(
          {Problem::Kind::note, fmt::format("{}: what was loaded before goes on", options_.file.string())});
    return;
  }
  if (timeline_ && !timeline_->changes().empty())
    report({Problem::Kind::note, fmt::format("{}: loaded anew; the {} edits of the run before are gone",
                                             options_.file.string(), timeline_->changes().size())});
  const bool first = !scene_;
  scene_ = std::move(result->scene);
  player_ = std::move(result->player);
  timeline_.emplace(player_->simulation().snapshot());
  limit_ = scene_->steps;
  goal_.reset();
  to_restore_.clear();
  undo_.clear();
  redo_.clear();
  last_edit_.clear();
  journal_scene_ = files;
  start_clock();
  if (first) guard([this] { restore(); });
}

void Session::Worker::save_recording(const std::filesystem::path& folder) {
  need_scene();
  if (recording_.busy()) throw Error("a recording is being written; wait for it, or stop it");
  recording_.start(*scene_, timeline_->changes(), std::max(scene_->steps, timeline_->end()), folder);
}

// --- what outlives the window ----------------------------------------------------------------------------

void Session::Worker::restore() {
  if (journal_.empty()) return;
  std::optional<Journal> journal;
  try {
    journal = read_journal(journal_);
  } catch (const Error& error) {
    report({Problem::Kind::warning, error.what()});
  }
  if (!journal) return;
  if (journal->scene != journal_scene_) {
    std::filesystem::path aside = journal_;
    aside += ".old";
    std::error_code ignored;
    std::filesystem::rename(journal_, aside, ignored);
    report({Problem::Kind::warning,
            fmt::format("{}: the last window was not closed, and the scene has changed since: its {} edits "
                        "are not made again; they are kept in '{}'",
                        options_.file.string(), journal->changes.size(), aside.string())});
    return;
  }
  to_restore_.assign(journal->changes.begin(), journal->changes.end());
  limit_ = std::max(limit_, journal->limit);
  restored_step_ = journal->step;
  goal_ = journal->end;
  report({Problem::Kind::note, fmt::format("{}: the last window was not closed: its {} edits are made again",
                                           options_.file.string(), journal->changes.size())});
}

void Session::Worker::keep_journal() {
  if (journal_.empty() || !scene_ || goal_) return;
  if (playing_) journal_due_ = true;
  if (!journal_due_ || Clock::now() < next_journal_) return;
  journal_due_ = false;
  next_journal_ = Clock::now() + 500ms;
  guard([this] {
    write_journal(journal_, {journal_scene_, timeline_->changes(), present(), timeline_->end(), limit_});
  });
}

void Session::Worker::publish() {
  auto moment = std::make_shared<Moment>();
  if (scene_) {
    moment->scene = scene_;
    moment->state = player_->simulation().snapshot();
    moment->timeline = *timeline_;
    moment->limit = limit_;
  }
  moment->playing = playing_;
  moment->going = goal_.has_value();
  if (loader_.busy()) {
    moment->task = fmt::format("loading {} (Esc stops it)", options_.file.string());
  } else if (recording_.busy()) {
    moment->task_progress = recording_.progress();
    moment->task = fmt::format("recording, {:.0f} % (Esc stops it)", 100 * moment->task_progress);
  }
  moment->speed = speed_;
  moment->real_time_factor = real_time_factor_;
  moment->undoable = int(undo_.size());
  moment->redoable = int(redo_.size());
  moment->problems = problems_;
  const std::lock_guard lock(mutex_);
  moment_ = std::move(moment);
}

}  // namespace torsor::editor
