#include "editor/session/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/session/viewed_recording.hpp"
#include "editor/support/unused_name.hpp"
#include "torsor/base/text.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor::editor {

namespace {

using namespace std::chrono_literals;

constexpr size_t most_problems = 200;

template <class... Kinds>
bool is_one_of(const Command& command) {
  return (std::holds_alternative<Kinds>(command) || ...);
}

// Returns whether a stop does not discard the command. Such commands, and those for which
// is_of_clock() is true, are executed even while the run computes up to a step.
bool outlasts_stop(const Command& command) {
  return is_one_of<command::HoldAt, command::Report, command::ClearProblems>(command);
}
bool is_of_clock(const Command& command) {
  return is_one_of<command::Pause, command::Step, command::Go, command::SetSpeed,
                   command::ChangeSpeed>(command);
}

}  // namespace

Session::Worker::Worker(Registry plugins, SessionOptions options, const SessionState& before)
    : options_(std::move(options)),
      plugins_(std::make_shared<const Registry>(std::move(plugins))),
      now_(std::make_shared<SessionState>()),
      loader_(options_),
      errors_(before.errors),
      reported_(before.reported) {
  for (const SkippedFile& skipped : plugins_->skipped())
    report({Problem::Kind::warning,
            fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason)});
  if (!options_.file.empty()) {
    open_journal();
    loader_.start(plugins_);
  }
  publish();
  thread_ = start_plugin_thread([this] { loop(); });
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
}

void Session::Worker::post(Command command) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(command));
    busy_ = true;
  }
  wake_.notify_one();
}

// Requests a stop. It is executed before all waiting commands.
void Session::Worker::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = busy_ = true;
  }
  wake_.notify_one();
}

std::shared_ptr<const SessionState> Session::Worker::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

bool Session::Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

std::chrono::duration<double> Session::Worker::silence() const {
  return Clock::now() - last_sign_.load();
}

std::string Session::Worker::call_under_way() {
  return plugin_call_on(thread_.native_handle());
}

void Session::Worker::loop() {
  const ActivityScope runs({.subject = options_.file.c_str(),
                            .note = options_.journal_folder.empty()
                                        ? nullptr
                                        : "open the file again to continue its run"});
  for (;;) {
    last_sign_ = Clock::now();
    bool asked = false, stopped = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, patience(), [this] { return quit_ || stop_ || !queue_.empty(); });
      if (quit_) return;
      stopped = stop_.exchange(false);
      asked = stopped || !queue_.empty();
      std::move(queue_.begin(), queue_.end(), std::back_inserter(commands_));
      queue_.clear();
    }
    const bool was_busy = busy() || playing_;
    const auto problems_before = problems_;
    if (stopped) stop();
    run_commands();
    collect_load();
    collect_recording();
    if (!loader_.busy()) check_files();
    check_outgoing();
    if (!guard([this] { goal_ ? advance_going() : advance_playing(); })) halt();
    measure();
    keep_journal();
    if (was_busy || busy() || asked || problems_ != problems_before) publish();
    const std::lock_guard lock(mutex_);
    busy_ = stop_ || !queue_.empty() || busy();
  }
}

// Returns how long the thread may wait for a command.
Session::Worker::Clock::duration Session::Worker::patience() const {
  if (goal_) return 0ms;
  if (playing_) return 2ms;
  return busy() ? 5ms : 100ms;
}

bool Session::Worker::busy() const {
  return goal_ || !commands_.empty() || loader_.busy() || recording_.busy();
}

// Calls a function and reports the error that it throws. Returns whether it succeeded.
bool Session::Worker::guard(const std::function<void()>& f) {
  try {
    f();
    return true;
  } catch (const Stopped&) {
    return true;  // a step was interrupted; the loop stops the run next
  } catch (const std::exception& error) {
    const std::string text = error.what(), file = options_.file.string() + ":";
    report({Problem::Kind::error, options_.file.empty() || text.starts_with(file)
                                      ? text
                                      : fmt::format("{} {}", file, text)});
    return false;
  }
}

// Discards pending work and commands, and pauses at the current step. Edits that are not restored
// yet remain in the renamed journal or can be restored by redo.
void Session::Worker::halt() {
  playing_ = false;
  const long long goal = goal_.value_or(0);
  goal_.reset();
  std::erase_if(commands_, [](const Command& command) { return !outlasts_stop(command); });
  if (to_restore_.empty()) return;
  const std::string left = fmt::format("{}: {} not restored", options_.file.string(),
                                       counted(to_restore_.size(), "edit"));
  if (journal_ && journal_->restoring()) {
    report({Problem::Kind::warning, fmt::format("{}; the work of the last session is in '{}'", left,
                                                journal_->aside().string())});
    journal_->leave_aside();
  } else {
    std::vector<Change> changes = timeline_->changes();
    changes.insert(changes.end(), to_restore_.begin(), to_restore_.end());
    history_.offer(
        {Timeline(start_), restored_step_, start_.step, false, std::move(changes), goal});
    report({Problem::Kind::warning, left + "; Redo (Ctrl+Y) restores them"});
  }
  to_restore_.clear();
}

