// Loads and reloads the scene of a session, and carries the run over.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "editor/session/worker.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::editor {

void Session::Worker::execute(const command::Reload&) {
  if (options_.file.empty()) throw Error("no scene is loaded");
  plugins_alone_ = false;
  loader_.start(plugins_, watch_.stale());
}

// Starts a load if files have changed. A scene that has its loaded content again counts as
// unchanged.
void Session::Worker::check_files() {
  if (options_.file.empty()) return;
  if (watch_.changed(plugins_.get()).empty()) return;
  if (watch_.scene_alone_is_stale() && hash_of(files_, options_) == loaded_) {
    erase_problems(Problem::Of::failed_load);
    return watch_.clear_stale();
  }
  plugins_alone_ = scene_ && !scene_->recording && watch_.plugins_alone_are_stale();
  loader_.start(plugins_, watch_.stale());
}

void Session::Worker::collect_load() {
  auto result = loader_.take();
  if (!result) return;
  plugins_ = result->plugins;
  needed_ = result->needed ? std::make_shared<const AccessRequest>(*result->needed) : nullptr;
  const SceneWatch::Files changed = watch_.stale(),
                          plugins = (result->scene ? result->scene->plugins() : *plugins_).files();
  const bool as_read =
      watch_.watch(result->files, plugins, result->scene != nullptr, result->started);
  erase_problems(Problem::Of::failed_load);
  if (result->scene) erase_problems(Problem::Of::load);
  for (Problem& problem : result->problems) {
    problem.of = result->scene ? Problem::Of::load : Problem::Of::failed_load;
    report(std::move(problem));
  }
  if (!result->scene) {
    if (scene_)
      report(
          {Problem::Kind::note,
           fmt::format("{}: the last version that loaded is still in use", options_.file.string()),
           Problem::Of::failed_load});
    return;
  }
  files_ = watch_.scene();
  // If a file was saved while it was read, the empty hash makes check_files() load it again.
  loaded_ = as_read ? hash_of(files_, options_) : "";
  if (scene_) outgoing_.add(scene_->plugins(), result->scene->plugins());
  const bool has_kept = forks_.size() > 1 || !snapshots_.empty();
  if (!plugins_alone_ || has_kept) return begin_with(std::move(*result));
  try {
    continue_with(*result);
    report({Problem::Kind::note,
            fmt::format(
                "{} reloaded: the run continues with it from t = {:g} s; earlier times cannot be "
                "reached again",
                quoted(changed), player_->simulation().time())});
  } catch (const Error& error) {
    report({Problem::Kind::error,
            fmt::format(
                "{} changed, but {}: the run continues with the version that was loaded before; "
                "reload the scene (Ctrl+R) to use the new one",
                quoted(changed), error.what())});
  }
}

void Session::Worker::begin_with(Loader::Result result) {
  const std::shared_ptr<const Scene> before = scene_;
  const bool carries = before && !before->recording && !result.scene->recording;
  const long long row = before && before->recording ? shown_step_ : 0;
  KeptWork work;
  if (carries) work = detach_work();
  to_restore_.clear();
  goal_.reset();
  install_scene(std::move(result.scene), std::move(result.player));
  limit_ = scene_->steps;
  if (scene_->recording) {
    timeline_ = std::move(result.rows);
    show_row(row);
  } else {
    make_scenes_changes();
  }
  if (!before) return restore();
  // A run that began at a saved state with rebuilt plugins begins at that state again, if only
  // plugins have changed since the last load.
  if (carries && plugins_alone_ && !before->experiment.state.empty())
    guard([&] {
      begin_at(before->experiment.state);
      auto scene = std::make_shared<Scene>(*scene_);
      scene->rebuilt = before->rebuilt;
      scene_ = std::move(scene);
    });
  if (carries) carry_over(*before, std::move(work));
}

