// Runs that were parted from one another, and states that were kept.

#include <fmt/format.h>

#include <algorithm>

#include "editor/session/worker.hpp"

namespace torsor::editor {

Session::Worker::Kept& Session::Worker::kept(std::vector<Kept>& all, const std::string& name,
                                             const char* what) {
  std::vector<std::string> names;
  for (Kept& each : all) {
    if (each.run.name == name) return each;
    names.push_back(each.run.name);
  }
  throw Error(fmt::format("there is no {} '{}'{}", what, name, did_you_mean(name, names)));
}

std::string Session::Worker::free_name(const std::vector<Kept>& all, const std::string& wish,
                                       const std::string& proposal) {
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(all, [&](const Kept& each) { return each.run.name == name; });
  };
  if (!wish.empty() && is_taken(wish))
    throw Error(fmt::format("'{}' is kept already: give another name", wish));
  std::string name = wish.empty() ? proposal : wish;
  for (int k = 2; is_taken(name); ++k) name = fmt::format("{} ({})", proposal, k);
  return name;
}

void Session::Worker::put_fork_aside() {
  Kept& fork = forks_[fork_];
  fork.run = {fork.run.name, *timeline_, present(), timeline_->end()};
  fork.limit = limit_;
  fork.undo = std::move(undo_);
  fork.redo = std::move(redo_);
}

void Session::Worker::fork(const std::string& name) {
  need_peace();
  need_run();
  const std::string own = free_name(forks_, name, fmt::format("fork {}", forks_.size()));
  put_fork_aside();
  Kept next{.run = {own, *timeline_, present(), present()}, .limit = scene_->steps};
  next.run.timeline.cut(player_->simulation().snapshot());
  fork_ = forks_.size();
  forks_.push_back(next);
  take(std::move(next));
  publish_kept();
}

void Session::Worker::choose_fork(const std::string& name) {
  need_peace();
  const size_t chosen = size_t(&kept(forks_, name, "fork") - forks_.data());
  if (chosen == fork_) return;
  put_fork_aside();
  fork_ = chosen;
  take(forks_[fork_]);
  publish_kept();
}

void Session::Worker::drop_fork(const std::string& name) {
  need_peace();
  const auto dropped = &kept(forks_, name, "fork") - forks_.data();
  if (size_t(dropped) == fork_)
    throw Error(fmt::format("'{}' is the run that goes on: choose another first", name));
  forks_.erase(forks_.begin() + dropped);
  if (size_t(dropped) < fork_) --fork_;
  publish_kept();
}

void Session::Worker::keep_snapshot(const std::string& name) {
  need_peace();
  need_run();
  const std::string own = free_name(snapshots_, name, fmt::format("{:.6g} s", player_->simulation().time()));
  snapshots_.push_back({.run = {own, *timeline_, present(), present()}, .limit = limit_});
  snapshots_.back().run.timeline.cut(player_->simulation().snapshot());
  publish_kept();
}

void Session::Worker::show_snapshot(const std::string& name) {
  need_peace();
  const Kept& found = kept(snapshots_, name, "snapshot");
  const long long step = found.run.step;
  std::vector<Change> so_far = timeline_->changes();
  std::erase_if(so_far, [&](const Change& change) { return change.step > step; });
  const bool is_here = step >= timeline_->step(0) && step <= timeline_->end() &&
                       so_far == (found.is_made ? found.run.timeline.changes() : found.changes);
  playing_ = false;
  if (is_here) return go(step);
  Kept shown = found;
  undo_.push_back({*timeline_, present()});
  shown.undo = std::move(undo_);
  take(std::move(shown));
}

void Session::Worker::drop_snapshot(const std::string& name) {
  need_peace();
  const auto dropped = &kept(snapshots_, name, "snapshot") - snapshots_.data();
  snapshots_.erase(snapshots_.begin() + dropped);
  publish_kept();
}

// Goes on with it.
void Session::Worker::take(Kept run) {
  undo_ = std::move(run.undo);
  redo_ = std::move(run.redo);
  limit_ = std::max(scene_->steps, run.limit);
  if (run.is_made) return stand({std::move(run.run.timeline), run.run.step});
  const Timeline start(timeline_->at(0));
  stand({start, start.step(0)});
  to_restore_.assign(run.changes.begin(), run.changes.end());
  restored_step_ = run.run.step;
  goal_ = run.run.end;
  if (fork_ < forks_.size()) forks_[fork_].is_made = true;
}

// Of another scene, or of other plugins: what was kept of the last is not of it.
void Session::Worker::forget_kept() {
  const size_t n = snapshots_.size() + (forks_.empty() ? 0 : forks_.size() - 1);
  if (n > 0)
    report({Problem::Kind::note,
            fmt::format("{}: {} forks and snapshots of the run before are gone", options_.file.string(), n)});
  snapshots_.clear();
  forks_.clear();
  fork_ = 0;
  forks_.push_back({.run = {"run", Timeline(player_->simulation().snapshot()), present(), present()}});
  publish_kept();
}

void Session::Worker::publish_kept() {
  const auto shown = [](const std::vector<Kept>& all) {
    auto runs = std::make_shared<std::vector<KeptRun>>();
    for (const Kept& each : all) runs->push_back(each.run);
    return runs;
  };
  shown_forks_ = shown(forks_);
  shown_snapshots_ = shown(snapshots_);
  journal_due_ = true;
}

std::vector<JournalRun> Session::Worker::journal_of(const std::vector<Kept>& all) const {
  std::vector<JournalRun> out;
  for (const Kept& each : all)
    out.push_back({each.run.name, each.is_made ? each.run.timeline.changes() : each.changes, each.run.step,
                   each.run.end, std::max(each.limit, each.run.end)});
  return out;
}

void Session::Worker::restore_kept(const Journal& journal) {
  const auto unmade = [&](const std::vector<JournalRun>& runs) {
    std::vector<Kept> out;
    for (const auto& [name, changes, step, end, limit] : runs)
      out.push_back({.run = {name, Timeline(timeline_->at(0)), step, end},
                     .changes = changes,
                     .is_made = false,
                     .limit = limit});
    return out;
  };
  if (!journal.forks.empty()) {
    forks_ = unmade(journal.forks);
    fork_ = journal.fork;
    forks_[fork_].is_made = true;
  }
  snapshots_ = unmade(journal.snapshots);
  publish_kept();
}

}  // namespace torsor::editor
