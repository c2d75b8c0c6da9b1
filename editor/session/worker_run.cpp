// Advances and changes the run of a session.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/edits/position.hpp"
#include "editor/edits/pull.hpp"
#include "editor/session/worker.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor::editor {

namespace {

constexpr double fastest = 64;  // the maximum speed; the minimum is its reciprocal
// Time for steps until the worker checks for requests again.
constexpr std::chrono::milliseconds slice(8);

double seconds(std::chrono::steady_clock::duration span) {
  return std::chrono::duration<double>(span).count();
}

}  // namespace

// Advances by one step. Before the end of the time line, the step reproduces the same states bit
// for bit. At the end, it extends the time line.
void Session::Worker::one_step() {
  last_sign_ = Clock::now();
  activity.time = player_->simulation().time();
  activity.step = present();
  const bool grows = present() == timeline_->end();
  player_->advance(timeline_->changes());
  if (!grows) return;
  timeline_->append(player_->simulation().snapshot());
  make_scenes_changes();
}

// Shows the row of a recording at a step, or the last row before it.
void Session::Worker::show_row(long long step) {
  shown_step_ = std::clamp(step, timeline_->step(0), timeline_->end());
  player_->show(*timeline_, timeline_->index_at(shown_step_));
}

// Applies the changes that the scene defines for the current step.
void Session::Worker::make_scenes_changes() {
  for (const Change& change : changes_at(scene_->experiment.changes, present()))
    player_->change(*timeline_, change.what);
}

void Session::Worker::advance_until(long long target, Clock::time_point deadline) {
  if (scene_->recording) return show_row(target);
  while (present() < target && Clock::now() < deadline) one_step();
}

void Session::Worker::start_clock() {
  clock_start_ = measured_at_ = Clock::now();
  clock_step_ = measured_step_ = scene_ ? present() : 0;
}

// Returns the step that a playing run should have reached at the current time.
double Session::Worker::due() const {
  return double(clock_step_) +
         seconds(Clock::now() - clock_start_) * speed_ / scene_->experiment.dt;
}

bool Session::Worker::held() const {
  return hold_ && scene_ && (scene_->recording ? shown_step_ : present()) >= *hold_;
}

void Session::Worker::advance_playing() {
  if (!playing_ || held()) return;
  const long long target = std::min({limit_, (long long)due(), hold_.value_or(limit_)});
  advance_until(target, Clock::now() + slice);
  // If the computer is too slow, the run does not catch up later.
  if (present() < target && !scene_->recording) {
    clock_start_ = Clock::now();
    clock_step_ = present();
  }
  if (present() >= limit_) playing_ = false;
}

void Session::Worker::advance_going() {
  const long long target = to_restore_.empty() ? *goal_ : to_restore_.front().step;
  advance_until(target, Clock::now() + slice);
  if (present() < target) return;
  if (!to_restore_.empty()) return restore_next_edit();
  goal_.reset();
  if (journal_) journal_->mark_restored();
  if (restored_step_ < present()) player_->seek(*timeline_, restored_step_);
  start_clock();
}