Session::Worker::KeptWork Session::Worker::detach_work() {
  put_fork_aside();
  Kept& fork = forks_[fork_];
  if (goal_) {  // the run is still moving to a step: keep it as it would be there
    fork.changes = timeline_->changes();
    fork.changes.insert(fork.changes.end(), to_restore_.begin(), to_restore_.end());
    fork.is_made = false;
    fork.run.step = std::min(restored_step_, *goal_);
    fork.run.end = std::max(*goal_, fork.run.end);
  }
  return {std::move(forks_), std::move(snapshots_), fork_};
}

// Transfers all runs to the new scene with the edits that still fit, and reports the other edits.
// Then simulates the active fork to its step.
void Session::Worker::carry_over(const Scene& before, KeptWork work) {
  EditFit fit(before, *scene_);
  const auto refit = [&](Version& version) {
    const long long end = version.is_made ? version.timeline.end() : version.end;
    version = {Timeline(start_),
               fit.step(version.step),
               start_.step,
               false,
               fit.fit(version.is_made ? version.timeline.changes() : version.changes),
               fit.step(end)};
  };
  for (std::vector<Kept>* all : {&work.forks, &work.snapshots})
    for (Kept& kept : *all) {
      kept.changes = fit.fit(kept.is_made ? kept.run.timeline.changes() : kept.changes);
      kept.is_made = false;
      kept.run = {kept.run.name, Timeline(start_), fit.step(kept.run.step), fit.step(kept.run.end)};
      kept.limit = kept.limit > before.steps ? fit.step(kept.limit) : 0;
      kept.history.for_each(refit);
    }
  forks_ = std::move(work.forks);
  snapshots_ = std::move(work.snapshots);
  fork_ = work.fork;
  const StoredRun run = forks_[fork_].run;
  report_reload(before, fit, run.step);
  const bool playing = playing_;
  take(forks_[fork_]);
  playing_ = playing;
  publish_kept();
}

void Session::Worker::report_reload(const Scene& before, const EditFit& fit, long long step) {
  const UnsavedWork work{int(forks_[fork_].changes.size()), int(forks_.size()) - 1,
                         int(snapshots_.size())};
  std::string kept = work.any() ? " with " + text(work) : "";
  if (step > 0)
    kept = fmt::format(" at t = {:.6g} s{}", double(step) * scene_->experiment.dt, kept);
  report({Problem::Kind::note, fmt::format("{}: reloaded{}", options_.file.string(), kept)});
  std::vector<std::string> misfits = fit.misfits();
  if (!before.rebuilt.empty() && scene_->experiment.state.empty())
    misfits.push_back(fmt::format("edits before t = {:.6g} s, where a plugin was rebuilt",
                                  double(before.rebuilt.back().step) * before.experiment.dt));
  if (!misfits.empty())
    report({Problem::Kind::warning, fmt::format("{}: edits that no longer fit the scene: {}",
                                                options_.file.string(), fmt::join(misfits, "; "))});
}

// Continues the run with rebuilt plugins. The new time line begins at the current step, with the
// active edits.
void Session::Worker::continue_with(const Loader::Result& result) {
  auto scene = std::make_shared<Scene>(*result.scene);
  scene->rebuilt = scene_->rebuilt;
  for (RebuiltPlugin& plugin : rebuilt_plugins(scene->plugins(), scene_->plugins(), present()))
    scene->rebuilt.push_back(std::move(plugin));
  continue_from(player_->simulation(), scene->experiment);
  const std::vector<Change::What> active_changes = player_->active_changes();
  auto player = std::make_unique<Player>(scene->experiment);
  Timeline timeline(player->simulation().snapshot());
  for (const Change::What& what : active_changes) player->change(timeline, what);
  install_scene(std::move(scene), std::move(player));
  timeline_ = std::move(timeline);
}

void Session::Worker::install_scene(std::shared_ptr<const Scene> scene,
                                    std::unique_ptr<Player> player) {
  scene_ = std::move(scene);
  player_ = std::move(player);
  player_->simulation().set_stop([this] { return stop_ || quit_; });
  start_ = player_->simulation().snapshot();
  timeline_.emplace(start_);
  history_ = UndoHistory();
  saved_.reset();
  last_edit_.clear();
  postures_.reset();
  reset_kept();
  start_clock();
}

}  // namespace torsor::editor
