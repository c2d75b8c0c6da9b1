// Manages the forks and snapshots of a session.

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
    throw Error(fmt::format("the name '{}' is taken; choose another name", wish));
  std::string name = wish.empty() ? proposal : wish;
  for (int k = 2; is_taken(name); ++k) name = fmt::format("{} ({})", proposal, k);
  return name;
}

void Session::Worker::put_fork_aside() {
  Kept& fork = forks_[fork_];
  fork.run = {fork.run.name, *timeline_, present(), timeline_->end()};
  fork.limit = limit_;
  fork.history = std::exchange(history_, UndoHistory());
}

void Session::Worker::execute(const command::Fork& command) {
  require_idle();
  need_run();
  const std::string own = free_name(forks_, command.name, fmt::format("fork {}", forks_.size()));
  put_fork_aside();
  Kept next{.run = {own, *timeline_, present(), present()}, .limit = scene_->steps};
  next.run.timeline.cut(player_->simulation().snapshot());
  fork_ = forks_.size();
  forks_.push_back(next);
  take(std::move(next));
  publish_kept();
  report({Problem::Kind::note,
          fmt::format("Fork '{}' created at t = {:.6g} s", own, player_->simulation().time())});
}

void Session::Worker::execute(const command::ChooseFork& command) {
  require_idle();
  const size_t chosen = size_t(&kept(forks_, command.name, "fork") - forks_.data());
  if (chosen == fork_) return;
  put_fork_aside();
  fork_ = chosen;
  take(forks_[fork_]);
  publish_kept();
}

void Session::Worker::execute(const command::DropFork& command) {
  require_idle();
  const auto dropped = &kept(forks_, command.name, "fork") - forks_.data();
  if (size_t(dropped) == fork_)
    throw Error(fmt::format("'{}' is the active run: choose another one before you delete it",
                            command.name));
  forks_.erase(forks_.begin() + dropped);
  if (size_t(dropped) < fork_) --fork_;
  publish_kept();
}

void Session::Worker::execute(const command::KeepSnapshot& command) {
  require_idle();
  need_run();
  const std::string own =
      free_name(snapshots_, command.name, fmt::format("{:.6g} s", player_->simulation().time()));
  snapshots_.push_back({.run = {own, *timeline_, present(), present()}, .limit = limit_});
  snapshots_.back().run.timeline.cut(player_->simulation().snapshot());
  publish_kept();
  report({Problem::Kind::note, fmt::format("Snapshot '{}' saved", own)});
}

void Session::Worker::execute(const command::ShowSnapshot& command) {
  require_idle();
  const Kept& found = kept(snapshots_, command.name, "snapshot");
  const long long step = found.run.step;
  std::vector<Change> so_far = timeline_->changes();
  std::erase_if(so_far, [&](const Change& change) { return change.step > step; });
  const bool is_here = step >= timeline_->step(0) && step <= timeline_->end() &&
                       so_far == (found.is_made ? found.run.timeline.changes() : found.changes);
  playing_ = false;
  if (is_here) return go(step);
  Kept shown = found;
  history_.record({*timeline_, present(), timeline_->step(0)});
  shown.history = std::exchange(history_, UndoHistory());
  take(std::move(shown));
}

void Session::Worker::execute(const command::DropSnapshot& command) {
  require_idle();
  const auto dropped = &kept(snapshots_, command.name, "snapshot") - snapshots_.data();
  snapshots_.erase(snapshots_.begin() + dropped);
  publish_kept();
}

// Makes a fork or snapshot the current run.
void Session::Worker::take(Kept run) {
  history_ = std::move(run.history);
  limit_ = std::max(scene_->steps, run.limit);
  adopt({std::move(run.run.timeline), run.run.step, run.run.step, run.is_made,
         std::move(run.changes), run.run.end});
  if (fork_ < forks_.size()) forks_[fork_].is_made = true;
}

// Removes all snapshots and forks, then adds the current run as the only fork.
void Session::Worker::reset_kept() {
  snapshots_.clear();
  forks_.clear();
  fork_ = 0;
  forks_.push_back({.run = {"run", Timeline(start_), present(), present()}});
  publish_kept();
}

void Session::Worker::publish_kept() {
  const auto shown = [](const std::vector<Kept>& all) {
    auto runs = std::make_shared<std::vector<StoredRun>>();
    for (const Kept& each : all) runs->push_back(each.run);
    return runs;
  };
  shown_forks_ = shown(forks_);
  shown_snapshots_ = shown(snapshots_);
  journal_due_ = true;
}

}  // namespace torsor::editor