// Applies the next edit to restore. If an edit of a journal fails, throws Error, which ends
// restoring and preserves the journal. After a reload, reports an edit that fails and continues.
void Session::Worker::restore_next_edit() {
  try {
    player_->change(*timeline_, to_restore_.front().what);
  } catch (const Error& error) {
    if (journal_ && journal_->restoring()) throw;
    report({Problem::Kind::warning,
            fmt::format("{}: the edit at t = {:.6g} s no longer fits the scene: {}",
                        options_.file.string(), player_->simulation().time(), error.what())});
  }
  to_restore_.pop_front();
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

// --- commands ------------------------------------------------------------------------------------

void Session::Worker::play() {
  require_idle();
  if (present() >= limit_ && scene_->recording) show_row(0);
  if (present() >= limit_) limit_ += scene_->steps;
  playing_ = true;
  last_edit_.clear();
  start_clock();
}

void Session::Worker::pause() {
  playing_ = false;
  journal_due_ = true;
}

void Session::Worker::execute(const command::Step& command) {
  require_idle();
  playing_ = false;
  if (scene_->recording) {
    const auto row = (long long)timeline_->index_at(present()) + command.steps,
               last = (long long)timeline_->size() - 1;
    return show_row(timeline_->step(size_t(std::clamp(row, 0LL, last))));
  }
  go(goal_.value_or(present()) + command.steps);
}

void Session::Worker::go(long long step) {
  require_idle();
  if (scene_->recording) {
    show_row(step);
    return start_clock();
  }
  last_edit_.clear();
  if (!goal_) limit_before_goal_ = limit_;
  limit_ = std::max(limit_, step);
  journal_due_ = true;
  step = std::max(step, timeline_->step(0));
  player_->seek(*timeline_, std::min(step, timeline_->end()));
  start_clock();
  goal_.reset();
  restored_step_ = step;
  if (present() < step) goal_ = step;
}

void Session::Worker::execute(const command::Play&) {
  play();
}
void Session::Worker::execute(const command::Pause&) {
  pause();
}
void Session::Worker::execute(const command::Go& command) {
  go(command.step);
}
void Session::Worker::execute(const command::SetSpeed& command) {
  set_speed(command.speed);
}

void Session::Worker::execute(const command::PlayOrPause&) {
  playing_ ? pause() : play();
}

// Changes the speed to a power of two.
void Session::Worker::execute(const command::ChangeSpeed& command) {
  set_speed(std::exp2(std::clamp(std::round(std::log2(speed_)) + command.octaves, -6.0, 6.0)));
}

void Session::Worker::set_speed(double speed) {
  if (!(speed >= 1 / fastest && speed <= fastest))
    throw Error(
        fmt::format("the speed is {}; it must be from 1/{} to {}", speed, fastest, fastest));
  speed_ = speed;
  start_clock();
}

// Sets the step at which playback is held. Playback does not catch up on the time for which it was
// held.
void Session::Worker::execute(const command::HoldAt& command) {
  hold_ = command.step;
  if (!playing_) return;
  const long long to = std::max(present(), hold_.value_or(present()));
  if (due() <= double(to)) return;
  clock_start_ = Clock::now();
  clock_step_ = to;
}

// Applies an edit. key: identifies the edited value. A continued edit of the same value is undone
// together with the previous one.
void Session::Worker::make(const Change::What& what, const std::string& key, bool continued) {
  need_run();
  Version before{*timeline_, present(), present()};
  player_->change(*timeline_, what);
  if (continued && key == last_edit_)
    history_.clear_redo();
  else
    history_.record(std::move(before));
  last_edit_ = key;
  journal_due_ = true;
}

void Session::Worker::execute(const command::Edit& command) {
  need_scene();
  require_idle();
  if (command.scene != scene_) throw Error("the scene was reloaded before this edit could be made");
  std::visit([&](const auto& edit) { make(edit, command.continued); }, command.what);
}

// Returns the solver of postures for the active model and solver.
PostureSolver& Session::Worker::postures() {
  const std::shared_ptr<const Model>& model = player_->simulation().state().model_ptr();
  if (!postures_ || postures_->model_ptr() != model || postures_solver_ != player_->solver()) {
    postures_solver_ = player_->solver();
    postures_.emplace(model, [this](std::shared_ptr<const Model> of) {
      return scene_->plugins().solver(postures_solver_, std::move(of));
    });
  }
  return *postures_;
}

void Session::Worker::make(const command::SetPosition& edit, bool continued) {
  const Snapshot& now = player_->simulation().snapshot();
  StateChange change{now.q, now.v};
  if (!scene_->model().closures.empty()) {
    Posture posture = postures().set_position(player_->simulation(), edit.column, edit.value);
    change.q = std::move(posture.q);
    make(change, fmt::format("q{}", edit.column), continued);
    if (!posture.obstacle.empty()) report({Problem::Kind::note, std::move(posture.obstacle)});
    return;
  }
  editor::set_position(scene_->model(), change.q, edit.column, edit.value);
  follow_mimics(scene_->model(), change.q, change.v);
  make(change, fmt::format("q{}", edit.column), continued);
}

void Session::Worker::make(const command::SetVelocity& edit, bool continued) {
  const Snapshot& now = player_->simulation().snapshot();
  StateChange change{now.q, now.v};
  if (!scene_->model().closures.empty()) {
    change.v = postures().set_velocity(player_->simulation(), edit.column, edit.value);
  } else {
    change.v.at(size_t(edit.column)) = edit.value;
    follow_mimics(scene_->model(), change.q, change.v);
  }
  make(change, fmt::format("v{}", edit.column), continued);
}

void Session::Worker::make(const command::SetTorque& edit, bool continued) {
  const auto torque = player_->simulation().constant_torque();
  TorqueChange change{{torque.begin(), torque.end()}};
  change.tau.at(size_t(edit.column)) = edit.value;
  make(change, fmt::format("tau{}", edit.column), continued);
}

void Session::Worker::make(const command::MoveFrame& edit, bool continued) {
  const Simulation& simulation = player_->simulation();
  StateChange change{postures().move_point(simulation, edit.frame, edit.point_F, edit.target_W),
                     simulation.snapshot().v};
  make(change, "move " + edit.frame, continued);
}

void Session::Worker::make(const command::PullFrame& edit, bool continued) {
  const std::optional<Pull>& now = player_->simulation().load().pull;
  Pull pull;
  if (continued && now && now->frame == edit.frame) {
    pull = *now;
  } else {
    const Simulation& simulation = player_->simulation();
    Solver solver = scene_->plugins().solver(player_->solver(), simulation.state().model_ptr());
    pull = make_pull(simulation, solver, edit.frame, edit.point_F, edit.target_W);
  }
  pull.target_W = edit.target_W;
  make(PullChange{pull}, "pull", continued);
}

void Session::Worker::make(const command::ReleaseFrame&, bool) {
  if (player_->simulation().load().pull) make(PullChange{}, "pull", true);
}

void Session::Worker::make(const command::SetParameter& edit, bool continued) {
  const auto& [control, of, parameter] = edit;
  const auto* now = timeline_->active_change<ParameterChange>(present());
  ParameterChange change = now ? *now : ParameterChange{};
  auto entry = std::ranges::find(change.controls, control, &ControlParameters::control);
  if (entry == change.controls.end())
    entry = change.controls.insert(entry, ControlParameters{control});
  std::vector<Parameter>& changed =
      of == command::SetParameter::Of::law ? entry->law : entry->reference;
  const auto same = std::ranges::find(changed, parameter.name, &Parameter::name);
  if (same == changed.end())
    changed.push_back(parameter);
  else
    *same = parameter;
  make(change, fmt::format("{}.{}", control, parameter.name), continued);
}

void Session::Worker::execute(const command::SetSolver& command) {
  require_idle();
  const Registry& plugins = scene_->plugins();
  const std::string& chosen = plugins.find<Solver>(command.id).id;
  if (plugins.find<Solver>(player_->solver()).id != chosen)
    make(SolverChange{chosen}, "solver", false);
  start_clock();
}

void Session::Worker::execute(const command::SetConstraintSolver& command) {
  require_idle();
  const ConstraintSolverChoice chosen = scene_->constraint_solver(command.id);
  if (without_kind(player_->constraint_solver().id) != without_kind(chosen.id))
    make(ConstraintSolverChange{chosen}, "constraint solver", false);
  start_clock();
}

void Session::Worker::adopt(Version version) {
  goal_.reset();
  playing_ = false;
  last_edit_.clear();
  journal_due_ = true;
  if (!version.is_made)
    return remake({version.changes.begin(), version.changes.end()}, version.step, version.end);
  timeline_ = std::move(version.timeline);
  player_->seek(*timeline_, version.step);
  limit_ = std::max(limit_, timeline_->end());
}

// Simulates again from the start to `end` with these edits, then returns to `step`.
void Session::Worker::remake(std::deque<Change> changes, long long step, long long end) {
  timeline_.emplace(start_);
  player_->seek(*timeline_, start_.step);
  make_scenes_changes();
  to_restore_ = std::move(changes);
  restored_step_ = step;
  limit_before_goal_ = limit_;
  limit_ = std::max(limit_, end);
  goal_ = end;
}

// Removes all edits. This can be undone.
void Session::Worker::execute(const command::ClearEdits&) {
  require_idle();
  need_run();
  if (timeline_->changes().size() == size_t(scenes_changes())) throw Error("this run has no edits");
  history_.record({*timeline_, present(), timeline_->step(0)});
  adopt({Timeline(start_), present(), start_.step, false, {}, timeline_->end()});
}

// Returns how many changes of the run are part of the scene.
long Session::Worker::scenes_changes() const {
  return std::ranges::count_if(timeline_->changes(), [&](const Change& change) {
    return std::ranges::find(scene_->experiment.changes, change) !=
           scene_->experiment.changes.end();
  });
}

void Session::Worker::execute(const command::Undo&) {
  if (history_.undoable() == 0) {
    if (fork_ > 0 && !timeline_->changes().empty())
      report({Problem::Kind::note,
              fmt::format(
                  "'{}' begins with the edits made before it was forked: undo them in the run that "
                  "it was forked from",
                  forks_[fork_].run.name)});
    return;
  }
  adopt(history_.undo(*timeline_, present()));
}

void Session::Worker::execute(const command::Redo&) {
  if (history_.redoable() > 0) adopt(history_.redo(*timeline_, present()));
}

}  // namespace torsor::editor