void Session::Worker::run_commands() {
  while (!commands_.empty() &&
         (!goal_ || is_of_clock(commands_.front()) || outlasts_stop(commands_.front()))) {
    const Command command = std::move(commands_.front());
    commands_.pop_front();
    guard([&] { std::visit([this](const auto& kind) { execute(kind); }, command); });
  }
}

void Session::Worker::need_scene() const {
  if (!scene_) throw Error("no scene is loaded");
}
void Session::Worker::need_run() const {
  if (scene_->recording) throw Error("a recording cannot be changed; open its scene to run it");
}
void Session::Worker::require_idle() const {
  need_scene();
  if (!to_restore_.empty()) throw Error("edits are being restored; wait, or stop it");
}

// Adds a problem. If it repeats the last one, replaces it, which changes its number. Ignores a
// warning that is already listed. Removes the oldest problem if there are too many.
void Session::Worker::report(Problem problem) {
  if (problem.kind == Problem::Kind::error) ++errors_;
  problem.number = ++reported_;
  const auto same = [&](const Problem& other) { return other.text == problem.text; };
  const bool again = !problems_->empty() && same(problems_->back());
  if (!again && problem.kind == Problem::Kind::warning && std::ranges::any_of(*problems_, same))
    return;
  auto more = std::make_shared<std::vector<Problem>>(*problems_);
  if (again) more->pop_back();
  more->push_back(std::move(problem));
  if (more->size() > most_problems) more->erase(more->begin());
  problems_ = std::move(more);
}

void Session::Worker::erase_problems(Problem::Of of) {
  auto left = std::make_shared<std::vector<Problem>>(*problems_);
  std::erase_if(*left, [&](const Problem& problem) { return problem.of == of; });
  problems_ = std::move(left);
}

void Session::Worker::execute(const command::ClearProblems&) {
  problems_ = std::make_shared<std::vector<Problem>>();
}

// --- loads and recordings ------------------------------------------------------------------------

// Stops the current task. Playback continues if only a load or a recording was stopped.
void Session::Worker::stop() {
  const bool plays_on = playing_ && !goal_ && (loader_.busy() || recording_.busy());
  const bool on_its_way = goal_.has_value();
  loader_.stop();
  recording_.stop();
  halt();
  playing_ = plays_on;
  if (on_its_way) limit_ = std::max(limit_before_goal_, timeline_->end());
}

void Session::Worker::check_outgoing() {
  if (Clock::now() < next_outgoing_) return;
  next_outgoing_ = Clock::now() + 1s;
  for (std::string& warning : outgoing_.warnings())
    report({Problem::Kind::warning, std::move(warning)});
}

void Session::Worker::execute(const command::SaveRecording& command) {
  need_scene();
  need_run();
  if (recording_.busy()) throw Error("a recording is being written; wait for it, or stop it");
  const std::filesystem::path file = command.folder / (scene_->file.stem().string() + ".h5");
  std::vector<Change> changes = timeline_->changes();
  for (const Change& change : scene_->experiment.changes)
    if (change.step > timeline_->end()) changes.push_back(change);
  saving_ = timeline_->changes();
  recording_.start(*scene_, std::move(changes), std::max(scene_->steps, timeline_->end()),
                   command.replace ? file : unused_name(file));
}

void Session::Worker::collect_recording() {
  auto result = recording_.take();
  if (!result) return;
  if (result->kind == Problem::Kind::note) saved_ = std::move(saving_);
  report(*std::move(result));
}

// --- what the window sees ------------------------------------------------------------------------

// Counts the work that is lost with the session. Counts nothing while a journal is being restored,
// because the renamed file of the journal still exists.
UnsavedWork Session::Worker::unsaved() const {
  if (!scene_ || scene_->recording || (journal_ && journal_->restoring())) return {};
  UnsavedWork out{0, int(forks_.size()) - 1, int(snapshots_.size())};
  if (!saved_ || *saved_ != timeline_->changes() || !to_restore_.empty())
    out.edits = int(timeline_->changes().size() - size_t(scenes_changes()) + to_restore_.size());
  return out;
}

void Session::Worker::publish() {
  auto now = std::make_shared<SessionState>();
  if (scene_) {
    now->scene = scene_;
    now->state = player_->simulation().snapshot();
    now->timeline = *timeline_;
    now->limit = limit_;
  }
  now->plugins = plugins_;
  now->unsaved = unsaved();
  now->keeps_work = journal_.has_value();
  now->playing = playing_;
  now->seeking = goal_.has_value();
  if (held()) now->held_at = hold_;
  if (loader_.busy()) {
    now->task = fmt::format("loading {} (Esc stops it)", options_.file.string());
  } else if (recording_.busy()) {
    now->task_progress = recording_.progress();
    now->task =
        fmt::format("saving the recording, {:.0f} % (Esc stops it)", 100 * now->task_progress);
  }
  now->speed = speed_;
  now->real_time_factor = real_time_factor_;
  now->undoable = int(history_.undoable());
  now->redoable = int(history_.redoable());
  now->forks = shown_forks_;
  now->snapshots = shown_snapshots_;
  now->fork = fork_;
  now->problems = problems_;
  now->errors = errors_;
  now->needed = needed_;
  now->reported = reported_;
  const std::lock_guard lock(mutex_);
  now_ = std::move(now);
}

}  // namespace torsor::editor
