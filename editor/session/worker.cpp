#include "editor/session/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/session/viewed_recording.hpp"
#include "torsor/scripting/experiment_plugins.hpp"
#include "torsor/validation/load_check.hpp"

namespace torsor::editor {

namespace {

using namespace std::chrono_literals;

constexpr size_t most_problems = 200;

using Files = SceneWatch::Files;

}  // namespace

Session::Worker::Worker(Registry plugins, SessionOptions options, long errors)
    : options_(std::move(options)),
      plugins_(std::make_shared<const Registry>(std::move(plugins))),
      moment_(std::make_shared<Moment>()),
      loader_(options_),
      errors_(errors) {
  for (const SkippedFile& skipped : plugins_->skipped())
    report(
        {Problem::Kind::warning, fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason)});
  if (!options_.file.empty()) {
    open_journal();
    loader_.start(plugins_);
  }
  publish();
  thread_ = PluginThread([this] { loop(); });
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
  thread_.break_off();
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
    const auto problems_before = problems_;
    if (stopped) stop();
    run_commands();
    collect_load();
    if (auto result = recording_.take()) report(*std::move(result));
    if (!loader_.busy()) look_at_files();
    look_at_outgoing();
    if (!guard([this] { goal_ ? advance_going() : advance_playing(); })) halt();
    measure();
    keep_journal();
    if (was_busy || busy() || asked || problems_ != problems_before) publish();
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

// What it throws becomes a problem; returns whether it threw nothing.
template <class F>
bool Session::Worker::guard(const F& f) {
  try {
    f();
    return true;
  } catch (const std::exception& error) {
    const std::string text = error.what(), file = options_.file.string() + ":";
    report({Problem::Kind::error,
            options_.file.empty() || text.starts_with(file) ? text : fmt::format("{} {}", file, text)});
    return false;
  }
}

// The run stays where it stands.
void Session::Worker::halt() {
  playing_ = false;
  goal_.reset();
  std::erase_if(commands_, [](const Command& command) { return command.when != When::in_any_case; });
  if (!to_restore_.empty() && journal_ && journal_->restoring()) {
    report({Problem::Kind::warning,
            fmt::format("{}: {} edits of the last window are not made again; all are kept in '{}'",
                        options_.file.string(), to_restore_.size(), journal_->aside().string())});
    journal_->leave_aside();
  } else if (!to_restore_.empty()) {
    report(
        {Problem::Kind::warning, fmt::format("{}: {} edits of this run of the last window are not made again",
                                             options_.file.string(), to_restore_.size())});
  }
  to_restore_.clear();
}

void Session::Worker::run_commands() {
  while (!commands_.empty() && (!goal_ || commands_.front().when != When::in_turn)) {
    const Command command = std::move(commands_.front());
    commands_.pop_front();
    guard([&] { command.what(*this); });
  }
}

void Session::Worker::need_scene() const {
  if (!scene_) throw Error("no scene is loaded");
}
void Session::Worker::need_run() const {
  if (scene_->recording) throw Error("a recording is looked at, not changed; open its scene to run it");
}
void Session::Worker::need_peace() const {
  need_scene();
  if (!to_restore_.empty())
    throw Error("the edits of the last window are being made again; wait, or stop it");
}

void Session::Worker::report(Problem problem) {
  if (problem.kind == Problem::Kind::error) ++errors_;
  const auto same = [&](const Problem& other) { return other.text == problem.text; };
  if (!problems_->empty() && same(problems_->back())) return;
  // What is true of a file is said once, however often it is loaded.
  if (problem.kind == Problem::Kind::warning && std::ranges::any_of(*problems_, same)) return;
  auto more = std::make_shared<std::vector<Problem>>(*problems_);
  more->push_back(std::move(problem));
  if (more->size() > most_problems) more->erase(more->begin());
  problems_ = std::move(more);
}

void Session::Worker::forget_problems_of_loads() {
  auto left = std::make_shared<std::vector<Problem>>(*problems_);
  std::erase_if(*left, [](const Problem& problem) { return problem.of_load; });
  problems_ = std::move(left);
}

void Session::Worker::clear_problems() {
  problems_ = std::make_shared<std::vector<Problem>>();
}

// --- what goes on beside ---------------------------------------------------------------------------------

void Session::Worker::reload() {
  if (options_.file.empty()) throw Error("no scene is loaded");
  plugins_alone_ = false;
  loader_.start(plugins_, watch_.stale());
}

// A file of the scene that was written as it was before has not changed.
void Session::Worker::look_at_files() {
  if (options_.file.empty()) return;
  if (watch_.changed(plugins_.get(), validation::check_reloading).empty()) return;
  if (watch_.scene_alone_is_stale() && hash_of(files_, options_) == loaded_) return watch_.forget_stale();
  plugins_alone_ = scene_ && !scene_->recording && watch_.plugins_alone_are_stale();
  loader_.start(plugins_, watch_.stale());
}

void Session::Worker::stop() {
  loader_.stop();
  loader_.break_off();
  recording_.stop();
  recording_.break_off();
  halt();
  if (timeline_) limit_ = std::max(scene_->steps, timeline_->end());
}

void Session::Worker::collect_load() {
  auto result = loader_.take();
  if (!result) return;
  plugins_ = result->plugins;
  const Files changed = watch_.stale(),
              plugins = (result->scene ? result->scene->plugins() : *plugins_).files();
  const bool as_read = watch_.watch(result->files, plugins, result->scene != nullptr, result->started);
  if (result->scene) forget_problems_of_loads();
  for (Problem& problem : result->problems) {
    problem.of_load = true;
    report(std::move(problem));
  }
  if (!result->scene) {
    if (scene_)
      report({Problem::Kind::note, fmt::format("{}: what was loaded before goes on", options_.file.string()),
              true});
    return;
  }
  files_ = watch_.scene();
  loaded_ =
      as_read ? hash_of(files_, options_) : "";  // a file that was saved while it was read is read again
  if (scene_) outgoing_.add(scene_->plugins(), result->scene->plugins());
  if (!plugins_alone_) return begin_with(std::move(*result));
  try {
    go_on_with(*result);
    report({Problem::Kind::note,
            fmt::format("{} changed: the run goes on with it from t = {:g} s, and does not go back to before",
                        quoted(changed), player_->simulation().time())});
  } catch (const Error& error) {
    report({Problem::Kind::error,
            fmt::format(
                "{} changed, but {}: the run goes on with what was loaded before; load the scene anew to "
                "begin with what is there now",
                quoted(changed), error.what())});
  }
}

void Session::Worker::begin_with(Loader::Result result) {
  if (timeline_ && !scene_->recording && !timeline_->changes().empty())
    report({Problem::Kind::note, fmt::format("{}: loaded anew; the {} edits of the run before are gone",
                                             options_.file.string(), timeline_->changes().size())});
  const bool first = !scene_;
  to_restore_.clear();
  goal_.reset();
  stand_in(std::move(result.scene), std::move(result.player));
  limit_ = scene_->steps;
  if (scene_->recording) {
    timeline_ = std::move(result.rows);
    show_row(0);
  } else {
    make_scenes_changes();
  }
  if (first) restore();
}

// A run of its own, where the last one has come to: its time line begins there, with the edits that are in force.
void Session::Worker::go_on_with(const Loader::Result& result) {
  auto scene = std::make_shared<Scene>(*result.scene);
  scene->rebuilt = scene_->rebuilt;
  for (RebuiltPlugin& plugin : rebuilt_plugins(scene->plugins(), scene_->plugins(), present()))
    scene->rebuilt.push_back(std::move(plugin));
  go_on_from(player_->simulation(), scene->experiment, solver_source(scene->experiment));
  const std::vector<Change::What> in_force = player_->in_force();
  auto player = std::make_unique<Player>(scene->experiment, solver_source(scene->experiment));
  Timeline timeline(player->simulation().snapshot());
  for (const Change::What& what : in_force) player->change(timeline, what);
  stand_in(std::move(scene), std::move(player));
  timeline_ = std::move(timeline);
}

void Session::Worker::stand_in(std::shared_ptr<const Scene> scene, std::unique_ptr<Player> player) {
  scene_ = std::move(scene);
  player_ = std::move(player);
  timeline_.emplace(player_->simulation().snapshot());
  undo_.clear();
  redo_.clear();
  last_edit_.clear();
  forget_kept();
  start_clock();
}

void Session::Worker::look_at_outgoing() {
  if (Clock::now() < next_outgoing_) return;
  next_outgoing_ = Clock::now() + 1s;
  for (std::string& warning : outgoing_.warnings()) report({Problem::Kind::warning, std::move(warning)});
}

void Session::Worker::save_recording(const std::filesystem::path& folder) {
  need_scene();
  need_run();
  if (recording_.busy()) throw Error("a recording is being written; wait for it, or stop it");
  std::vector<Change> changes = timeline_->changes();
  for (const Change& change : scene_->experiment.changes)
    if (change.step > timeline_->end()) changes.push_back(change);
  recording_.start(*scene_, std::move(changes), std::max(scene_->steps, timeline_->end()), folder);
}

// --- what outlives the window ----------------------------------------------------------------------------

void Session::Worker::open_journal() {
  if (options_.journal_folder.empty() || is_recording(options_.file)) return;
  try {
    journal_.emplace(options_.journal_folder, options_.file);
  } catch (const Error& error) {
    report({Problem::Kind::warning, error.what()});
  }
  if (!journal_ || journal_->held()) return;
  journal_.reset();
  report({Problem::Kind::note,
          fmt::format("{}: it is open in another window: the edits of this one are lost if it is killed",
                      options_.file.string())});
}

void Session::Worker::restore() {
  if (!journal_) return;
  std::optional<Journal> journal;
  try {
    journal = journal_->take();
  } catch (const Error& error) {
    report({Problem::Kind::warning, error.what()});
  }
  if (!journal) return;
  if (journal->scene != loaded_) {
    journal_->leave_aside();
    report({Problem::Kind::warning,
            fmt::format("{}: the last window was not closed, and the scene or its parameters have changed "
                        "since: its edits "
                        "({}) are not made again; they are kept in '{}'",
                        options_.file.string(), journal->changes.size(), journal_->aside().string())});
    return;
  }
  if (!guard([&] { begin_at(std::move(journal->start)); })) return journal_->leave_aside();
  to_restore_.assign(journal->changes.begin(), journal->changes.end());
  restore_kept(*journal);
  limit_ = std::max(limit_, journal->limit);
  restored_step_ = journal->step;
  goal_ = journal->end;
  report(
      {Problem::Kind::note, fmt::format("{}: the last window was not closed: its edits ({}) are made again",
                                        options_.file.string(), journal->changes.size())});
}

// Where a run began that had gone on with rebuilt plugins.
void Session::Worker::begin_at(std::vector<std::byte> state) {
  if (state.empty()) return;
  auto scene = std::make_shared<Scene>(*scene_);
  scene->experiment.state = std::move(state);
  auto player = std::make_unique<Player>(scene->experiment, solver_source(scene->experiment));
  stand_in(std::move(scene), std::move(player));
}

// While the old edits are made again, they stay as they are.
void Session::Worker::keep_journal() {
  if (!journal_ || !scene_ || goal_) return;
  if (playing_) journal_due_ = true;
  if (!journal_due_ || Clock::now() < next_journal_) return;
  journal_due_ = false;
  next_journal_ = Clock::now() + 500ms;
  if (guard([this] {
        journal_->write({loaded_, timeline_->changes(), present(), timeline_->end(), limit_,
                         scene_->experiment.state, journal_of(forks_), journal_of(snapshots_), fork_});
      }))
    return;
  journal_.reset();
}

void Session::Worker::publish() {
  auto moment = std::make_shared<Moment>();
  if (scene_) {
    moment->scene = scene_;
    moment->state = player_->simulation().snapshot();
    moment->timeline = *timeline_;
    moment->limit = limit_;
  }
  moment->plugins = plugins_;
  moment->playing = playing_;
  moment->going = goal_.has_value();
  if (held()) moment->held_at = hold_;
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
  moment->forks = shown_forks_;
  moment->snapshots = shown_snapshots_;
  moment->fork = fork_;
  moment->problems = problems_;
  moment->errors = errors_;
  const std::lock_guard lock(mutex_);
  moment_ = std::move(moment);
}

}  // namespace torsor::editor
