#include "editor/session/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/simulation/recorded_run.hpp"

namespace torsor::editor {

namespace {

using namespace std::chrono_literals;

constexpr size_t most_problems = 200, most_undo = 200;
constexpr auto slice = 8ms;  // of stepping, between two looks at what was asked for

std::vector<std::filesystem::file_time_type> times_of(const std::vector<std::filesystem::path>& files) {
  std::vector<std::filesystem::file_time_type> times;
  std::error_code failed;
  for (const auto& file : files) times.push_back(std::filesystem::last_write_time(file, failed));
  return times;
}

double seconds(std::chrono::steady_clock::duration span) {
  return std::chrono::duration<double>(span).count();
}

}  // namespace

Session::Worker::Worker(const Registry& registry, SessionOptions options)
    : registry_(registry),
      options_(std::move(options)),
      moment_(std::make_shared<Moment>()),
      loader_(registry_, options_) {
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
  recording_stop_ = true;
  wake_.notify_one();
  thread_.join();
  if (recording_.joinable()) recording_.join();
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
    collect_recording();
    watch_files();
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
  return goal_ || !commands_.empty() || loader_.busy() || recording_.joinable();
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

// --- the run ---------------------------------------------------------------------------------------------

// Where the timeline has been already, the same bits are made again; at its end it grows.
void Session::Worker::one_step() {
  const bool grows = present() == timeline_->end();
  player_->advance(timeline_->changes());
  if (grows) timeline_->append(player_->simulation().snapshot());
}

void Session::Worker::advance_until(long long target, Clock::time_point deadline) {
  while (present() < target && Clock::now() < deadline) one_step();
}

void Session::Worker::start_clock() {
  clock_start_ = measured_at_ = Clock::now();
  clock_step_ = measured_step_ = scene_ ? present() : 0;
}

void Session::Worker::advance_playing() {
  if (!playing_) return;
  const auto now = Clock::now();
  const double due = double(clock_step_) + seconds(now - clock_start_) * speed_ / scene_->experiment.dt;
  const long long target = std::min(limit_, (long long)due);
  advance_until(target, now + slice);
  // A run that cannot keep up goes as fast as it can and does not catch up later.
  if (present() < target) {
    clock_start_ = Clock::now();
    clock_step_ = present();
  }
  if (present() >= limit_) playing_ = false;
}

void Session::Worker::advance_going() {
  const long long target = to_restore_.empty() ? *goal_ : to_restore_.front().step;
  advance_until(target, Clock::now() + slice);
  if (present() < target) return;
  if (!to_restore_.empty()) {
    player_->change(*timeline_, to_restore_.front().what);
    to_restore_.pop_front();
    return;
  }
  goal_.reset();
  if (restored_step_ < present()) player_->seek(*timeline_, restored_step_);
  start_clock();
}

void Session::Worker::measure() {
  if (!playing_) {
    real_time_factor_ = 0;
    return;
  }
  const double wall = seconds(Clock::now() - measured_at_);
  if (wall < 0.25) return;
  real_time_factor_ = double(present() - measured_step_) * scene_->experiment.dt / wall;
  measured_at_ = Clock::now();
  measured_step_ = present();
}

// --- commands --------------------------------------------------------------------------------------------

void Session::Worker::play() {
  need_scene();
  if (present() >= limit_) limit_ += scene_->steps;
  playing_ = true;
  last_edit_.clear();
  start_clock();
}

void Session::Worker::pause() {
  playing_ = false;
  journal_due_ = true;
}

void Session::Worker::step(long long steps) {
  need_peace();
  playing_ = false;
  go(std::max(0LL, goal_.value_or(present()) + steps));
}

void Session::Worker::go(long long step) {
  need_peace();
  last_edit_.clear();
  limit_ = std::max(limit_, step);
  journal_due_ = true;
  player_->seek(*timeline_, std::min(step, timeline_->end()));
  start_clock();
  goal_.reset();
  restored_step_ = step;
  if (present() < step) goal_ = step;
}

void Session::Worker::set_speed(double speed) {
  speed_ = speed;
  start_clock();
}

// key: what is edited; a continued edit of the same goes into the same version.
void Session::Worker::make(const Change::What& what, const std::string& key, bool continued) {
  need_scene();
  const Version before{*timeline_, present()};
  player_->change(*timeline_, what);
  if (!(continued && key == last_edit_)) {
    undo_.push_back(before);
    if (undo_.size() > most_undo) undo_.erase(undo_.begin());
  }
  redo_.clear();
  last_edit_ = key;
  journal_due_ = true;
}

void Session::Worker::set_position(int q_index, double value, bool continued) {
  need_scene();
  const Snapshot& now = player_->simulation().snapshot();
  StateChange change{now.q, now.v};
  change.q.at(size_t(q_index)) = value;
  make(change, fmt::format("q{}", q_index), continued);
}

void Session::Worker::set_velocity(int v_index, double value, bool continued) {
  need_scene();
  const Snapshot& now = player_->simulation().snapshot();
  StateChange change{now.q, now.v};
  change.v.at(size_t(v_index)) = value;
  make(change, fmt::format("v{}", v_index), continued);
}

void Session::Worker::set_torque(int v_index, double value, bool continued) {
  need_scene();
  const auto torque = player_->simulation().torque();
  TorqueChange change{{torque.begin(), torque.end()}};
  change.tau.at(size_t(v_index)) = value;
  make(change, fmt::format("tau{}", v_index), continued);
}

void Session::Worker::set_solver(const std::string& id) {
  need_scene();
  const std::string& chosen = registry_.find_solver(id).id;
  if (registry_.find_solver(player_->solver()).id != chosen) make(SolverChange{chosen}, "solver", false);
  start_clock();
}

void Session::Worker::stand(Version version) {
  timeline_ = std::move(version.timeline);
  player_->seek(*timeline_, version.step);
  limit_ = std::max(limit_, timeline_->end());
  goal_.reset();
  playing_ = false;
  last_edit_.clear();
  journal_due_ = true;
}

void Session::Worker::undo() {
  if (undo_.empty()) return;
  redo_.push_back({*timeline_, present()});
  Version before = std::move(undo_.back());
  undo_.pop_back();
  stand(std::move(before));
}

void Session::Worker::redo() {
  if (redo_.empty()) return;
  undo_.push_back({*timeline_, present()});
  Version after = std::move(redo_.back());
  redo_.pop_back();
  stand(std::move(after));
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
  recording_stop_ = true;
  goal_.reset();
  to_restore_.clear();
  commands_.clear();
  playing_ = false;
}

void Session::Worker::collect_load() {
  auto result = loader_.take();
  if (!result) return;
  files_ = std::move(result->files);
  file_times_ = changing_times_ = times_of(files_);
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
  journal_scene_ = hash_of_files(files_);
  start_clock();
  if (first) guard([this] { restore(); });
}

// Loads anew when a file has changed and stays as it is for two looks: an editor may still be writing.
void Session::Worker::watch_files() {
  if (Clock::now() < next_watch_ || files_.empty() || loader_.busy()) return;
  next_watch_ = Clock::now() + 200ms;
  auto times = times_of(files_);
  const bool settled = times == changing_times_;
  changing_times_ = std::move(times);
  if (!settled || changing_times_ == file_times_) return;
  file_times_ = changing_times_;
  reload();
}

void Session::Worker::save_recording(const std::filesystem::path& folder) {
  need_scene();
  if (recording_.joinable()) throw Error("a recording is being written; wait for it, or stop it");
  Experiment experiment = scene_->experiment;
  const long long last = std::max(scene_->steps, timeline_->end());
  if (last > scene_->steps) experiment.duration = double(last) * experiment.dt;
  recording_stop_ = recording_done_ = false;
  recording_progress_ = 0;
  recording_ =
      std::thread([this, folder, last, experiment = std::move(experiment), changes = timeline_->changes()] {
        try {
          RecordedRun run(
              experiment,
              [this](const std::string& id, std::shared_ptr<const Model> model) {
                return registry_.solver(id, std::move(model));
              },
              [this](const std::string& id) {
                const PluginInfo& plugin = registry_.find_solver(id);
                return SolverIdentity{plugin.id, plugin.version, plugin.sha256};
              },
              options_.file, folder, changes);
          const bool whole = run.execute([&](const Simulation& simulation) {
            recording_progress_ = double(simulation.steps()) / double(last);
            return !recording_stop_;
          });
          recording_result_ = {whole ? Problem::Kind::note : Problem::Kind::warning,
                               fmt::format("{}: recording {}", run.files().csv.string(),
                                           whole ? "written" : "stopped; it is kept up to there")};
        } catch (const std::exception& error) {
          recording_result_ = {Problem::Kind::error, error.what()};
        }
        recording_done_ = true;
      });
}

void Session::Worker::collect_recording() {
  if (!recording_.joinable() || !recording_done_) return;
  recording_.join();
  report(recording_result_);
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
  } else if (recording_.joinable()) {
    moment->task_progress = recording_progress_;
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
